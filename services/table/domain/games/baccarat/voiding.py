"""A coup that can't be finished: void, and every stake goes back (pt-812-2015 29)."""

from libs.contracts.baccarat_commands import BaccaratReason
from libs.contracts.baccarat_events import CoupVoided
from libs.contracts.bank_commands import VoidRound
from libs.contracts.banked_rounds import RoundRefund
from libs.decider import Rejected
from services.table.domain.games.baccarat.evolve import running
from services.table.domain.games.baccarat.story import BaccaratStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.rejections import rejected


def void_round(command: VoidRound, story: BaccaratStory) -> Rejected | None:
    """Staff: before the cards; a coup that has been dealt is paid in the same moment and can't be undone."""
    if not story.state.in_round:
        return rejected(BaccaratReason.NO_COUP, story.rules)
    if command.round != running(story.state).number:
        return rejected(BaccaratReason.WRONG_ROUND, story.rules)
    void(story, command.cause, story.by)
    return None


def void(story: BaccaratStory, cause: str, by: str) -> None:
    """`by`: staff, or `house`. It is never resumed afterwards."""
    coup, seats = running(story.state), story.state.seats
    story.tell(
        CoupVoided(
            cause=cause,
            by=by,
            refunds=[
                RoundRefund(s.seat, s.player, s.reservation, s.staked, seats[s.seat].stack + s.staked)
                for _, s in sorted(coup.stakes.items())
            ],
            currency=coup.rules.currency,
        )
    )
    after_round(story)
