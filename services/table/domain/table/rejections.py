"""Every reason of a refusal at any table, whatever is played; a game has its own beside these."""

from collections.abc import Sequence
from enum import StrEnum

from libs.contracts.configurations import Configuration
from libs.contracts.table_commands import TableReason as Reason
from libs.decider import Rejected
from libs.rulebooks.rulebook import Refusal


def outside_rulebook(refusals: Sequence[Refusal]) -> Rejected:
    """A configuration that the rulebook does not allow: the rule of the first value, and all of them in words."""
    return Rejected(str(Reason.OUTSIDE_RULEBOOK), refusals[0].rule, "; ".join(map(str, refusals)))


def rejected(reason: StrEnum, configuration: Configuration | None = None, detail: str = "") -> Rejected:
    """The refusal with the rule of the table's regulation; without a configuration there is no regulation yet."""
    ref = configuration.rule_of(reason) if configuration is not None else None
    rule = f"{configuration.regulation}#{ref}" if configuration is not None and ref else None
    return Rejected(str(reason), rule, detail)
