"""With how much one sits down: between the bounds, and who comes back with what was taken away (pt-811-2015 8, 10)."""

from libs.contracts.table_commands import TableReason as Reason
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Table


def refuse_buy_in(state: Table, player: str, amount: int, now: int) -> Rejected | None:
    rules = state.rules
    lowest, highest = buy_in_bounds(state, player, now)
    if amount < lowest:
        below_stack = lowest > rules.entry.buy_in_min
        return rejected(Reason.REENTRY_BELOW_STACK if below_stack else Reason.BUY_IN_BELOW_MINIMUM, rules)
    return rejected(Reason.BUY_IN_ABOVE_MAXIMUM, rules) if amount > highest else None


def buy_in_bounds(state: Table, player: str, now: int) -> tuple[int, int]:
    """pt-811-2015 10: who returns within the window brings at least what was taken away, even above the maximum."""
    rules = state.rules
    departure = state.departures.get(player)
    if departure is None or now - departure.at > rules.timing.reentry_ms:
        return rules.entry.buy_in_min, rules.entry.buy_in_max
    return max(rules.entry.buy_in_min, departure.stack), max(rules.entry.buy_in_max, departure.stack)
