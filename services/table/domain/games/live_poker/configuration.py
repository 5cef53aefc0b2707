"""The rules of a table at which a human deals: which entry stands behind a refusal of the dealer's."""

from libs.contracts.live_commands import LiveReason as Reason
from services.table.domain.games.poker.configuration import PokerConfiguration

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


class LiveConfiguration(PokerConfiguration):
    def rule_of(self, reason: str) -> str | None:
        return super().rule_of(reason) or (RULES.get(reason) if self.regulation == REGULATION else None)
