"""Commands of a table with a human dealer (pt-217-2007). Staff; the dealer's own come from the assigned dealer only.

A card that nobody saw comes to the gateway by name and leaves it sealed: base64 of what the gateway closed, bound to
table and hand, opened where the table takes the command in. Cards on the table for all to see stand in clear.
"""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from libs.contracts.commands import (
    Amount,
    DealerCommand,
    Number,
    PlayerCommand,
    SeatNumber,
    StaffCommand,
    SupervisorCommand,
)
from libs.contracts.conduct_commands import Sealed
from libs.contracts.facts import MAX_NUMBER, Hand
from libs.contracts.poker_commands import Deed
from libs.contracts.texts import Id, Words, line, name

CardName = Annotated[str, msgspec.Meta(pattern=r"^[2-9TJQKA][shdc](?!\n)$", description="rank and suit: `Td`")]
Deck = Annotated[str, msgspec.Meta(min_length=1, max_length=16, pattern=r"^[A-Za-z0-9-]+(?!\n)$")]
Place = Literal["hole", "burn", "board"]
"""Where a scanned card goes."""
_Count = Annotated[int, msgspec.Meta(ge=0, le=60)]


class AssignDealer(StaffCommand):
    """Who deals from now on."""

    example = {"dealer": "dealer-1"}
    dealer: Id


class StatePresence(PlayerCommand):
    """The player sits at the dealer's table, or plays from elsewhere. Nobody else may say so, for who deals may enter
    acts of those alone who are there."""

    example = {"present": True}
    present: bool
    """Whether the player sits there."""


class InspectDeck(DealerCommand):
    """The dealer: all cards face up on the table (pt-217-2007 4)."""

    example = {"deck": "A", "cards": ["As", "Ks", "Qs"]}
    deck: Deck
    cards: Annotated[list[CardName], msgspec.Meta(max_length=60)]
    """Everything that lies on the table, face up."""


class CheckDeck(DealerCommand):
    """The dealer: counted, and sound."""

    example = {"deck": "A", "cards": 52, "sound": True}
    deck: Deck
    cards: _Count
    sound: bool


class ShuffleDeck(DealerCommand):
    """The dealer: shuffled so many times."""

    example = {"deck": "A", "times": 7}
    deck: Deck
    times: Annotated[int, msgspec.Meta(ge=1, le=50)]


class MarkDeckDamaged(DealerCommand):
    """A card is damaged."""

    example = {"deck": "A"}
    deck: Deck


class ReplaceDeck(DealerCommand):
    """Another deck in its place."""

    example = {"deck": "A", "by_deck": "B"}
    deck: Deck
    by_deck: Deck


class DealHand(DealerCommand):
    """The dealer begins a hand."""

    draws = True
    example = {"deck": "A", "unposted": [4]}
    deck: Deck
    unposted: Annotated[list[SeatNumber], msgspec.Meta(max_length=2)] = []
    """Seats whose blind is not on the table yet (pt-217-2007 91)."""


class ScanCard(DealerCommand):
    """The dealer: one card, in the order in which it leaves the deck."""

    example = {"hand": 7, "card": "Td", "to": "hole", "seat": 3}
    hand: Hand
    card: Sealed
    to: Place
    seat: SeatNumber | None = None
    face_up: bool = False

    def __repr__(self) -> str:
        return f"ScanCard(hand={self.hand}, to={self.to!r}, seat={self.seat})"


class RecordPost(DealerCommand):
    """The dealer: the blind that was missing when dealing began is on the table now (pt-217-2007 91)."""

    example = {"hand": 7, "seat": 4}
    hand: Hand
    seat: SeatNumber


class PassTurn(DealerCommand):
    """The dealer went past a seat."""

    example = {"hand": 7, "seat": 4}
    hand: Hand
    seat: SeatNumber


class RecordIncident(DealerCommand):
    """The dealer: an error by its rule; the procedure follows at once or waits for a supervisor (pt-217-2007 69 to
    71). The fields beside `hand` and `code` as the code needs them."""

    example = {"hand": 7, "code": "DE-70d", "seat": 3, "cards": ["Td"]}
    hand: Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER)]
    """0 for what happens before a hand (33)."""
    code: Annotated[str, msgspec.Meta(pattern=r"^(DE|PE|BET)-[0-9]{2}[a-i]?(?!\n)$")]
    """What was seen, by its rule: `DE-70d`, `PE-71f`, `BET-53`."""
    seat: SeatNumber | None = None
    seats: Annotated[list[SeatNumber], msgspec.Meta(max_length=11)] = []
    cards: Annotated[list[CardName], msgspec.Meta(max_length=11)] = []
    """Cards that everybody saw."""
    hidden: Annotated[list[Sealed], msgspec.Meta(max_length=11)] = []
    """Cards that were drawn and lie face down."""
    count: _Count | None = None
    act: Deed | None = None
    to: Amount | None = None
    placed: Amount | None = None
    looked: bool = True
    announced: SeatNumber | None = None
    error: Annotated[str, msgspec.Meta(pattern=r"^(DE-69[a-g])?(?!\n)$")] = ""
    """Of 71.h: the dealing error that the player reports."""
    deck: Annotated[str, name(16, 0)] = ""
    reported_by: Annotated[str, name(64, 0)] = ""
    reason: Annotated[str, line(200, 0)] = ""

    def __repr__(self) -> str:
        return f"RecordIncident(hand={self.hand}, code={self.code!r}, seat={self.seat})"


