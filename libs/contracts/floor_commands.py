"""Commands around the play at any table: lists, draws, conduct, messages, tips."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from libs.contracts.commands import PLAYER, POLICY, STAFF, Amount, Id, SeatNumber, TableCommand, Words

Sealed = Annotated[str, msgspec.Meta(min_length=1, max_length=4096, pattern=r"^[A-Za-z0-9+/=]+(?!\n)$")]
Suit = Literal["s", "h", "d", "c"]
_UpTo52 = msgspec.Meta(max_length=52)


class SendMessage(TableCommand):
    """What a player writes to the table; withheld until the hand is over, or blocked, as the table has it
    (pt-811-2015 11.d; pt-217-2007 14.j)."""

    may_ask = PLAYER
    example = {"message": "message-9", "sealed": "d2VsbCBwbGF5ZWQ="}
    message: Id
    sealed: Sealed
    """Base64 of what the gateway closed: no log can read it."""
    names_cards: bool = False
    """It looked like cards to the gateway."""


class WarnPlayer(TableCommand):
    """On record with who and why; at the table's limit the player leaves after the hand (pt-811-2015 11.g;
    pt-217-2007 58)."""

    may_ask = STAFF
    example = {"player": "alice", "rule": "14.j", "cause": "comments on a hand in progress"}
    player: Id
    rule: Annotated[str, msgspec.Meta(min_length=1, max_length=16)]
    """The rule that was broken."""
    cause: Words
    grave: bool = False
    """Out without further warnings (pt-217-2007 58)."""


class MutePlayer(TableCommand):
    """No more messages at this table."""

    may_ask = STAFF
    example = {"player": "alice", "cause": "insults"}
    player: Id
    cause: Words


class JoinWaitingList(TableCommand):
    """For a seat, now or when the table begins; seats are offered in the order of the list (pt-217-2007 8.a, 12.b;
    pt-811-2015 6.b)."""

    may_ask = PLAYER
    only_while_open = True
    example = {"entry": "entry-5"}
    entry: Id


class LeaveWaitingList(TableCommand):
    """Also gives up a seat that was offered."""

    may_ask = PLAYER


class AskSeatChange(TableCommand):
    """To a seat that is or becomes free; served before the waiting list, in the order of asking (pt-217-2007 12.a)."""

    may_ask = PLAYER
    only_while_open = True
    example = {"entry": "entry-6", "seat": 6}
    entry: Id
    seat: SeatNumber | None = None
    """Null: any."""


class DrawSeats(TableCommand):
    """By lot, among who is on the list (pt-217-2007 11, 27)."""

    may_ask = STAFF
    draws = True
    only_while_open = True


class DrawTables(TableCommand):
    """Everybody on this table's list, among this table and others, by suits (pt-217-2007 25)."""

    may_ask = STAFF
    draws = True
    only_while_open = True
    example = {"tables": ["table-2"]}
    tables: Annotated[list[Id], msgspec.Meta(min_length=1, max_length=3)]


class AssignPlaces(TableCommand):
    """The other tables hear of a draw of tables."""

    may_ask = (*POLICY, *STAFF)
    example = {
        "players": ["alice", "bob"],
        "suits": ["s", "h"],
        "tables": ["table-1", "table-2"],
        "drawn_at": "table-1",
    }
    players: Annotated[list[Id], _UpTo52]
    suits: Annotated[list[Suit], _UpTo52]
    tables: Annotated[list[Id], _UpTo52]
    drawn_at: Id


class AskTableChange(TableCommand):
    """To another table of a session, when all is lost (pt-217-2007 26)."""

    may_ask = PLAYER
    example = {"to_table": "table-2", "players_there": 4}
    to_table: Id
    players_there: Annotated[int, msgspec.Meta(ge=0, le=11)]
    """The house's own count at the other table."""


class AskFavour(TableCommand):
    """What no table grants: refused, on record, and the answer names the rule (pt-217-2007 14.c, 14.f, 14.g, 14.k)."""

    may_ask = PLAYER
    example = {"favour": "split_pot"}
    favour: Literal["split_pot", "move_chips", "take_chips_off", "swap_seats"]


class TipDealer(TableCommand):
    """Out of the stack, between hands; never part of a pot or of the commission (pt-217-2007 9.d)."""

    may_ask = PLAYER
    example = {"amount": 500}
    amount: Amount


class FloorReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    CHAT_CLOSED = "chat_closed"
    """The table has no chat."""
    MESSAGE_USED = "message_used"
    """This message id was used before."""
    ALREADY_WAITING = "already_waiting"
    """The player is on the waiting list already."""
    NOT_WAITING = "not_waiting"
    """The player is not on the waiting list."""
    ENTRY_USED = "entry_used"
    """This id of an entry in the waiting list was used before."""
    NOT_REGISTERED = "not_registered"
    """Only players who registered may sit down at a session table."""
    SEAT_OFFERED = "seat_offered"
    """The seat is kept for the player to whom it was offered."""
    WAIT_YOUR_TURN = "wait_your_turn"
    """Others on the waiting list come first."""
    SEAT_CLOSED = "seat_closed"
    """The seat is there and not played."""
    SEATS_BY_DRAW = "seats_by_draw"
    """The first seats are drawn by lot; nobody chooses one before."""
    NOBODY_REGISTERED = "nobody_registered"
    """There is nobody to draw a seat for."""
    NO_ENTROPY = "no_entropy"
    """The generator gave no healthy entropy, so nothing was drawn."""
    TABLE_ASSIGNED_BY_DRAW = "table_assigned_by_draw"
    """The draw gave the player another table."""
    NOT_A_SESSION_TABLE = "not_a_session_table"
    """A change of table is granted only at tables that are played in sessions."""
    STACK_NOT_LOST = "stack_not_lost"
    """A change of table is granted only to a player who has lost the stack."""
    WOULD_DROP_BELOW_MINIMUM = "would_drop_below_four"
    """The change would leave fewer players than the game needs."""
    WOULD_UNBALANCE = "would_unbalance"
    """The change would leave the tables with unequal numbers of players."""
    CHOP_NOT_ALLOWED = "chop_not_allowed"
    """Blinds or pots are not divided by agreement."""
    TRANSFER_NOT_ALLOWED = "transfer_not_allowed"
    """Chips are not handed from player to player."""
    WITHDRAW_WHILE_SEATED = "withdraw_while_seated"
    """Chips do not leave the table while their player stays."""
    SEAT_SWAP_NOT_ALLOWED = "seat_swap_not_allowed"
    """Players do not swap seats."""
    ABOVE_STACK = "tip_above_stack"
    """The tip is more than the stack."""
    HAND_RUNNING = "hand_running"
    """The player is in the running hand; ask when it is over."""
    REST_ABUSED = "rest_abused"
    """The player has rested too often in this game; a warning is on the record."""
    RATE_FIXED_FOR_GAME = "rake_fixed_for_game"
    """How and how much the house charges stays until the table closes."""
    OUTSIDE_AUTHORISATION = "outside_authorisation"
    """The table minimum is outside what the house is authorised to offer."""
    ENTRY_STACK = "entry_stack"
    """Who joins a running game brings exactly the amount in the detail."""
    INITIAL_STACK = "initial_stack"
    """The amount is not the initial stack of this table."""
    REBUY_AMOUNT = "rebuy_amount"
    """A top-up is exactly the amount in the detail."""
    STACK_NOT_RESTORED = "stack_not_restored"
    """Who comes back brings exactly what was taken away."""
