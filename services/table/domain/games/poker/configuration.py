"""What follows from an operator's choices for a poker table; they stand in `libs/contracts/poker_configuration.py`.

The rule behind each refusal at a poker table, by regulation.
"""

from libs.contracts import poker_configuration as chosen
from libs.contracts.conduct_commands import ConductReason as Conduct
from libs.contracts.draw_commands import DrawReason as Draw
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.table_commands import TableReason as AtTable
from libs.contracts.tournament_commands import TournamentReason as AtTournament
from libs.contracts.waiting_list_commands import WaitingListReason as Waiting
from libs.money.rates import BASIS_POINTS

_RULES: dict[str, dict[str, str]] = {
    "pt-811-2015": {
        AtTable.VERSION_NOT_NEWER: "enact.3",
        AtTable.ALREADY_SEATED: "9",
        AtTable.NO_SUCH_SEAT: "5",
        AtTable.BUY_IN_BELOW_MINIMUM: "8",
        AtTable.BUY_IN_ABOVE_MAXIMUM: "8",
        AtTable.REENTRY_BELOW_STACK: "11.a",
        AtTable.ABOVE_CEILING: "2.q",
        Reason.TOO_LATE: "43",
        Reason.CANNOT_CHECK: "34.b",
        Reason.RAISE_CAP: "38",
        Reason.NOT_REOPENED: "37",
        Reason.NOBODY_TO_ANSWER: "37",
        Reason.ABOVE_STACK: "24.c",
        Reason.BELOW_MIN: "23",
        Conduct.CHAT_CLOSED: "11.d",
        Conduct.TRANSFER_NOT_ALLOWED: "11.a",
        Conduct.WITHDRAW_WHILE_SEATED: "11.a",
        Conduct.CHOP_NOT_ALLOWED: "28",
        Waiting.NOT_REGISTERED: "6.b",
        Waiting.WAIT_YOUR_TURN: "6.b",
        Waiting.SEAT_OFFERED: "6.b",
    },
    "mo-97-2010": {
        AtTable.VERSION_NOT_NEWER: "order.2",
        AtTable.NO_SUCH_SEAT: "2.1",
        AtTable.REENTRY_BELOW_STACK: "4.2",
        Reason.CANNOT_CHECK: "7.3.2",
        Reason.RAISE_CAP: "12.2",
        Reason.NOT_REOPENED: "12.1",
        Reason.ABOVE_STACK: "4.1",
        Reason.ACTION_FINAL: "11.1",
        Reason.TOO_LATE_TO_CORRECT: "9.2",
        Reason.NOTHING_TO_CORRECT: "9.1",
        Reason.BELOW_MIN: "12.1",
        Conduct.WITHDRAW_WHILE_SEATED: "4.2",
        Conduct.TRANSFER_NOT_ALLOWED: "4.2",
        Conduct.CHOP_NOT_ALLOWED: "10.3",
        AtTournament.NO_MONEY_IN_TOURNAMENT: "4.2",
        AtTournament.ORGANISERS_MATTER: "4.2",
        AtTournament.CHIPS_STAY: "4.2",
        AtTournament.HAS_CHIPS: "4.2",
    },
    "pt-217-2007": {
        AtTable.VERSION_NOT_NEWER: "22",
        AtTable.NOT_IN_THIS_MODE: "FP-6",
        AtTable.ALREADY_SEATED: "10",
        AtTable.SEAT_TAKEN: "10",
        AtTable.NO_SUCH_SEAT: "6",
        AtTable.SEAT_CLOSED: "6",
        AtTable.BUY_IN_BELOW_MINIMUM: "75",
        AtTable.BUY_IN_ABOVE_MAXIMUM: "75",
        AtTable.REENTRY_BELOW_STACK: "14.h",
        AtTable.ABOVE_CEILING: "75",
        Reason.NOT_YOUR_SEAT: "14.l",
        Reason.NOT_YOUR_TURN: "9.e",
        Reason.TOO_LATE: "71.a",
        Reason.CANNOT_CHECK: "39.b",
        Reason.RAISE_CAP: "87",
        Reason.NOT_REOPENED: "FP-2",
        Reason.NOBODY_TO_ANSWER: "FP-1",
        Reason.ABOVE_STACK: "21.c",
        Reason.BELOW_MIN: "86",
        Reason.NOT_LEAD_SEAT: "23",
        Reason.VARIANT_NOT_OFFERED: "23",
        Reason.HAND_UNDER_WAY: "23",
        Reason.ACTION_FINAL: "53",
        Reason.REST_ABUSED: "13",
        Reason.RATE_FIXED_FOR_GAME: "7",
        Reason.OUTSIDE_AUTHORISATION: "22",
        Reason.ENTRY_STACK: "28",
        Reason.INITIAL_STACK: "75",
        Reason.REBUY_AMOUNT: "75",
        Reason.STACK_NOT_RESTORED: "14.h",
        Conduct.CHAT_CLOSED: "14.j",
        Conduct.CHOP_NOT_ALLOWED: "14.c",
        Conduct.TRANSFER_NOT_ALLOWED: "14.f",
        Conduct.WITHDRAW_WHILE_SEATED: "14.g",
        Conduct.SEAT_SWAP_NOT_ALLOWED: "14.k",
        Waiting.WAIT_YOUR_TURN: "12.b",
        Waiting.SEAT_OFFERED: "12.b",
        Waiting.SEATS_BY_DRAW: "11",
        Waiting.NOT_REGISTERED: "74",
        Draw.DRAWN_ALREADY: "25",
        Draw.TABLE_ASSIGNED_BY_DRAW: "25",
        Draw.NOT_A_SESSION_TABLE: "26",
        Draw.STACK_NOT_LOST: "26",
        Draw.WOULD_DROP_BELOW_MINIMUM: "26",
        Draw.WOULD_UNBALANCE: "26",
    },
}
"""Regulation to reason to rule. What is missing is a house rule of ours, or has no rule there."""

