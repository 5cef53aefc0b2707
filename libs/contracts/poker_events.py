"""Public events of hands of poker; see `table_events.py` for what holds for all events."""

from typing import Annotated, Literal

import msgspec

from libs.cards.variants import Street, Variant
from libs.contracts.configurations import Kind
from libs.contracts.facts import Chips, GameEvent, HandEvent, Moment, Part, Position, Root, Seat
from libs.contracts.table_events import DeckCard, Refund

Actor = Literal["player", "house"]
Basis = Literal["none", "pot", "per_payment", "capped_pot", "capped_payments"]
Exemption = Literal["no_flop", "flop_without_voluntary_bet"]
Blind = Literal["small", "big", "entry", "ante", "big_blind_ante", "straddle", "missed", "idle"]
DEAD_BLINDS: tuple[Blind, ...] = ("big_blind_ante", "missed")
"""Posts for everybody's pot that count for nothing else."""


class ButtonDrawn(GameEvent):
    """The first button was drawn by lot (pt-811-2015 46). After a pause that left a hand out, and where two go on who
    were there when the table stopped, it is drawn among the one seat to which it comes."""

    seat: Seat
    among: list[Seat]
    generator: str = ""
    """Name and version of the random generator (pt-811-2015 46)."""


class VariantChosen(GameEvent):
    """Dealer Choice at a mixed table: for the hands from the next one on (pt-217-2007 23)."""

    seat: Seat
    player: str
    variant: Variant


class SeatInHand(Part):
    seat: Seat
    player: str
    reservation: str
    stack: Chips


class MissedBlind(Part):
    """A blind that went past a seat that is not dealt in (pt-217-2007 30, 90)."""

    seat: Seat
    blind: Literal["small", "big"]


class HandStarted(HandEvent):
    """A hand begins: who is dealt in, who posts, and the root of its shuffled deck."""

    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: Kind
    button: Seat
    small_blind: Seat
    big_blind: Seat
    seats: list[SeatInHand]
    lead: Seat | None = None
    """Lead seat, where there is one (pt-217-2007 29)."""
    missed: list[MissedBlind] = []
    """Blinds that went past these seats, whose players were away."""
    deck_root: Root
    """hex; Merkle root (SHA-256, RFC 6962 hashing) over `deck_leaves` salted leaves."""
    deck_leaves: Annotated[int, msgspec.Meta(ge=1, le=52)]
    """One for each card that can come in this hand, from the top of the deck, and one for all other cards together."""


class PlayerEvent(HandEvent):
    """Of one player in the hand."""

    seat: Seat
    player: str


class BlindPosted(PlayerEvent):
    """A forced or free post. `to` is the round total, to which antes and missed blinds do not count."""

    blind: Blind
    compulsory: bool
    amount: Chips
    to: Chips
    stack: Chips
    all_in: bool
    currency: str


class Deal(Part):
    seat: Seat
    positions: list[Position]


class HoleCardsDealt(HandEvent):
    """Where each seat's face-down cards lie in the deck."""

    deals: list[Deal]


class LegalActs(Part):
    """What the table offers; folding is always legal. `call` moves this amount; `min_to`, `max_to` are round totals."""

    check: bool
    call: Chips | None
    min_to: Chips | None
    max_to: Chips | None


class DecisionAwaited(PlayerEvent):
    """`turn` is this event's own version: an act may name it, and is refused when the table has moved on."""

    street: Street
    legal: LegalActs
    until: Moment
    bank_until: Moment


class PlayerFolded(PlayerEvent):
    """A player gave the hand up."""

    actor: Actor
    reason: Literal["timeout", "left", "withdrawn", "annulled", "barred"] | None = None
    time_bank_left: int = 0
    entered_by: str = ""
    """Who of the dealers entered it for a player at the table; empty: nobody did, or it was before 2026-11-29."""


class PlayerChecked(PlayerEvent):
    """A player passed without a bet."""

    actor: Actor
    reason: Literal["timeout"] | None = None
    time_bank_left: int = 0
    all_in: bool = False
    """A call was owed, and the hand counts as all-in: it claims of the pot what it has put in for, and owes no more."""
    entered_by: str = ""
    """Who of the dealers entered it for a player at the table; empty: nobody did, or it was before 2026-11-29."""


