"""Every reason of a refusal at a tournament table, or at a cash table that a tournament asks."""

from enum import StrEnum


class Reason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NOT_A_TOURNAMENT_TABLE = "not_a_tournament_table"
    """A tournament asked a cash table."""
    OTHER_TOURNAMENT = "other_tournament"
    """The table belongs to another tournament."""
    NO_MONEY_IN_TOURNAMENT = "no_money_in_tournament"
    """No money comes to or leaves a tournament table."""
    ORGANISERS_MATTER = "organisers_matter"
    """Seats and limits of a tournament are its organiser's matter."""
    CHIPS_STAY = "chips_stay_in_tournament"
    """Nobody takes chips off a tournament table."""
    HAS_CHIPS = "has_chips"
    """An entrant who has chips can't be eliminated."""


RULES: dict[str, dict[str, str]] = {
    "mo-97-2010": {
        Reason.NO_MONEY_IN_TOURNAMENT: "4.2",
        Reason.ORGANISERS_MATTER: "4.2",
        Reason.CHIPS_STAY: "4.2",
        Reason.HAS_CHIPS: "4.2",
    },
}
"""By regulation; what is not here is a house rule of ours."""
