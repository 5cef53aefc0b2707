"""The dealer of a worked hand: cards scanned in the order in which they lie, errors reported as the hand names them."""

from collections.abc import Sequence

from libs.cards.card import DECK, names_of
from libs.cards.games import GAMES
from libs.contracts.commands import TableCommand
from libs.contracts.live_commands import AssignDealer, CheckDeck, DealHand, InspectDeck, Place, ScanCard, ShuffleDeck
from libs.contracts.messages import Principal
from libs.contracts.poker_events import HoleCardsDealt
from services.cli.replaying.casino.line_by_line import LineByLine
from services.cli.replaying.casino.record import BoardTurned, CasinoHand, DealHole, Incident, Post, ReshuffleLine
from services.cli.replaying.record import NotARecord

DEALER = Principal("staff", "dealer")
SUPERVISOR = Principal("staff", "supervisor")
DECK_ID = "A"
DECKS = f"{DECK_ID}:red"


def is_live(hand: CasinoHand) -> bool:
    """Only a dealer can make the errors that it records."""
    return any(isinstance(line, Incident | ReshuffleLine) for line in hand.events)


class Desk:
    """`lying` is the pack from the top as the dealer has it, which is not the sealed order of the hand."""

    def __init__(self, replay: LineByLine, order: Sequence[str]) -> None:
        self.replay = replay
        self.lying = list(order)
        self.scanned = 0
        self.turned: list[int] = []
        """Seats whose card was turned over in dealing, which are completed at the end (70.c)."""
        lines = replay.hand.events
        self.faces = {line.card_no for line in lines if isinstance(line, Incident) and line.card_no is not None}

    def open(self) -> None:
        """The dealer sits down, the deck is inspected and shuffled, and the hand begins."""
        late = [line.seat for line in self.replay.hand.events if isinstance(line, Post) and line.late]
        self.ask(SUPERVISOR, AssignDealer(dealer="dealer"))
        self.ask(DEALER, InspectDeck(deck=DECK_ID, cards=names_of(DECK)))
        self.shuffle_and_deal(late)

    def shuffle_and_deal(self, unposted: list[int]) -> None:
        self.ask(DEALER, ShuffleDeck(deck=DECK_ID, times=3))
        self.ask(DEALER, DealHand(deck=DECK_ID, unposted=unposted))

    def next_lead(self) -> int:
        """Deals another hand, with the whole deck shuffled anew, and says who leads it."""
        self.ask(DEALER, CheckDeck(deck=DECK_ID, cards=len(DECK), sound=True))
        self.shuffle_and_deal([])
        assert self.replay.state.hand is not None
        return self.replay.state.hand.small_blind

    def ask(self, by: Principal, command: TableCommand) -> None:
        """NotARecord when the desk refuses what the hand says was done."""
        refused = self.replay.send(by, command, self.replay.fresh)
        if refused is not None:
            raise NotARecord(f"{self.replay.hand.id}: {type(command).__name__} is refused: {refused.reason}")

    def deal_until(self, card_no: int | None = None) -> None:
        """Hole cards one at a time, up to that card of the deal, or until everybody has theirs."""
        while self.replay.state.hand is not None and not self.dealt:
            if card_no is not None and self.scanned >= card_no:
                return
            seat = self._next_seat()
            self.scanned += 1
            face_up = self.scanned in self.faces
            self.scan(self.lying[0], "hole", seat, face_up)
            if face_up:
                self.turned.append(seat)

    @property
    def dealt(self) -> bool:
        number = self.replay.state.hands
        return any(isinstance(event, HoleCardsDealt) and event.hand == number for event in self.replay.told)

    def _next_seat(self) -> int:
        hand = self.replay.state.hand
        assert hand is not None
        laps = GAMES[self.replay.hand.config.variant].hole_cards
        in_laps = self.scanned - len(hand.order) * laps
        return hand.order[self.scanned % len(hand.order)] if in_laps < 0 else self.turned[in_laps]

    def scan(self, card: str, to: Place, seat: int | None = None, face_up: bool = False) -> None:
        """The card has to be the next one that lies there."""
        self.take([card])
        number = self.replay.state.hands
        self.ask(DEALER, ScanCard(hand=number, card=card, to=to, seat=seat, face_up=face_up))

    def take(self, cards: Sequence[str]) -> None:
        top, self.lying = self.lying[: len(cards)], self.lying[len(cards) :]
        self.replay.outcome.compare("cards from the top", list(cards), top)

    def reshuffle(self, line: ReshuffleLine) -> None:
        """What lies on top afterwards is the record's word."""
        found = next((each for each in self.replay.hand.reshuffles if each.at_event == line.seq), None)
        if found is None:
            raise NotARecord(f"{self.replay.hand.id}: nothing says how the stub lies after seq {line.seq}")
        self.replay.compare(line, "returned", found.returned, line.returned)
        self.replay.compare(line, "stub", found.stub_size, line.stub_left)
        self.lying = list(found.new_stub_top)

    def turn(self, line: BoardTurned) -> None:
        for card in line.cards:
            self.scan(card, "board")


def passes(line: DealHole, seats: int) -> list[list[int]]:
    """Which cards of the deal each seat gets, one a pass."""
    return [[lap * seats + place for lap in range(line.passes)] for place in range(seats)]
