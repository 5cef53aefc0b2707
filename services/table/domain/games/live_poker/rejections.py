"""Every reason why a live table says no, and the rule behind it."""

from enum import StrEnum


class Reason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NOT_THE_DEALER = "not_the_dealer"
    NOT_A_SUPERVISOR = "not_a_supervisor"
    PREVIOUS_HAND_OPEN = "previous_hand_open"
    HAND_CLOSED = "hand_closed"
    UNKNOWN_DECK = "unknown_deck"
    DECK_DAMAGED = "deck_damaged"
    DECKS_ALTERNATE = "decks_alternate"
    DECK_NOT_INSPECTED = "deck_not_inspected"
    DECK_NOT_CHECKED = "deck_not_checked"
    DECK_NOT_SOUND = "deck_not_sound"
    SHUFFLE_INCOMPLETE = "shuffle_incomplete"
    TOO_FEW_PLAYERS = "too_few_players"
    NO_ENTROPY = "no_entropy"
    NOT_AWAITED = "not_awaited"
    UNKNOWN_CARD = "unknown_card"
    UNKNOWN_CODE = "unknown_code"
    INCOMPLETE_REPORT = "incomplete_report"
    MISDEAL_WINDOW_OVER = "misdeal_window_over"
    NOTHING_TO_DECIDE = "nothing_to_decide"
    NO_SUCH_DECISION = "no_such_decision"
    SUPERVISOR_DECISION = "supervisor_decision"
    BLIND_NOT_POSTED = "blind_not_posted"
    NO_ERROR = "no_error"
    NOT_SHOWDOWN = "not_showdown"
    DISPUTE_OPEN = "dispute_open"
    CALL_ONLY_AFTER_EXPOSURE = "call_only_after_exposure"
    SKIPPED_PLAYER_CALL_ONLY = "skipped_player_call_only"
    BET_BINDING = "bet_binding"
    OUT_OF_TURN_LOCKED = "out_of_turn_locked"


RULES: dict[str, str] = {
    Reason.NOT_THE_DEALER: "9.a",
    Reason.PREVIOUS_HAND_OPEN: "68",
    Reason.HAND_CLOSED: "69",
    Reason.DECK_DAMAGED: "4",
    Reason.DECKS_ALTERNATE: "76",
    Reason.DECK_NOT_INSPECTED: "4",
    Reason.DECK_NOT_CHECKED: "31",
    Reason.DECK_NOT_SOUND: "31",
    Reason.SHUFFLE_INCOMPLETE: "31",
    Reason.TOO_FEW_PLAYERS: "24",
    Reason.MISDEAL_WINDOW_OVER: "71.h",
    Reason.BLIND_NOT_POSTED: "91",
    Reason.NOT_SHOWDOWN: "62",
    Reason.DISPUTE_OPEN: "8.c",
    Reason.CALL_ONLY_AFTER_EXPOSURE: "70.h",
    Reason.SKIPPED_PLAYER_CALL_ONLY: "71.i",
    Reason.BET_BINDING: "71.c",
    Reason.OUT_OF_TURN_LOCKED: "71.f",
}
"""Entries of the one regulation that has human dealers."""
REGULATION = "pt-217-2007"
