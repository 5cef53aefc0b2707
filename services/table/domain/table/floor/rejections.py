"""Every reason why the floor says no."""

from enum import StrEnum

from services.table.domain.table.tournament.rejections import RULES as IN_TOURNAMENT


class Reason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    CHAT_CLOSED = "chat_closed"
    MESSAGE_USED = "message_used"
    ALREADY_WAITING = "already_waiting"
    NOT_WAITING = "not_waiting"
    ENTRY_USED = "entry_used"
    NOT_REGISTERED = "not_registered"
    REGISTRATION_CLOSED = "registration_closed"
    SEAT_OFFERED = "seat_offered"
    WAIT_YOUR_TURN = "wait_your_turn"
    SEAT_CLOSED = "seat_closed"
    SEATS_BY_DRAW = "seats_by_draw"
    NOBODY_REGISTERED = "nobody_registered"
    NO_ENTROPY = "no_entropy"
    TABLE_ASSIGNED_BY_DRAW = "table_assigned_by_draw"
    NOT_A_SESSION_TABLE = "not_a_session_table"
    STACK_NOT_LOST = "stack_not_lost"
    WOULD_DROP_BELOW_MINIMUM = "would_drop_below_four"
    WOULD_UNBALANCE = "would_unbalance"
    CHOP_NOT_ALLOWED = "chop_not_allowed"
    TRANSFER_NOT_ALLOWED = "transfer_not_allowed"
    WITHDRAW_WHILE_SEATED = "withdraw_while_seated"
    SEAT_SWAP_NOT_ALLOWED = "seat_swap_not_allowed"
    ABOVE_STACK = "tip_above_stack"
    HAND_RUNNING = "hand_running"
    REST_ABUSED = "rest_abused"
    RATE_FIXED_FOR_GAME = "rake_fixed_for_game"
    OUTSIDE_AUTHORISATION = "outside_authorisation"
    ENTRY_STACK = "entry_stack"
    INITIAL_STACK = "initial_stack"
    REBUY_AMOUNT = "rebuy_amount"
    STACK_NOT_RESTORED = "stack_not_restored"


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
