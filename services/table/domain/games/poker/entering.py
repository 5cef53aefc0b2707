"""With how much one joins casino poker: the initial stack, the average, what one left with (14.h, 28, 75, 78)."""

from libs.contracts.poker_commands import PokerReason as Reason
from libs.decider import Rejected
from services.table.domain.games.game import refuse_buy_in
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.table.rejections import rejected


def refuse_amount(state: PokerTable, player: str, amount: int, now: int) -> Rejected | None:
    """Where the rulebook fixes no amount (`range`) the bounds of the configuration hold (pt-811-2015 8)."""
    rules = state.rules
    if rules.entry.rule == "range":
        return refuse_buy_in(state, player, amount, now)
    departure = state.departed(player, now)
    if departure is not None and departure.stack >= rules.least_stack:
        return _unless(amount == departure.stack, state, Reason.STACK_NOT_RESTORED, departure.stack)
    if not state.hands:
        fits = rules.entry.buy_in_min <= amount <= rules.entry.buy_in_max
        return _unless(fits, state, Reason.INITIAL_STACK, rules.entry.buy_in_min)
    required = stack_to_enter(state)
    return _unless(amount == required, state, Reason.ENTRY_STACK, required)


def stack_to_enter(state: PokerTable) -> int:
    """pt-217-2007 28, 78: the average of all seated stacks, down to the smallest chip, or the house's minimum."""
    rules = state.rules
    stacks = [sitter.stack for sitter in state.seats.values()]
    average = sum(stacks) // len(stacks) if stacks else rules.entry.buy_in_min
    average -= average % rules.betting.smallest_chip
    match rules.entry.rule:
        case "average":
            return average
        case "minimum":
            return rules.entry.minimum
        case _:
            return max(average, rules.entry.minimum)


def refuse_top_up(state: PokerTable, amount: int) -> Rejected | None:
    """pt-217-2007 75: the house fixes the amount in advance."""
    rebuy = state.rules.entry.rebuy
    return _unless(rebuy is None or amount == rebuy, state, Reason.REBUY_AMOUNT, rebuy or 0)


def least_top_up(state: PokerTable) -> int:
    """A house rule of ours: each leaves records for ever. Where the house fixes the amount there is none (75)."""
    return state.rules.betting.big_blind if state.rules.entry.rebuy is None else 1


def _unless(fits: bool, state: PokerTable, reason: Reason, required: int) -> Rejected | None:
    return None if fits else rejected(reason, state.rules, f"required: {required}")
