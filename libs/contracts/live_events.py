"""Public events of a table with a human dealer (pt-217-2007): decks, scans, incidents and what was decided on them.

`position` is a card's number in the hand's sealed order and says nothing of the card; `exposed` cards are proved
against the root of `HandStarted` like any card that is shown. Amounts are minor units of `currency`.
"""

from typing import Literal

from libs.cards.variants import Street
from libs.contracts.facts import Chips, GameEvent, HandEvent, Part, Position, Seat
from libs.contracts.table_events import DeckCard

HandState = Literal[
    "CLOSED", "SHUFFLING", "DECK_READY", "DEALING", "ROUND_1", "ROUND_2", "ROUND_3", "ROUND_4", "ROUND_5", "SHOWDOWN",
    "PAYING", "SUPERVISOR_DECISION", "VOID",
]  # fmt: skip
Target = Literal["hole", "burn", "board", "aside"]
Limit = Literal["exposure", "skipped", "bound"]
Awaited = Street | Literal["hole_cards", "delivery"]


class DealerAssigned(GameEvent):
    """Who deals from now on; nobody else's scans count (pt-217-2007 9.a)."""

    dealer: str
    by: str


class PresenceStated(GameEvent):
    """The player says to sit at the dealer's table, or to play from elsewhere, as everybody does who said nothing. The
    dealer enters acts of those who are there, and of nobody else."""

    seat: Seat
    player: str
    reservation: str
    """The sitting, with which it ends."""
    present: bool
    """Whether the player sits at the table."""


class DeckEvent(GameEvent):
    """Of one deck of the table."""

    pack: str
    by: str


class DeckInspected(DeckEvent):
    """Spread face up: 52 different cards (pt-217-2007 4)."""


class DeckChecked(DeckEvent):
    """The deck was counted before the shuffle (pt-217-2007 31)."""


class DeckShuffled(DeckEvent):
    """The dealer shuffled the deck `times` times (pt-217-2007 31)."""

    times: int


class DeckDamaged(DeckEvent):
    """A deck was reported as damaged and is out of play (pt-217-2007 4)."""


class DeckReplaced(DeckEvent):
    """`pack` goes out for good and `by_pack`, of the same colour, comes in; it has to be inspected."""

    by_pack: str


class DeckExposed(DeckEvent):
    """A card was seen during or after the cut: the deck is shuffled again (pt-217-2007 33)."""

    code: str
    state_before: HandState
    state_after: HandState


class LiveDealOpened(HandEvent):
    """The hand is dealt by hand. `unposted`: seats that had not made their first bet when dealing began (91)."""

    pack: str
    dealer: str
    unposted: list[Seat]


class CardScanned(HandEvent):
    """`number` counts the scans of the hand. `seat` only of hole cards, `face_up` where everybody could see it."""

    number: int
    position: Position
    to: Target
    seat: Seat | None = None
    face_up: bool = False
    stub: int
    """Cards left undealt."""


class CardsAwaited(HandEvent):
    """What the table waits for of its dealer. `burn`: a card is burnt first."""

    what: Awaited
    burn: bool = False


class HeldAct(Part):
    """What a seat is bound to when its turn comes. `to` is the round total, `chips` what lies there for it."""

    seat: Seat
    act: Literal["fold", "check", "call", "bet", "raise"]
    to: Chips
    chips: Chips
    by: str = ""
    """Who of the dealers recorded it; empty: it was before 2026-11-29."""


class Share(Part):
    """What one seat is due of a hand's pots."""

    seat: Seat
    amount: Chips


class IncidentRecorded(HandEvent):
    """A dealer's or player's error and what follows of it at once (pt-217-2007 53, 55, 69 to 71, 91).

    `incident` counts those of the hand. `exposed` are cards that everybody saw, `aside` positions that are withdrawn
    until the next reshuffle, `burned` those that are burnt; beside `choices` the two are so if a supervisor lets the
    report stand. `restricted` are seats that may only match what is bet, `returned` chips given back. `go_on_after` is
    the seat after which the betting goes on, where the order has to be mended. `held` beside `choices` binds nobody
    yet: it is what a supervisor may let stand, or at its turn the seat's player do or not do in person.
    """

    incident: int
    code: str
    state_before: HandState
    state_after: HandState
    seats: list[Seat]
    exposed: list[DeckCard] = []
    aside: list[Position] = []
    burned: list[Position] = []
    restricted: list[Seat] = []
    limit: Limit = "exposure"
    held: HeldAct | None = None
    amount: Chips = 0
    returned: Chips = 0
    currency: str
    outcome: str
    """In a word what was done: `void`, `corrected`, `call_only`, `withdrawn` …"""
    choices: list[str] = []
    """What a supervisor may decide; empty: nothing to decide."""
    go_on_after: Seat | None = None
    pack_out: str = ""
    reported_by: str
    """Who says so: a player, or who records it."""
    recorded_by: str = ""
    """Who of the staff put it on record; empty in events of before 2026-11-24."""
    decided_by: str = ""
    reason: str = ""


class SupervisorDecided(HandEvent):
    """A supervisor decided on an incident that waited for it (pt-217-2007 71)."""

    incident: int
    code: str
    decision: str
    state_after: HandState
    restricted: list[Seat] = []
    waived: list[Seat] = []
    """Seats that count as having posted: the hand is played with the reduced pot (91)."""
    shortage: Chips = 0
    go_on_after: Seat | None = None
    by: str
    reason: str


class TurnPassed(HandEvent):
    """The dealer went past a seat whose turn it was (71.i)."""

    seat: Seat
    player: str
    by: str


class StubReshuffled(HandEvent):
    """Withdrawn cards are shuffled back into what is left (70.d to 70.f)."""

    returned: list[Position]
    stub: int
    street: Street


class WinnerAnnounced(HandEvent):
    """Whom the dealer announced, and whose cards win (63, 64, 70.a). `pushed`: the chips went there at once."""

    seat: Seat
    by_the_cards: list[Seat]
    pushed: bool = False
    due: list[Share] = []
    """Of a pot that was pushed past its winners: what each of them should have been paid, less rake."""
    by: str


class PotReversed(HandEvent):
    """Chips that were pushed to the wrong seat go to the right one before the next hand begins (70.a)."""

    incident: int
    from_seat: Seat
    from_player: str
    to_seat: Seat
    to_player: str
    amount: Chips
    from_stack: Chips
    to_stack: Chips
    currency: str
