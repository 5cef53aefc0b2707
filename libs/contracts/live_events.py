"""Public events of a table with a human dealer (pt-217-2007): decks, scans, incidents and what was decided on them.

`position` is a card's number in the hand's sealed order and says nothing of the card; `exposed` cards are proved
against the root of `HandStarted` like any card that is shown. Amounts are minor units of `currency`.
"""

from typing import Literal

from pydantic import Field

from libs.cards.games import Street
from libs.contracts.messages import Message
from libs.contracts.table_events import DeckCard, TableEvent

HandState = Literal[
    "CLOSED", "SHUFFLING", "DECK_READY", "DEALING", "ROUND_1", "ROUND_2", "ROUND_3", "ROUND_4", "ROUND_5", "SHOWDOWN",
    "PAYING", "SUPERVISOR_DECISION", "VOID",
]  # fmt: skip
Target = Literal["hole", "burn", "board", "aside"]
Limit = Literal["exposure", "skipped", "bound"]
Awaited = Street | Literal["hole_cards", "delivery"]


class DealerAssigned(TableEvent):
    """Who deals from now on; nobody else's scans count (pt-217-2007 9.a)."""

    dealer: str
    by: str


class DeckInspected(TableEvent):
    """Spread face up: 52 different cards (pt-217-2007 4)."""

    pack: str
    by: str


class DeckChecked(TableEvent):
    pack: str
    by: str


class DeckShuffled(TableEvent):
    pack: str
    times: int
    by: str


class DeckDamaged(TableEvent):
    pack: str
    by: str


class DeckReplaced(TableEvent):
    """`pack` goes out for good and `by_pack`, of the same colour, comes in; it has to be inspected."""

    pack: str
    by_pack: str
    by: str


class DeckExposed(TableEvent):
    """A card was seen during or after the cut: the deck is shuffled again (pt-217-2007 33)."""

    pack: str
    code: str
    by: str
    state_before: HandState
    state_after: HandState


class LiveDealOpened(TableEvent):
    """The hand is dealt by hand. `unposted`: seats that had not made their first bet when dealing began (91)."""

    hand: int
    pack: str
    dealer: str
    unposted: list[int]


class CardScanned(TableEvent):
    """`number` counts the scans of the hand. `seat` only of hole cards, `face_up` where everybody could see it."""

    hand: int
    number: int
    position: int
    to: Target
    seat: int | None = None
    face_up: bool = False
    stub: int
    """Cards left undealt."""


class CardsAwaited(TableEvent):
    """What the table waits for of its dealer. `burn`: a card is burnt first."""

    hand: int
    what: Awaited
    burn: bool = False


class HeldAct(Message):
    """What a seat is bound to when its turn comes. `to` is the round total, `chips` what lies there for it."""

    seat: int
    act: Literal["fold", "check", "call", "bet", "raise"]
    to: int
    chips: int


class IncidentRecorded(TableEvent):
    """A dealer's or player's error and what follows of it at once (pt-217-2007 53, 55, 69 to 71, 91).

    `incident` counts those of the hand. `exposed` are cards that everybody saw, `aside` positions that are withdrawn
    until the next reshuffle, `restricted` seats that may only match what is bet, `returned` chips given back.
    `go_on_after` is the seat after which the betting goes on, where the order has to be mended.
    """

    hand: int
    incident: int
    code: str
    state_before: HandState
    state_after: HandState
    seats: list[int]
    exposed: list[DeckCard] = Field(default_factory=list)
    aside: list[int] = Field(default_factory=list)
    burned: list[int] = Field(default_factory=list)
    restricted: list[int] = Field(default_factory=list)
    limit: Limit = "exposure"
    held: HeldAct | None = None
    amount: int = 0
    returned: int = 0
    currency: str
    outcome: str
    """In a word what was done: `void`, `corrected`, `call_only`, `withdrawn` …"""
    choices: list[str] = Field(default_factory=list)
    """What a supervisor may decide; empty: nothing to decide."""
    go_on_after: int | None = None
    pack_out: str = ""
    reported_by: str
    decided_by: str = ""
    reason: str = ""


class SupervisorDecided(TableEvent):
    hand: int
    incident: int
    code: str
    decision: str
    state_after: HandState
    restricted: list[int] = Field(default_factory=list)
    waived: list[int] = Field(default_factory=list)
    """Seats that count as having posted: the hand is played with the reduced pot (91)."""
    shortage: int = 0
    go_on_after: int | None = None
    by: str
    reason: str


class TurnPassed(TableEvent):
    """The dealer went past a seat whose turn it was (71.i)."""

    hand: int
    seat: int
    player: str
    by: str


class StubReshuffled(TableEvent):
    """Withdrawn cards are shuffled back into what is left (70.d to 70.f)."""

    hand: int
    returned: list[int]
    stub: int
    street: Street


class WinnerAnnounced(TableEvent):
    """What the dealer said, and whom the cards name (63, 64, 70.a). `pushed`: the chips went there at once."""

    hand: int
    seat: int
    by_the_cards: list[int]
    pushed: bool = False
    by: str


class PotReversed(TableEvent):
    """Chips that were pushed to the wrong seat go to the right one before the next hand begins (70.a)."""

    hand: int
    incident: int
    from_seat: int
    from_player: str
    to_seat: int
    to_player: str
    amount: int
    from_stack: int
    to_stack: int
    currency: str


class DisputeOpened(TableEvent):
    """A player disputes a hand; what is not delivered yet waits for the house's decision (8.c)."""

    hand: int
    dispute: int
    seat: int
    player: str
    text: str


class DisputeResolved(TableEvent):
    hand: int
    dispute: int
    decision: str
    reason: str
    decided_by: str


LIVE_EVENTS: tuple[type[TableEvent], ...] = (
    DealerAssigned,
    DeckInspected,
    DeckChecked,
    DeckShuffled,
    DeckDamaged,
    DeckReplaced,
    DeckExposed,
    LiveDealOpened,
    CardScanned,
    CardsAwaited,
    IncidentRecorded,
    SupervisorDecided,
    TurnPassed,
    StubReshuffled,
    WinnerAnnounced,
    PotReversed,
    DisputeOpened,
    DisputeResolved,
)
