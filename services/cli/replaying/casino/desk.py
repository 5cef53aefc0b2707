"""One worked hand of casino poker under way: the lines compared so far, and the dealer's cards as they lie."""

from collections.abc import Sequence

from libs.cards.card import DECK, name_of, names_of
from libs.cards.variants import VARIANTS
from libs.contracts import poker_events as p
from libs.contracts.commands import TableCommand
from libs.contracts.facts import TableEvent
from libs.contracts.live_commands import (
    AssignDealer,
    CheckDeck,
    DealHand,
    InspectDeck,
    Place,
    ScanCard,
    ShuffleDeck,
    StatePresence,
)
from libs.contracts.live_events import IncidentRecorded, StubReshuffled
from libs.contracts.messages import Principal
from services.cli.replaying.casino.record import (
    DECK_ID,
    CasinoHand,
    Incident,
    Post,
    Reshuffled,
    deck_of,
    rulebook_of,
    table_before,
)
from services.cli.replaying.play import Outcome, Replay, Told
from services.cli.replaying.record import Claims, NotARecord
from services.table.domain.games.live_poker.state import Live, live_of
from services.table.domain.games.poker.state import Hand, PokerTable

DEALER = Principal("staff", "dealer")
SUPERVISOR = Principal("staff", "supervisor")
_HAS_A_LINE = (
    p.BlindPosted, p.HoleCardsDealt, p.BetPlaced, p.PlayerFolded, p.PlayerChecked, p.StreetDealt, p.CardsShown,
    p.UncalledBetReturned, p.PotAwarded, p.HandVoided, IncidentRecorded, StubReshuffled,
)  # fmt: skip


def category_in_words(name: str) -> str:
    """`two_pair` as the file writes it: two pairs."""
    return "two pairs" if name == "two_pair" else name.replace("_", " ")


def _there(hand: Hand | None) -> Hand:
    if hand is None:
        raise NotARecord("no hand runs any more")
    return hand


class NotTold(Exception):
    """The table told another event than the line has; the text names it."""


class Desk(Replay):
    """`lying` is the pack from the top as the dealer has it, which is not the sealed order of the hand."""

    state: PokerTable
    seen: PokerTable

    def __init__(self, hand: CasinoHand) -> None:
        fresh = deck_of(hand)
        super().__init__(table_before(hand), Outcome(hand.id, hand.title, rulebook_of(hand)), fresh, _HAS_A_LINE)
        self.hand = hand
        self.pack = names_of(fresh.deck.cards)
        """From the top, as it was before the deal."""
        self.lying = list(self.pack)
        self.scanned = 0
        self.turned: list[int] = []
        """Seats whose card was turned over in dealing, which are completed at the end (70.c)."""
        self.faces = {line.card_no for line in hand.events if isinstance(line, Incident) and line.card_no is not None}
        self.payments: list[tuple[str, p.Payment]] = []
        self.incidents: list[IncidentRecorded] = []
        """Recorded by themselves while cards were dealt; their lines come after that of the deal."""

    @property
    def number(self) -> int:
        return self.state.hands

    @property
    def running(self) -> Hand:
        """The hand as the last line left it."""
        return _there(self.seen.hand)

    @property
    def table_hand(self) -> Hand:
        """The hand as it is on the table, which may wait for an act."""
        return _there(self.state.hand)

    def names(self, positions: Sequence[int]) -> list[str]:
        deck = self.running.deck
        assert deck is not None, "a hand that runs has its deck"
        return [name_of(deck.cards[at]) for at in positions]

    @property
    def stub(self) -> int:
        """Cards left after the last line."""
        return self.live.stub if self.hand.live else len(DECK) - self.running.next_position

    @property
    def live(self) -> Live:
        """What the dealer's table remembers of the hand, after the last line."""
        _there(self.seen.hand)
        return live_of(self.seen)

    def expect(self, kind: type[Told]) -> Told:
        """The next event of the play; NotTold when it is another. Incidents of a deal are kept for their lines."""
        if kind is IncidentRecorded and self.incidents:
            event: TableEvent | None = self.incidents.pop(0)
        else:
            event = self.next()
            while kind is p.HoleCardsDealt and isinstance(event, IncidentRecorded):
                self.incidents.append(event)
                event = self.next()
        if not isinstance(event, kind):
            raise NotTold(type(event).__name__)
        return event

    def open(self) -> None:
        """The dealer sits down, the deck is inspected and shuffled, and the hand begins."""
        late = [line.seat for line in self.hand.events if isinstance(line, Post) and line.late]
        self.ask(SUPERVISOR, AssignDealer(dealer="dealer"))
        for seat in self.state.seats:
            self.ask(self.player(seat), StatePresence(present=True))  # all of them sit there
        self.ask(DEALER, InspectDeck(deck=DECK_ID, cards=names_of(DECK)))
        self.shuffle_and_deal(late)

    def shuffle_and_deal(self, unposted: list[int]) -> None:
        self.ask(DEALER, ShuffleDeck(deck=DECK_ID, times=3))
        self.ask(DEALER, DealHand(deck=DECK_ID, unposted=unposted))

    def next_lead(self) -> int:
        """Deals another hand, with the whole deck shuffled anew, and says who leads it."""
        self.ask(DEALER, CheckDeck(deck=DECK_ID, cards=len(DECK), sound=True))
        self.shuffle_and_deal([])
        assert self.state.hand is not None
        return self.state.hand.small_blind

    def ask(self, by: Principal, command: TableCommand) -> None:
        """NotARecord when the desk refuses what the hand says was done."""
        refused = self.send(by, command)
        if refused is not None:
            raise NotARecord(f"{type(command).__name__} is refused: {refused.reason}")

    def deal_until(self, card_no: int | None = None) -> None:
        """Hole cards one at a time, up to that card of the deal, or until everybody has theirs."""
        while (hand := self.state.hand) is not None and not self._dealt:
            if card_no is not None and self.scanned >= card_no:
                return
            if not self.lying:
                raise NotARecord("the stub is out before everybody has their cards")
            in_laps = self.scanned - len(hand.order) * VARIANTS[self.hand.config.variant].hole_cards
            if in_laps >= len(self.turned):
                raise NotARecord("everybody has their cards, and the deal is not over")
            seat = hand.order[self.scanned % len(hand.order)] if in_laps < 0 else self.turned[in_laps]
            self.scanned += 1
            face_up = self.scanned in self.faces
            self.scan(self.lying[0], "hole", seat, face_up)
            if face_up:
                self.turned.append(seat)

    @property
    def _dealt(self) -> bool:
        return any(event.hand == self.number for event in self.all(p.HoleCardsDealt))

    def scan(self, card: str, to: Place, seat: int | None = None, face_up: bool = False) -> None:
        """The card has to be the next one that lies there."""
        self.take([card])
        self.ask(DEALER, ScanCard(hand=self.number, card=card, to=to, seat=seat, face_up=face_up))

    def take(self, cards: Sequence[str]) -> None:
        top, self.lying = self.lying[: len(cards)], self.lying[len(cards) :]
        self.outcome.compare("cards from the top", list(cards), top)

    def reshuffle(self, line: Reshuffled, got: Claims) -> None:
        """What lies on top afterwards is the record's word."""
        found = next(each for each in self.hand.reshuffles if each.at_event == line.seq)
        self.outcome.compare(
            f"seq {line.seq} reshuffle", [found.returned, found.stub_size], [got["returned"], self.stub]
        )
        self.lying = list(found.new_stub_top)