_MAX_RULES: dict[str, dict[str, str]] = {
    "pt-811-2015": {"pot_limit": "24.b", "limit_half_pot": "24.a", "limit_raise_count": "24.a", "no_limit": "24.c"},
    "mo-97-2010": {"pot_limit_with_raise_cap": "11.2.3", "no_limit": "4.1"},
    "pt-217-2007": {"pot_limit": "21.b", "limit_half_pot": "21.a", "no_limit": "21.c"},
}
"""Regulation to structure to the rule of its largest bet."""


class PokerConfiguration(chosen.PokerConfiguration):
    @property
    def least_players(self) -> int:
        return self.entry.min_players

    @property
    def acts_for_the_absent(self) -> bool:
        """Else the hand waits, and a supervisor decides on the report of who deals. Where nobody deals nobody reports:
        a table that was opened so before 2026-11-29 has its clock act."""
        return self.timing.timer_action != "none" or self.dealing.dealer == "virtual"

    @property
    def least_stack(self) -> int:
        """Who has less is not dealt in (pt-811-2015 15; `one_chip` is the practice of the field)."""
        return self.betting.big_blind if self.entry.stack == "big_blind" else 1

    @property
    def played_seats(self) -> int:
        return self.entry.open_seats or self.seats

    @property
    def rakes_pots(self) -> bool:
        return self.rake.mode == "pot"

    def commission_on(self, amount: int, uncharged: int = 0) -> tuple[int, int]:
        """pt-811-2015 17.b: in buy-in mode a part of every buy-in and top-up. It is rounded down of all that a sitting
        pays: of each alone many small top-ups would be charged nothing."""
        if self.rake.mode != "buy_in":
            return super().commission_on(amount, uncharged)
        return divmod(uncharged + amount * self.rake.bp, BASIS_POINTS)

    def rule_of(self, reason: str) -> str | None:
        """Number of the rule behind a refusal; None without a regulation, and where it has none."""
        if reason == Reason.ABOVE_MAX:
            return _MAX_RULES.get(self.regulation, {}).get(self.betting.structure)
        return _RULES.get(self.regulation, {}).get(reason)
