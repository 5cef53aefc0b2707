"""A round that can't be finished: void, and every stake goes back (pt-803-2015 33)."""

from libs.contracts.bank_commands import VoidRound
from libs.contracts.banked_rounds import RoundRefund
from libs.contracts.no_draw_poker_commands import NoDrawReason
from libs.contracts.no_draw_poker_events import RoundVoided
from libs.contracts.table_events import PlayerLeft
from libs.decider import Rejected
from services.table.domain.games.no_draw_poker.evolve import running
from services.table.domain.games.no_draw_poker.state import NoDrawTable, Stakes
from services.table.domain.games.no_draw_poker.story import NoDrawStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.rejections import rejected


def void_round(command: VoidRound, story: NoDrawStory) -> Rejected | None:
    """Staff. A round that was paid is over and beyond this (2.e)."""
    if not story.state.in_round:
        return rejected(NoDrawReason.NO_ROUND, story.state.configuration)
    if command.round != running(story.state).number:
        return rejected(NoDrawReason.WRONG_ROUND, story.state.configuration)
    void(story, command.cause, story.by)
    return None


def void(story: NoDrawStory, cause: str, by: str) -> None:
    """`by`: staff, or `house`. Folded seats are refunded too: the round is common to all (5)."""
    before = running(story.state)
    all_stakes = [stakes for _, stakes in sorted(before.stakes.items())]
    gone = [stakes for stakes in all_stakes if not story.state.still_seated(stakes)]
    story.tell(
        RoundVoided(
            cause=cause,
            by=by,
            refunds=[_refund(story.state, stakes) for stakes in all_stakes],
            currency=story.rules.currency,
        )
    )
    for stakes in gone:
        _send_after(story, stakes)
    after_round(story)


def _refund(state: NoDrawTable, stakes: Stakes) -> RoundRefund:
    stack = state.seats[stakes.seat].stack if state.still_seated(stakes) else 0
    return RoundRefund(stakes.seat, stakes.player, stakes.reservation, stakes.staked, stack + stakes.staked)


def _send_after(story: NoDrawStory, stakes: Stakes) -> None:
    """Who left during the round has no stack any more: the refund goes home on its own."""
    story.tell(
        PlayerLeft(
            reservation=stakes.reservation,
            player=stakes.player,
            seat=stakes.seat,
            stack=stakes.staked,
            currency=story.rules.currency,
            reason="player",
        )
    )
