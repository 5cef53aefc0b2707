"""A table with a human dealer under test: decks made ready, cards scanned by name, errors reported."""

from typing import Any, Self

from msgspec.structs import replace

from libs.cards.card import DECK, name_of, names_of
from libs.cards.variants import VARIANTS
from libs.contracts import live_commands as c
from libs.contracts.live_events import CardScanned, IncidentRecorded
from libs.contracts.messages import Principal, PublicEvent
from libs.contracts.registry import encode_fact
from services.audit.verifying.by_hand import check_by_hand
from services.audit.verifying.dealt import PublicDecks
from services.audit.verifying.findings import Kind
from services.table.domain.games.live_poker.stages import hole_order, state_of
from services.table.domain.games.live_poker.state import Live
from services.table.domain.games.poker.cards import dealing_order
from tests.table.casino.play import CASINO_HOLDEM
from tests.table.play import TableUnderTest, player_principal

DEALER = Principal("staff", "dealer-1")
SUPERVISOR = Principal("staff", "floor-1")
ALL_CARDS = [name_of(card) for card in DECK]


class LiveTable(TableUnderTest):
    """Seats with 20000 each, table minimum 200, one deck `R`. `cards` is the pack in the order of dealing."""

    def __init__(self, *seats: int, rulebook: str = CASINO_HOLDEM, **changes: Any) -> None:
        chosen: dict[str, Any] = {"dealer": "live", "decks": "R:red", "timer_action": "none", **changes}
        self.by_hand = PublicDecks()
        super().__init__(rulebook, **chosen)
        self.pack: list[str] = []
        self.seat(*seats)
        assert self.send(SUPERVISOR, c.AssignDealer(dealer="dealer-1")) is None

    def _audit(self) -> None:
        """While a supervisor is asked nobody else is, whatever the test does; the auditor sees it so, too."""
        super()._audit()
        for fact in self.last:
            name, data = encode_fact(fact)
            event = PublicEvent(stream=fact.table, version=1, type=name, time=fact.at, causation="c", data=data)
            found = check_by_hand(self.by_hand, event, fact)
            assert not [each for each in found if each.kind == Kind.ENTERED and "while incident" in each.detail]
        live = self.state.live
        turn = self.state.hand.turn if live is not None and self.state.hand is not None else None
        if turn is None:
            return
        assert live.stage == "betting"
        assert live.pending is None or (turn.stands and turn.seat == live.pending.of_seat)

    @property
    def live(self) -> Live:
        assert self.state.live is not None
        return self.state.live

    @property
    def name(self) -> str:
        """State of the hand as incidents name it."""
        return state_of(self.state)

    @property
    def incident(self) -> IncidentRecorded:
        found: IncidentRecorded = self.of(IncidentRecorded, True)[-1]
        return found

    def seat(self, *seats: int, amount: int | None = None, **stacks: int) -> Self:
        """At the dealer's table, by their own word."""
        before = set(self.state.seats)
        super().seat(*seats, amount=amount, **stacks)
        for seat in self.state.seats.keys() - before:
            assert self.state_presence(seat) is None, self.refused
        return self

    def state_presence(self, seat: int, present: bool = True) -> str | None:
        return self.send(player_principal(self.state.seats[seat].player), c.StatePresence(present=present))

    def make_ready(self, deck: str = "R") -> "LiveTable":
        whole = [name_of(card) for card in VARIANTS[self.state.rules.variant].deck]
        assert self.send(DEALER, c.InspectDeck(deck=deck, cards=whole)) is None, self.refused
        assert self.send(DEALER, c.ShuffleDeck(deck=deck, times=3)) is None, self.refused
        return self

    def begin(self, lead: int, deck: str = "R", *, unposted: list[int] | None = None) -> "LiveTable":
        """The dealer begins a hand with that lead."""
        self.make_ready(deck)
        if self.state.hands == 0:
            seats = sorted(self.state.seats)
            self.state = replace(self.state, hands=1, running=True, button=seats[seats.index(lead) - 1])
        assert self.deal_hand(deck, unposted) is None, self.refused
        return self

    def deal_hand(self, deck: str = "R", unposted: list[int] | None = None, by: Principal = DEALER) -> str | None:
        return self.send(by, c.DealHand(deck=deck, unposted=unposted or []), self.shuffler.shuffle())

    def scan(self, card: str, to: c.Place, seat: int | None = None, face_up: bool = False) -> str | None:
        return self.send(DEALER, c.ScanCard(hand=self.state.hands, card=card, to=to, seat=seat, face_up=face_up))

    def stack_pack(self, cards: str) -> "LiveTable":
        """The pack from the top; what is not named follows in no order that matters."""
        named = cards.split()
        self.pack = named + [card for card in ALL_CARDS if card not in named]
        return self

    def next_card(self) -> str:
        return self.pack.pop(0)

    def deal_holes(self, turned: tuple[int, ...] = (), until: int | None = None) -> "LiveTable":
        """Scans the hole cards in the regular order; `turned` are the numbers, from 1, of cards turned over."""
        number = self.live.scans
        while self.state.hand is not None and self.live.stage == "dealing":
            order = hole_order(self.state, dealing_order(self.hand, self.state.rules)[0], self._hole_cards)
            number += 1
            if until is not None and number > until:
                break
            assert self.scan(self.next_card(), "hole", order[number - 1], number in turned) is None, self.refused
        return self

    @property
    def _hole_cards(self) -> int:
        return VARIANTS[self.state.rules.variant].hole_cards

    def burn(self) -> "LiveTable":
        assert self.scan(self.next_card(), "burn") is None, self.refused
        return self

    def turn_up(self, cards: int = 1) -> "LiveTable":
        for _ in range(cards):
            assert self.scan(self.next_card(), "board") is None, self.refused
        return self

    def report(self, code: str, **fields: Any) -> str | None:
        return self.send(DEALER, c.RecordIncident(**{"hand": self.state.hands, "code": code, **fields}))

    def rule_on(self, decision: str, by: Principal = SUPERVISOR) -> str | None:
        pending = self.live.pending
        wanted = pending.incident if pending is not None else 0
        return self.send(by, c.DecideIncident(hand=self.state.hands, incident=wanted, decision=decision, reason="seen"))

    def deliver(self, winner: int | None = None, pushed: bool = False) -> str | None:
        return self.send(DEALER, c.DeliverPot(hand=self.state.hands, winner=winner, pushed=pushed))

    @property
    def board(self) -> list[str]:
        assert self.hand.deck is not None
        return names_of(self.hand.deck.cards[position] for position in self.hand.board)

    def hole(self, seat: int) -> list[str]:
        assert self.hand.deck is not None
        return names_of(self.hand.deck.cards[position] for position in self.hand.players[seat].hole)

    @property
    def burns(self) -> list[str]:
        """Of this hand; the card that was turned over in dealing is one (70.c)."""
        assert self.hand.deck is not None
        scans = [each for each in self.of(CardScanned, True) if each.hand == self.hand.number]
        burnt = [each for each in scans if each.to == "burn" or (each.to == "hole" and each.face_up)]
        return names_of(self.hand.deck.cards[each.position] for each in burnt)


def live_h6(lead: int = 1, *, pack: str = "", **changes: Any) -> LiveTable:
    """H6 at a live table, hole cards dealt: P1 posted 100, P2 posted 200, P3 acts first."""
    return LiveTable(1, 2, 3, 4, 5, 6, **changes).stack_pack(pack).begin(lead).deal_holes()


def five(lead: int, pack: str = "", **changes: Any) -> LiveTable:
    return LiveTable(1, 2, 3, 4, 5, **changes).stack_pack(pack).begin(lead)
