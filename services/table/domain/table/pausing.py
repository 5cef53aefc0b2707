"""Pausing and resuming a table, by staff or by the house itself; a running round is finished first."""

from typing import TypeVar

from libs.contracts.table_commands import PauseTable, ResumeTable
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import ENTROPY_UNHEALTHY, TablePaused, TableResumed
from libs.decider import Rejected
from services.table.domain.games.game import Fresh
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory

FreshT = TypeVar("FreshT", bound=Fresh)


def pause_table(command: PauseTable, story: AnyStory) -> Rejected | None:
    if story.state.paused:
        return rejected(Reason.ALREADY_PAUSED, story.rules)
    story.tell(TablePaused(by=story.by, reason=command.reason))
    return None


def resume_table(command: ResumeTable, story: AnyStory) -> Rejected | None:
    if not story.state.paused:
        return rejected(Reason.NOT_PAUSED, story.rules)
    story.tell(TableResumed(by=story.by))
    return None


def fresh_or_pause(story: AnyStory, kind: type[FreshT]) -> FreshT | None:
    """Entropy for a round that is due. Without it none starts: its source failed the health test, staff look first."""
    if isinstance(story.fresh, kind):
        return story.fresh
    story.tell(TablePaused(by="house", reason=ENTROPY_UNHEALTHY))
    return None
