"""The rules of baccarat in one place to start reading: what a player may ask, and why not (pt-812-2015)."""

from libs.contracts.baccarat_commands import BaccaratReason, Chance, PlaceStake, WithdrawStake
from libs.contracts.baccarat_events import CoupOpened, StakePlaced, StakeWithdrawn
from libs.contracts.bank_commands import BankedReason
from libs.contracts.table_events import LeaveRequested
from libs.decider import Rejected
from services.table.domain.games.baccarat.finishing import finish
from services.table.domain.games.baccarat.limits import broken_by
from services.table.domain.games.baccarat.state import BaccaratStory
from services.table.domain.games.banked import rounds
from services.table.domain.games.banked.evolve import running
from services.table.domain.games.banked.idling import warn_again
from services.table.domain.games.banked.state import IdleSitter
from services.table.domain.table.after_round import after_round
from services.table.domain.table.handlers import of_stayer, unless
from services.table.domain.table.rejections import rejected


@of_stayer
@unless(rounds.no_stake_taken)
def place_stake(command: PlaceStake, story: BaccaratStory, sitter: IdleSitter) -> Rejected | None:
    """Adds to what the player has on the chance; checked whole, refused whole (9 to 15, 40 to 43)."""
    if (broken := _broken(story, sitter, command.chance, command.amount)) is not None:
        return broken
    if command.amount > sitter.stack:
        return rejected(BankedReason.ABOVE_STACK, story.rules)

    if story.state.round is None:
        open_betting(story)
    total = _staked(story, sitter, command.chance) + command.amount
    rounds.move_stake(story, sitter, StakePlaced, command.chance, total)
    return None


@of_stayer
@unless(rounds.not_betting)
def withdraw_stake(command: WithdrawStake, story: BaccaratStory, sitter: IdleSitter) -> Rejected | None:
    """Up to the close; what is left has to be a lawful set of bets, the table's too (readings of 13, 27, 43.a)."""
    staked = _staked(story, sitter, command.chance)
    amount = command.amount if command.amount is not None else staked
    if amount == 0 or amount > staked:
        return rejected(BaccaratReason.NOT_STAKED, story.rules)
    if (broken := _broken(story, sitter, command.chance, -amount)) is not None:
        return broken

    rounds.move_stake(story, sitter, StakeWithdrawn, command.chance, staked - amount)
    warn_again(story, sitter.seat)
    after_round(story)  # With the last stake gone there is no round (2.c): what waited for its end may go on.
    return None


def leave(story: BaccaratStory, sitter: IdleSitter) -> None:
    """Always accepted; the stake stands and the coup is settled in the player's absence (reading of 34)."""
    story.tell(LeaveRequested(player=sitter.player, seat=sitter.seat))
    if running(story.state).until is None:
        finish(story)


def open_betting(story: BaccaratStory) -> None:
    """With one deadline (5, 27); a single player has none, he deals (28)."""
    limits, betting_ms = story.rules.betting, story.rules.timing.betting_ms
    rounds.tell_opened(
        story,
        CoupOpened,
        shoe=story.state.in_use.number,
        commission_mode=limits.commission_mode,
        min_bet=limits.min_bet,
        until=story.now + betting_ms if betting_ms is not None else None,
    )


def _staked(story: BaccaratStory, sitter: IdleSitter, chance: Chance) -> int:
    stakes = story.state.stakes_of(sitter)
    return stakes.on.get(chance, 0) if stakes is not None else 0


def _broken(story: BaccaratStory, sitter: IdleSitter, chance: Chance, change: int) -> Rejected | None:
    coup, stakes = story.state.round, story.state.stakes_of(sitter)
    rules = coup.rules if coup is not None else story.rules
    own = stakes.on if stakes is not None else {}
    broken = broken_by(rules, own, coup.totals if coup is not None else {}, chance, change)
    return rejected(broken.reason, rules, broken.detail) if broken is not None else None
