"""Every reason why a live table refuses a command, and the rule behind it."""

from enum import StrEnum


class Reason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NOT_THE_DEALER = "not_the_dealer"
    """Only the dealer assigned to the table may do this."""
    NOT_A_SUPERVISOR = "not_a_supervisor"
    """A supervisor decides; the dealer of the table can't."""
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
    """An incident waits for a supervisor; until then nothing else is taken."""
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