class BetPlaced(PlayerEvent):
    """A player called, bet or raised."""

    act: Literal["call", "bet", "raise"]
    amount: Chips
    to: Chips
    stack: Chips
    all_in: bool
    currency: str
    time_bank_left: int = 0
    unfinished: bool = False
    """Less than the call, and it stays (pt-217-2007 71.c)."""
    compulsory: bool = False
    """Never: what is compulsory is posted, what is called, bet or raised is voluntary (pt-811-2015 20)."""
    entered_by: str = ""
    """Who of the dealers entered it for a player at the table; empty: nobody did, or it was before 2026-11-29."""


class StreetDealt(HandEvent):
    """Board cards were turned up: flop, turn or river."""

    street: Street
    cards: list[DeckCard]
    burned: list[Position]
    """Deck positions laid aside unseen."""


class DealCorrectionRequested(HandEvent):
    """One of the staff says that the deal does not go by the rule; a second one has to say so, too."""

    cause: str
    by: str


class DealCorrected(HandEvent):
    """Hole cards or board put right by the dealing rule before a decision; what was told stays (mo-97-2010 9.1)."""

    deals: list[Deal]
    withdrawn: list[Position]
    cards: list[DeckCard]
    """Where the board was wrong: the whole board as it is now."""
    cause: str
    by: str
    requested_by: str = ""


class UncalledBetReturned(PlayerEvent):
    """The part of a bet that nobody matched goes back to its player."""

    amount: Chips
    stack: Chips
    currency: str


class CardsShown(PlayerEvent):
    """A seat's hole cards, turned up at the showdown."""

    cards: list[DeckCard]
    category: str
    hole_used: list[str]
    board_used: list[str]


class Payment(Part):
    """`gross` less `rake` is `net`, always; `rake` is the part of the pot's commission that fell on this payment."""

    seat: Seat
    player: str
    gross: Chips
    rake: Chips
    net: Chips


class PotAwarded(HandEvent):
    """One pot, main or side, was paid to its winners."""

    pot: str
    """Main, side_1, side_2 …"""
    amount: Chips
    eligible: list[Seat]
    winners: list[Seat]
    rake: Chips
    basis: Basis
    payments: list[Payment]
    currency: str
    rulebook: str


class SeatResult(Part):
    seat: Seat
    player: str
    reservation: str
    staked: Chips
    """Blinds and bets less what was returned uncalled."""
    won: Chips
    """Net payments."""
    rake: Chips
    stack: Chips


class HandEnded(HandEvent):
    """The hand is over and paid."""

    results: list[SeatResult]
    rake: Chips
    exemption: Exemption | None
    currency: str


class HandVoided(HandEvent):
    """The hand does not count: every bet goes back (pt-811-2015 72)."""

    cause: str
    by: str
    refunds: list[Refund]
    currency: str
    requested_by: str = ""
    """Who of the staff asked for it before `by` agreed; empty: nobody had to, or it was the house."""


class DisputeOpened(PlayerEvent):
    """A player disputes a hand; what is not delivered yet waits for the house's decision (8.c)."""

    dispute: int
    text: str
    nth: int = 0
    """So many disputes the player has opened at this table within a day, this one included; 0: written before they were
    counted."""


class DisputeResolved(HandEvent):
    """The house decided on a player's dispute (8.c)."""

    dispute: int
    decision: str
    reason: str
    decided_by: str


class SessionStarted(GameEvent):
    """An hour begins that is charged for (pt-217-2007 7.b, 74)."""

    number: int
    until: Moment


class SessionFeeDue(GameEvent):
    """To be taken from the player's account, not from the stack."""

    fee: str
    session: int
    player: str
    seat: Seat
    reservation: str
    amount: Chips
    currency: str
    kind: Kind
    rulebook: str


class SessionFeeUnpaid(GameEvent):
    """The player's account had less than the charge: not dealt in before it is paid, which sitting in asks for anew."""

    fee: str
    session: int
    player: str
    amount: Chips
    currency: str


class SessionFeePaid(GameEvent):
    """A charge that was refused at first is paid: dealt in again."""

    fee: str
    session: int
    player: str


class SessionEnded(GameEvent):
    """An hour that was charged for is over (pt-217-2007 7.b, 74)."""

    number: int


class RestRefused(GameEvent):
    """Rested too often in this game: refused, and a warning (pt-217-2007 13)."""

    player: str
    seat: Seat
    rests: int


class GameResumed(GameEvent):
    """Enough players again within the time (pt-217-2007 24)."""

    players: int