class DecideIncident(SupervisorCommand):
    """A supervisor's word: staff, who have not dealt in the hand."""

    example = {"hand": 7, "incident": 1, "decision": "void", "reason": "two cards were seen by all"}
    hand: Hand
    incident: Number
    decision: Annotated[str, name(32)]
    reason: Words


class DeliverPot(DealerCommand):
    """The dealer announces a winner and delivers."""

    example = {"hand": 7, "winner": 3}
    hand: Hand
    winner: SeatNumber | None = None
    """Null: the cards are simply paid."""
    pushed: bool = False
    """The chips went to the announced seat before anybody spoke."""


class LiveReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NOT_THE_DEALER = "not_the_dealer"
    """Only the dealer assigned to the table may do this."""
    PLAYER_IS_REMOTE = "player_is_remote"
    """The player is not at the dealer's table: nobody but the player, over the own session, acts for that seat, save a
    supervisor where who was warned does not decide."""
    NOT_A_SUPERVISOR = "not_a_supervisor"
    """Who has dealt in the hand decides on none of its incidents; nobody makes himself the dealer."""
    PREVIOUS_HAND_OPEN = "previous_hand_open"
    """The hand before is not over."""
    HAND_CLOSED = "hand_closed"
    """The hand is over; what is left is a dispute."""
    UNKNOWN_DECK = "unknown_deck"
    """The table has no deck of this name."""
    DECK_DAMAGED = "deck_damaged"
    """The deck was reported as damaged."""
    DECKS_ALTERNATE = "decks_alternate"
    """With a shuffler the two decks are used in turn."""
    DECK_NOT_INSPECTED = "deck_not_inspected"
    """The deck was not inspected card by card."""
    DECK_NOT_CHECKED = "deck_not_checked"
    """The deck was not counted before the shuffle."""
    DECK_NOT_SOUND = "deck_not_sound"
    """The deck has not each of its cards exactly once, or the dealer reported it unsound."""
    SHUFFLE_INCOMPLETE = "shuffle_incomplete"
    """The deck was not shuffled often enough."""
    TOO_FEW_PLAYERS = "too_few_players"
    """Fewer players are ready than the game needs."""
    NO_ENTROPY = "no_entropy"
    """The generator gave no healthy entropy, so no hand begins."""
    NOT_AWAITED = "not_awaited"
    """The card, act or report does not fit what the hand waits for."""
    UNKNOWN_CARD = "unknown_card"
    """The scan is no card of this deck, or the card was seen already."""
    UNKNOWN_CODE = "unknown_code"
    """There is no incident of this code."""
    INCOMPLETE_REPORT = "incomplete_report"
    """The incident's report lacks a field that its code needs."""
    MISDEAL_WINDOW_OVER = "misdeal_window_over"
    """A misdeal counts only until the first action of the hand."""
    NOTHING_TO_DECIDE = "nothing_to_decide"
    """No incident waits for a decision."""
    NO_SUCH_DECISION = "no_such_decision"
    """The decision is none of the choices that the incident has."""
    SUPERVISOR_DECISION = "supervisor_decision"
    """An incident waits for a supervisor; until then nothing else is taken, but what the player does in person for whom
    a dealer has entered an act, or who was reported for not deciding."""
    BLIND_NOT_POSTED = "blind_not_posted"
    """A blind is missing and must be dealt with first."""
    NO_ERROR = "no_error"
    """What was reported is no error."""
    NOT_SHOWDOWN = "not_showdown"
    """The hand has not come to its showdown."""
    DISPUTE_OPEN = "dispute_open"
    """A dispute is open, so the pot is not delivered."""
    CALL_ONLY_AFTER_EXPOSURE = "call_only_after_exposure"
    """A card was exposed in this round: who still acts may fold, check or call."""
    SKIPPED_PLAYER_CALL_ONLY = "skipped_player_call_only"
    """A player who was passed over and said nothing may only match the bet."""
    BET_BINDING = "bet_binding"
    """The player has bound himself to a bet and must finish it."""
    OUT_OF_TURN_LOCKED = "out_of_turn_locked"
    """The player acted out of turn; that act counts when the turn comes."""
