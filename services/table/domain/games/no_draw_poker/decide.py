"""The rules of no-draw poker in one place to start reading: what a player may ask, and why not (pt-803-2015)."""

from libs.contracts.bank_commands import BankedReason
from libs.contracts.no_draw_poker_commands import DecideHand, NoDrawReason, PlaceAnte, WithdrawAnte
from libs.contracts.no_draw_poker_events import SecondBetPlaced
from libs.decider import Rejected
from services.table.domain.games.banked import rounds
from services.table.domain.games.banked.idling import warn_again
from services.table.domain.games.banked.state import IdleSitter
from services.table.domain.games.no_draw_poker.antes import open_betting, set_ante, surrender
from services.table.domain.games.no_draw_poker.finishing import finish_if_decided
from services.table.domain.games.no_draw_poker.state import NoDrawStory, Stakes
from services.table.domain.games.no_draw_poker.waking import tick
from services.table.domain.table.after_round import after_round
from services.table.domain.table.handlers import of_sitter, of_stayer, unless
from services.table.domain.table.rejections import rejected


@of_stayer
@unless(rounds.no_stake_taken)
def place_ante(command: PlaceAnte, story: NoDrawStory, sitter: IdleSitter) -> Rejected | None:
    """Within the bounds, before the betting closes; a new amount takes the place of the one before (14, 16)."""
    rules = story.rules
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


@of_sitter
@unless(rounds.not_betting, rounds.nothing_staked)
def withdraw_ante(command: WithdrawAnte, story: NoDrawStory, sitter: IdleSitter) -> None:
    set_ante(story, sitter, 0)
    warn_again(story, sitter.seat)
    after_round(story)  # With the last ante gone there is no round (2.e): what waited for its end may go on.


def nothing_to_decide(command: DecideHand, story: NoDrawStory) -> Rejected | None:
    playing, rules = story.state.round, story.rules
    if playing is None or command.round != playing.number:
        return rejected(BankedReason.WRONG_ROUND, rules)
    stakes: Stakes | None = story.state.stakes_of(story.state.sitter_of(story.by))
    if stakes is None:
        return rejected(BankedReason.NO_STAKE, rules)
    if playing.phase != "deciding":
        return rejected(NoDrawReason.NOT_DEALT, rules)
    if stakes.decision:
        return rejected(NoDrawReason.ALREADY_DECIDED, rules)
    too_late = playing.warned and playing.until is not None and story.now >= playing.until
    return rejected(NoDrawReason.TOO_LATE, rules) if too_late else None


@of_sitter
@unless(nothing_to_decide)
def decide_hand(command: DecideHand, story: NoDrawStory, sitter: IdleSitter) -> Rejected | None:
    """Fold, or continue with twice the ante; all seats at once, whoever is first (20 to 23)."""
    stakes = story.state.running.stakes[sitter.seat]
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
