"""Every reason of a refusal around the play: waiting list, draws, chat, favours, stacks to enter with."""

from libs.contracts.floor_commands import FloorReason as Reason
from services.table.domain.table.tournament.rejections import RULES as IN_TOURNAMENT

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
