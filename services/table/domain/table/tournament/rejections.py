"""Every reason of a refusal at a tournament table, or at a cash table that a tournament asks."""

from libs.contracts.tournament_commands import TournamentReason as Reason

RULES: dict[str, dict[str, str]] = {
    "mo-97-2010": {
        Reason.NO_MONEY_IN_TOURNAMENT: "4.2",
        Reason.ORGANISERS_MATTER: "4.2",
        Reason.CHIPS_STAY: "4.2",
        Reason.HAS_CHIPS: "4.2",
    },
}
"""By regulation; what is not here is a house rule of ours."""
