"""Every reason of a refusal around the play: waiting list, draws, chat, favours, stacks to enter with."""

from enum import StrEnum

from services.table.domain.table.tournament.rejections import RULES as IN_TOURNAMENT


class Reason(StrEnum):
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


RULES: dict[str, dict[str, str]] = {
    "pt-217-2007": {
        Reason.CHAT_CLOSED: "14.j",
        Reason.WAIT_YOUR_TURN: "12.b",
        Reason.SEAT_OFFERED: "12.b",
        Reason.SEATS_BY_DRAW: "11",
        Reason.TABLE_ASSIGNED_BY_DRAW: "25",
        Reason.NOT_A_SESSION_TABLE: "26",
        Reason.STACK_NOT_LOST: "26",
        Reason.WOULD_DROP_BELOW_MINIMUM: "26",
        Reason.WOULD_UNBALANCE: "26",
        Reason.CHOP_NOT_ALLOWED: "14.c",
        Reason.TRANSFER_NOT_ALLOWED: "14.f",
        Reason.WITHDRAW_WHILE_SEATED: "14.g",
        Reason.SEAT_SWAP_NOT_ALLOWED: "14.k",
        Reason.REST_ABUSED: "13",
        Reason.RATE_FIXED_FOR_GAME: "7",
        Reason.OUTSIDE_AUTHORISATION: "22",
        Reason.ENTRY_STACK: "28",
        Reason.INITIAL_STACK: "75",
        Reason.REBUY_AMOUNT: "75",
        Reason.STACK_NOT_RESTORED: "14.h",
        Reason.NOT_REGISTERED: "74",
    },
    "pt-811-2015": {
        Reason.CHAT_CLOSED: "11.d",
        Reason.NOT_REGISTERED: "6.b",
        Reason.WAIT_YOUR_TURN: "6.b",
        Reason.SEAT_OFFERED: "6.b",
        Reason.TRANSFER_NOT_ALLOWED: "11.a",
        Reason.WITHDRAW_WHILE_SEATED: "11.a",
        Reason.CHOP_NOT_ALLOWED: "11.c",
    },
    "mo-97-2010": {
        Reason.WITHDRAW_WHILE_SEATED: "4.2",
        Reason.TRANSFER_NOT_ALLOWED: "4.2",
        **IN_TOURNAMENT["mo-97-2010"],
    },
}
"""By regulation; what is not here is a house rule of ours."""
