"""What a live table remembers beside the hand itself: its decks, what was scanned, who is bound to what."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from libs.contracts.live_events import HandState, HeldAct, Limit
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.games.poker.story import PokerGame
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import Story

DECK_SIZE = 52
HANDS_KEPT = 100
Stage = Literal["dealing", "betting", "board", "paying"]


class Pack(msgspec.Struct, frozen=True, kw_only=True):
    """One physical deck between two hands. `checked` by a count or an inspection, `shuffled` that many times since."""

    id: str
    colour: str
    inspected: bool = False
    checked: bool = False
    shuffled: int = 0
    out: bool = False


class LastHand(msgspec.Struct, frozen=True, kw_only=True):
    """What can still be put right before the next hand begins (70.a): who was paid, and who should have been."""

    hand: int
    paid: int
    due: int
    amount: int
    shares: Mapping[int, int] = {}
    """What each seat should have been paid; empty in snapshots of before 2026-11-24: `due` all of it."""
    sittings: Mapping[int, str] = {}
    """Reservations of those seats and the paid one: somebody else's chips are never touched."""
    incidents: int = 0


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """The dealer's side of a live table."""

    dealer: str = ""
    packs: Mapping[str, Pack] = {}
    last_deck: str = ""
    last_hand: LastHand | None = None
    dealt: Mapping[int, tuple[str, ...]] = {}
    """By hand everybody who did something as its dealer; of the last `HANDS_KEPT` hands."""


PASSED_OVER = "PE-71i"
"""A supervisor says what a seat may do that the dealer has gone past."""
FACE_UP = "DE-69d"
"""A card lies face up in the stub: it is burnt when it comes."""
UNDECIDED = "PE-71a"
"""A supervisor says what becomes of the turn of who was warned, and still does not decide."""


WRONG_WINNER = "DE-70a"
"""A supervisor says whether the chips of a large pot went to who has not won it."""


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """An incident that waits for a supervisor."""

    incident: int
    code: str
    seats: tuple[int, ...]
    choices: tuple[str, ...]
    held: HeldAct | None = None
    """What `stands` lets stand."""
    named: tuple[int, ...] = ()
    """Positions of cards that lie face up in the stub (69.d), or were shown too early (70.d to 70.f), if a supervisor
    says `stands`."""
    aside: tuple[int, ...] = ()
    """Positions of all that is withdrawn then (70.d to 70.f)."""

    @property
    def of_seat(self) -> int | None:
        """Whose act ends it: at its turn that seat's player may still act in person."""
        if self.held is not None:
            return self.held.seat
        return self.seats[0] if self.code == UNDECIDED else None


class Live(msgspec.Struct, frozen=True, kw_only=True):
    """A hand that is dealt by hand. Positions are places in the hand's sealed deck."""

    deck: str
    dealer: str
    stage: Stage = "dealing"
    size: int = DECK_SIZE
    """Cards in the pack."""
    scans: int = 0
    out: tuple[int, ...] = ()
    """Everything that has left the stub."""
    dealt: Mapping[int, tuple[int, ...]] = {}
    turned: tuple[tuple[int, int], ...] = ()
    """Seat and position of hole cards that were turned over in dealing (70.c)."""
    burnt: tuple[int, ...] = ()
    """Burnt for the street that comes next."""
    drawn: tuple[int, ...] = ()
    """Turned for the street that comes next."""
    aside: tuple[int, ...] = ()
    no_burn: bool = False
    """The street that comes next is dealt without a burn (70.d to 70.f)."""
    face_up: tuple[int, ...] = ()
    """Positions of cards that lie face up in the stub (69.d)."""
    agreed: tuple[int, ...] = ()
    """Those of them of which a supervisor has said so."""
    unposted: tuple[int, ...] = ()
    limited: Mapping[int, Limit] = {}
    held: Mapping[int, HeldAct] = {}
    stood: tuple[int, ...] = ()
    """Seats of which a supervisor has said that what is held stands."""
    passed: tuple[int, ...] = ()
    """Seats that the dealer has gone past in this round (71.i)."""
    missed: tuple[int, ...] = ()
    """Those of them past which somebody has acted since, and of which no supervisor has said anything yet."""
    heard: tuple[int, ...] = ()
    """Those of them that have decided since, or of which a supervisor has said what they may do: not missed again."""
    pending: Pending | None = None
    incidents: int = 0
    pushed: tuple[int, int] | None = None
    """Seat that got the chips by mistake, and whose they are (70.a)."""
    shares: Mapping[int, int] = {}
    """What each seat was due by the cards."""

    @property
    def stub(self) -> int:
        """Cards left undealt."""
        return self.size - len(self.out)


ROUNDS: Mapping[str, HandState] = {
    "preflop": "ROUND_1",
    "flop": "ROUND_2",
    "turn": "ROUND_3",
    "river": "ROUND_4",
    "card_1": "ROUND_1",
    "card_2": "ROUND_2",
    "card_3": "ROUND_3",
    "card_4": "ROUND_4",
    "card_5": "ROUND_5",
}


class LiveTable(PokerTable, frozen=True, kw_only=True):
    """A poker table at which a human deals."""

    desk: Desk = Desk()
    live: Live | None = None
    """Of the running hand (pt-217-2007 69 to 71)."""
    present: Mapping[int, str] = {}
    """Seats whose player sits at the dealer's table, with the sitting of which that was said. Everybody else plays over
    an own session, from wherever that is."""

    def is_bound(self, sitter: Sitter) -> bool:
        """Also who was paid by a push against the cards: until the next hand its chips can come back."""
        last = self.desk.last_hand
        pushed = self.hand is None and last is not None and last.paid == sitter.seat
        return (pushed and self.status == "open") or super().is_bound(sitter)

    def unposted_of(self, seat: int) -> tuple[Literal["small", "big"], ...]:
        if self.hand is None or self.live is None or seat not in self.live.unposted:
            return ()
        return ("small",) if seat == self.hand.small_blind else ("big",)

    def is_remote(self, seat: int) -> bool:
        sitter = self.seats.get(seat)
        return sitter is not None and self.present.get(seat) != sitter.reservation


LiveStory = Story[LiveTable, PokerConfiguration, PokerGame]


def live_of(table: PokerTable) -> Live:
    assert isinstance(table, LiveTable), "asked only where a human deals"
    assert table.live is not None, "asked only while a hand runs"
    return table.live
