"""The rules of baccarat in one place to start reading: what a player may ask, and why not (pt-812-2015)."""

from libs.contracts.baccarat_commands import BaccaratReason, Chance, PlaceStake, WithdrawStake
from libs.contracts.bank_commands import DealRound
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import LeaveRequested
from libs.decider import Rejected
from services.table.domain.games.baccarat.betting import is_open, may_open_with_a_bet, move_stake, open_betting
from services.table.domain.games.baccarat.evolve import running
from services.table.domain.games.baccarat.finishing import finish
from services.table.domain.games.baccarat.limits import broken_by
from services.table.domain.games.baccarat.story import BaccaratStory
from services.table.domain.games.banked import IdleSitter
from services.table.domain.table.after_round import after_round
from services.table.domain.table.rejections import rejected


def place_stake(command: PlaceStake, story: BaccaratStory) -> Rejected | None:
    """Adds to what the player has on the chance; checked whole, refused whole (9 to 15, 40 to 43)."""
    sitter = _player(story)
    if isinstance(sitter, Rejected):
        return sitter
    refused = _not_open(story, command.round)
    if refused is not None:
        return rejected(refused, story.rules)
    broken = _broken(story, sitter, command.chance, command.amount)
    if broken is not None:
        return broken
    if command.amount > sitter.stack:
        return rejected(BaccaratReason.ABOVE_STACK, story.rules)

    if story.state.coup is None:
        open_betting(story)
    move_stake(story, story.state.seats[sitter.seat], command.chance, command.amount)
    return None


def withdraw_stake(command: WithdrawStake, story: BaccaratStory) -> Rejected | None:
    """Up to the close; what is left has to be a lawful set of bets, the table's too (readings of 13, 27, 43.a)."""
    sitter = _player(story)
    if isinstance(sitter, Rejected):
        return sitter
    refused = _not_running(story, command.round)
    if refused is not None:
        return rejected(refused, story.rules)
    stakes = story.state.stakes_of(sitter)
    staked = stakes.on.get(command.chance, 0) if stakes is not None else 0
    amount = command.amount if command.amount is not None else staked
    if amount == 0 or amount > staked:
        return rejected(BaccaratReason.NOT_STAKED, story.rules)
    broken = _broken(story, sitter, command.chance, -amount)
    if broken is not None:
        return broken

    move_stake(story, sitter, command.chance, -amount)
    after_round(story)  # With the last stake gone there is no round (2.c): what waited for its end may go on.
    return None


def deal_round(command: DealRound, story: BaccaratStory) -> Rejected | None:
    """The single player waits for no clock (28)."""
    sitter = _player(story)
    if isinstance(sitter, Rejected):
        return sitter
    if story.rules.mode != "single":
        return rejected(BaccaratReason.DEALT_BY_THE_CLOCK, story.rules)
    refused = _not_running(story, command.round)
    if refused is not None:
        return rejected(refused, story.rules)
    if story.state.stakes_of(sitter) is None:
        return rejected(BaccaratReason.NO_STAKE, story.rules)

    finish(story)
    return None


def leave(story: BaccaratStory, sitter: IdleSitter) -> None:
    """Always accepted; the stake stands and the coup is settled in the player's absence (reading of 34)."""
    story.tell(LeaveRequested(player=sitter.player, seat=sitter.seat))
    if running(story.state).until is None:
        finish(story)


def _player(story: BaccaratStory) -> IdleSitter | Rejected:
    sitter = story.state.sitter_of(story.by)
    if sitter is None:
        return rejected(Reason.NOT_SEATED, story.rules)
    if sitter.leaving is not None:
        return rejected(Reason.LEAVING, story.rules)
    assert isinstance(sitter, IdleSitter)
    return sitter


def _not_open(story: BaccaratStory, number: int | None) -> BaccaratReason | None:
    """Why no stake is taken now. After a period without a bet, or before the next opens by itself, a bet opens it."""
    state = story.state
    if number is not None and number != state.last_round + (state.coup is None):
        return BaccaratReason.WRONG_ROUND
    if state.coup is None:
        return None if may_open_with_a_bet(state) else BaccaratReason.NO_COUP
    return None if is_open(state, story.now) else BaccaratReason.BETTING_IS_CLOSED


def _not_running(story: BaccaratStory, number: int) -> BaccaratReason | None:
    if story.state.coup is None or number != story.state.coup.number:
        return BaccaratReason.WRONG_ROUND
    return None if is_open(story.state, story.now) else BaccaratReason.BETTING_IS_CLOSED


def _broken(story: BaccaratStory, sitter: IdleSitter, chance: Chance, change: int) -> Rejected | None:
    coup, stakes = story.state.coup, story.state.stakes_of(sitter)
    rules = coup.rules if coup is not None else story.rules
    own = stakes.on if stakes is not None else {}
    broken = broken_by(rules, own, coup.totals if coup is not None else {}, chance, change)
    return rejected(broken.reason, rules, broken.detail) if broken is not None else None
