"""The rules of no-draw poker in one place to start reading: what a player may ask, and why not (pt-803-2015)."""

from libs.contracts.bank_commands import DealRound
from libs.contracts.no_draw_poker_commands import DecideHand, NoDrawReason, PlaceAnte, WithdrawAnte
from libs.contracts.no_draw_poker_events import SecondBetPlaced
from libs.contracts.table_commands import TableReason as Reason
from libs.decider import Rejected
from services.table.domain.games.no_draw_poker.betting import close_betting, is_open, may_open, open_betting, set_ante
from services.table.domain.games.no_draw_poker.finishing import finish_if_decided
from services.table.domain.games.no_draw_poker.folding import fold
from services.table.domain.games.no_draw_poker.state import Stakes
from services.table.domain.games.no_draw_poker.story import NoDrawStory
from services.table.domain.games.no_draw_poker.waking import tick
from services.table.domain.table.after_round import after_round
from services.table.domain.table.rejections import rejected


def place_ante(command: PlaceAnte, story: NoDrawStory) -> Rejected | None:
    """Within the bounds, before the betting closes; a new amount takes the place of the one before (14, 16)."""
    state, rules = story.state, story.rules
    sitter = state.sitter_of(story.by)
    if sitter is None:
        return rejected(Reason.NOT_SEATED, rules)
    if sitter.leaving is not None:
        return rejected(Reason.LEAVING, rules)
    refused = _not_open(story, command.round)
    if refused is not None:
        return rejected(refused, rules)
    if command.amount < rules.betting.min_ante:
        return rejected(NoDrawReason.ANTE_BELOW_MINIMUM, rules, f"an ante is at least {rules.betting.min_ante}")
    if command.amount > rules.betting.max_ante:
        return rejected(NoDrawReason.ANTE_ABOVE_MAXIMUM, rules, f"an ante is at most {rules.betting.max_ante}")
    stakes = state.stakes_of(sitter)
    if command.amount > sitter.stack + (stakes.ante if stakes is not None else 0):
        return rejected(NoDrawReason.ABOVE_STACK, rules)

    if state.round is None:
        open_betting(story)
    set_ante(story, story.state.seats[sitter.seat], command.amount)
    return None


def _not_open(story: NoDrawStory, number: int | None) -> NoDrawReason | None:
    """Why no ante is taken now. After a period without a bet, or before the next opens by itself, a bet opens it."""
    state = story.state
    if number is not None and number != state.last_round + (state.round is None):
        return NoDrawReason.WRONG_ROUND
    if state.round is None and state.bank < state.rules.worst_case:
        return NoDrawReason.BANK_TOO_SMALL
    if state.round is None:
        return None if may_open(state) else NoDrawReason.NOT_BETTING_YET
    return None if is_open(state, story.now) else NoDrawReason.BETTING_IS_CLOSED


def withdraw_ante(command: WithdrawAnte, story: NoDrawStory) -> Rejected | None:
    refused = _no_own_ante(command, story)
    if refused is not None:
        return rejected(refused, story.rules)

    sitter = story.state.sitter_of(story.by)
    assert sitter is not None
    set_ante(story, story.state.seats[sitter.seat], 0)
    after_round(story)  # With the last ante gone there is no round (2.e): what waited for its end may go on.
    return None


def deal_round(command: DealRound, story: NoDrawStory) -> Rejected | None:
    """No countdown is awaited: the bets are closed and the deal is due at once (15)."""
    if story.rules.mode != "single":
        return rejected(NoDrawReason.DEALT_BY_THE_CLOCK, story.rules)
    refused = _no_own_ante(command, story)
    if refused is not None:
        return rejected(refused, story.rules)

    close_betting(story)
    return None


def _no_own_ante(command: WithdrawAnte | DealRound, story: NoDrawStory) -> Reason | NoDrawReason | None:
    state = story.state
    sitter = state.sitter_of(story.by)
    if sitter is None:
        return Reason.NOT_SEATED
    if state.round is None or command.round != state.round.number:
        return NoDrawReason.WRONG_ROUND
    if not is_open(state, story.now):
        return NoDrawReason.BETTING_IS_CLOSED
    return NoDrawReason.NO_ANTE if state.stakes_of(sitter) is None else None


def decide_hand(command: DecideHand, story: NoDrawStory) -> Rejected | None:
    """Fold, or continue with twice the ante; all seats at once, whoever is first (20 to 23)."""
    stakes = _stakes_to_decide(command, story)
    if isinstance(stakes, Rejected):
        return stakes
    if command.decision == "continue":
        bet = story.rules.bet_of(stakes.ante)
        if command.bet is not None and command.bet != bet:
            return rejected(NoDrawReason.BET_IS_TWICE_THE_ANTE, story.rules, f"the second bet is {bet}")
        if bet > story.state.seats[stakes.seat].stack:
            return rejected(NoDrawReason.ABOVE_STACK, story.rules)

    tick(story)  # Past the decision time the warning stands before the decision (31).
    if command.decision == "continue":
        _bet(story, stakes)
    else:
        fold(story, stakes.seat, "player")
    finish_if_decided(story)
    return None


def _stakes_to_decide(command: DecideHand, story: NoDrawStory) -> Stakes | Rejected:
    state, rules = story.state, story.rules
    sitter = state.sitter_of(story.by)
    if sitter is None:
        return rejected(Reason.NOT_SEATED, rules)
    playing = state.round
    if playing is None or command.round != playing.number:
        return rejected(NoDrawReason.WRONG_ROUND, rules)
    stakes = state.stakes_of(sitter)
    if stakes is None:
        return rejected(NoDrawReason.NO_ANTE, rules)
    if playing.phase != "deciding":
        return rejected(NoDrawReason.NOT_DEALT, rules)
    if stakes.decision:
        return rejected(NoDrawReason.ALREADY_DECIDED, rules)
    if playing.warned and playing.until is not None and story.now >= playing.until:
        return rejected(NoDrawReason.TOO_LATE, rules)
    return stakes


def _bet(story: NoDrawStory, stakes: Stakes) -> None:
    bet = story.rules.bet_of(stakes.ante)
    story.tell(
        SecondBetPlaced(
            seat=stakes.seat,
            player=stakes.player,
            reservation=stakes.reservation,
            area="bet",
            amount=bet,
            total=bet,
            stack=story.state.seats[stakes.seat].stack - bet,
            currency=story.rules.currency,
        )
    )
