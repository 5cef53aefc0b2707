"""Why a tournament refuses a command, with the number of the rule behind it."""

from collections.abc import Mapping

from libs.contracts.tournaments import REGULATION
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.decider import Rejected

_RULES: Mapping[Reason, str] = {
    Reason.TOURNAMENT_EXISTS: "FP-12",
    Reason.SAME_PERSON: "FP-12",
    Reason.OTHER_RULES: "FP-12",
    Reason.TOURNAMENT_OVER: "FP-20",
    Reason.REGISTRATION_CLOSED: "FP-20",
    Reason.ALREADY_REGISTERED: "FP-13",
    Reason.TOURNAMENT_FULL: "FP-20",
    Reason.UNREGISTERING_CLOSED: "24",
    Reason.WINDOW_CLOSED: "23",
    Reason.STACK_ABOVE_LIMIT: "FP-2",
    Reason.NOTHING_TO_DECLINE: "31",
    Reason.WRONG_MOMENT: "FP-14",
    Reason.CAUSE_NOT_ALLOWED: "35",
    Reason.UNKNOWN_TICKET: "FP-17",
    Reason.OTHER_VALUE: "32",
    Reason.NOT_TRANSFERABLE: "28",
    Reason.TICKET_SPENT: "FP-17",
    Reason.NOT_CONVERTIBLE: "28",
}


def rule(number: str) -> str:
    """As refusals cite it: `pt-810-2015#24`. A number of the game's own regulation says which."""
    return number if "#" in number else f"{REGULATION}#{number}"


def rejected(reason: Reason, number: str = "", detail: str = "") -> Rejected:
    """`number` of the rule where it is another than the reason's own."""
    found = number or _RULES.get(reason)
    return Rejected(reason.value, rule(found) if found else None, detail)
