"""The rules of no-draw poker in one place to start reading: what a player may ask, and why not (pt-803-2015)."""

from libs.contracts.bank_commands import BankedReason
from libs.contracts.no_draw_poker_commands import DecideHand, NoDrawReason, PlaceAnte, WithdrawAnte
from libs.contracts.no_draw_poker_events import SecondBetPlaced
from libs.decider import Rejected
from services.table.domain.games.banked import rounds
from services.table.domain.games.no_draw_poker.antes import open_betting, set_ante, surrender
from services.table.domain.games.no_draw_poker.finishing import finish_if_decided
from services.table.domain.games.no_draw_poker.state import NoDrawStory, Stakes
from services.table.domain.games.no_draw_poker.waking import tick
from services.table.domain.table.after_round import after_round
from services.table.domain.table.rejections import rejected


def place_ante(command: PlaceAnte, story: NoDrawStory) -> Rejected | None:
    """Within the bounds, before the betting closes; a new amount takes the place of the one before (14, 16)."""
    rules = story.rules
    sitter = rounds.player_of(story, staying=True)
    if isinstance(sitter, Rejected):
        return sitter
    refused = rounds.why_no_stake(story, command.round)
    if refused is not None:
        return rejected(refused, rules)
    if command.amount < rules.betting.min_ante:
        return rejected(NoDrawReason.ANTE_BELOW_MINIMUM, rules, f"an ante is at least {rules.betting.min_ante}")
    if command.amount > rules.betting.max_ante:
        return rejected(NoDrawReason.ANTE_ABOVE_MAXIMUM, rules, f"an ante is at most {rules.betting.max_ante}")
    stakes = story.state.stakes_of(sitter)
    if command.amount > sitter.stack + (stakes.ante if stakes is not None else 0):
        return rejected(BankedReason.ABOVE_STACK, rules)

    if story.state.round is None:
        open_betting(story)
    set_ante(story, sitter, command.amount)
    return None


def withdraw_ante(command: WithdrawAnte, story: NoDrawStory) -> Rejected | None:
    sitter = rounds.player_of(story)
    if isinstance(sitter, Rejected):
        return sitter
    refused = rounds.why_not_running(story, command.round)
    if refused is None and story.state.stakes_of(sitter) is None:
        refused = BankedReason.NO_STAKE
    if refused is not None:
        return rejected(refused, story.rules)

    set_ante(story, sitter, 0)
    after_round(story)  # With the last ante gone there is no round (2.e): what waited for its end may go on.
    return None


def decide_hand(command: DecideHand, story: NoDrawStory) -> Rejected | None:
    """Fold, or continue with twice the ante; all seats at once, whoever is first (20 to 23)."""
    stakes = _stakes_to_decide(command, story)
    if isinstance(stakes, Rejected):
        return stakes
    bet = story.rules.bet_of(stakes.ante)
    if command.decision == "continue" and command.bet is not None and command.bet != bet:
        return rejected(NoDrawReason.BET_IS_TWICE_THE_ANTE, story.rules, f"the second bet is {bet}")
    if command.decision == "continue" and bet > story.state.seats[stakes.seat].stack:
        return rejected(BankedReason.ABOVE_STACK, story.rules)

    tick(story)  # Past the decision time the warning stands before the decision (31).
    if command.decision == "continue":
        rounds.move_stake(story, stakes, SecondBetPlaced, "bet", bet)
    else:
        surrender(story, stakes.seat, "player")
    finish_if_decided(story)
    return None


def _stakes_to_decide(command: DecideHand, story: NoDrawStory) -> Stakes | Rejected:
    sitter = rounds.player_of(story)
    if isinstance(sitter, Rejected):
        return sitter
    playing, rules = story.state.round, story.rules
    if playing is None or command.round != playing.number:
        return rejected(BankedReason.WRONG_ROUND, rules)
    stakes: Stakes | None = story.state.stakes_of(sitter)
    if stakes is None:
        return rejected(BankedReason.NO_STAKE, rules)
    if playing.phase != "deciding":
        return rejected(NoDrawReason.NOT_DEALT, rules)
    if stakes.decision:
        return rejected(NoDrawReason.ALREADY_DECIDED, rules)
    if playing.warned and playing.until is not None and story.now >= playing.until:
        return rejected(NoDrawReason.TOO_LATE, rules)
    return stakes
