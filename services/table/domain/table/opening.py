"""Opening, pausing, resuming and closing a table."""

from libs.decider import Rejected
from services.table.domain.table.commands import CloseTable, OpenTable, PauseTable, ResumeTable
from services.table.domain.table.departing import send_home
from services.table.domain.table.events import (
    SeatReleased,
    TableClosed,
    TableClosing,
    TableOpened,
    TablePaused,
    TableResumed,
)
from services.table.domain.table.rejections import Reason, rejected
from services.table.domain.table.story import Story
from services.table.rulebooks.configure import configure, find_rulebook


def open_table(command: OpenTable, story: Story) -> Rejected | None:
    if story.state.status != "new":
        return rejected(Reason.ALREADY_OPEN, story.state.configuration)
    rulebook = find_rulebook(command.rulebook)
    if rulebook is None:
        return rejected(Reason.UNKNOWN_RULEBOOK)
    configured = configure(rulebook, command.configuration)
    if isinstance(configured, list):
        first = configured[0]
        return Rejected(str(Reason.OUTSIDE_RULEBOOK), first.rule, "; ".join(str(refusal) for refusal in configured))

    story.tell(
        TableOpened(
            at=story.now,
            table=story.table,
            name=command.name,
            configuration=configured,
            rulebook_hash=rulebook.digest,
        )
    )
    return None


def pause_table(command: PauseTable, story: Story) -> Rejected | None:
    if story.state.paused:
        return rejected(Reason.ALREADY_PAUSED, story.rules)
    story.tell(TablePaused(at=story.now, table=story.table, by=command.principal_id, reason=command.reason))
    return None


def resume_table(command: ResumeTable, story: Story) -> Rejected | None:
    if not story.state.paused:
        return rejected(Reason.NOT_PAUSED, story.rules)
    story.tell(TableResumed(at=story.now, table=story.table, by=command.principal_id))
    return None


def close_table(command: CloseTable, story: Story) -> Rejected | None:
    """The running hand is finished first; nobody new comes in."""
    story.tell(TableClosing(at=story.now, table=story.table, by=command.principal_id, reason=command.reason))
    for reserved in list(story.state.reserved.values()):
        story.tell(
            SeatReleased(
                at=story.now,
                table=story.table,
                reservation=reserved.reservation,
                player=reserved.player,
                seat=reserved.seat,
                currency=story.rules.currency,
                reason="table_closing",
            )
        )
    finish_closing(story)
    return None


def finish_closing(story: Story) -> None:
    """Once no hand runs everybody goes home and the table is closed."""
    if story.state.status != "closing" or story.state.hand is not None:
        return
    for seat in sorted(story.state.seats):
        send_home(story, seat, "table_closed")
    story.tell(TableClosed(at=story.now, table=story.table))
