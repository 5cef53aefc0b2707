"""Pausing, resuming and closing a table, by staff or by the house itself: the running round is finished first."""

from typing import TypeVar

from libs.contracts import table_events as e
from libs.contracts.facts import taken
from libs.contracts.table_commands import CloseTable, PauseTable, ResumeTable
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.tournament_commands import EndTournament
from libs.contracts.tournament_events import EntrantFinished
from libs.decider import Rejected
from services.table.domain.games.game import Fresh
from services.table.domain.table.bank import close_bank
from services.table.domain.table.departing import send_home
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory
from services.table.domain.table.waiting_list import tell_off

FreshT = TypeVar("FreshT", bound=Fresh)


def pause_table(command: PauseTable, story: AnyStory) -> Rejected | None:
    if story.state.paused:
        return rejected(Reason.ALREADY_PAUSED, story.rules)
    story.tell(e.TablePaused(by=story.by, reason=command.reason))
    return None


def resume_table(command: ResumeTable, story: AnyStory) -> Rejected | None:
    if not story.state.paused:
        return rejected(Reason.NOT_PAUSED, story.rules)
    story.tell(e.TableResumed(by=story.by, left_out=story.game.left_out(story.state, story.now)))
    return None


def fresh_or_pause(story: AnyStory, kind: type[FreshT]) -> FreshT | None:
    """Entropy for a round that is due. Without it none starts: its source failed the health test, staff look first."""
    if isinstance(story.fresh, kind):
        return story.fresh
    story.tell(e.TablePaused(by="house", reason=e.ENTROPY_UNHEALTHY))
    return None


def close_table(command: CloseTable, story: AnyStory) -> None:
    close(story, story.by, command.reason)


def end_tournament(command: EndTournament, story: AnyStory) -> None:
    """The tournament ends, or this table is broken up: the running hand is the last one here, or void."""
    begin_closing(story, story.by, command.reason)
    if command.void and story.state.in_round:
        story.game.give_up(story, command.reason)
    finish_closing(story)


def close(story: AnyStory, by: str, reason: str) -> None:
    """Nobody new comes in; at once, or when the running round is over. `by`: staff, or `house`."""
    begin_closing(story, by, reason)
    finish_closing(story)


def begin_closing(story: AnyStory, by: str, reason: str) -> None:
    story.tell(e.TableClosing(by=by, reason=reason))
    for reserved in list(story.state.reserved.values()):
        story.tell(taken(e.SeatReleased, reserved, currency=story.rules.currency, reason="table_closing"))
    for entry in story.state.waiting.entries:
        tell_off(story, entry, "closed")  # no seat is offered any more


def finish_closing(story: AnyStory) -> None:
    """Once no round runs everybody and the bank go home and the table is closed."""
    if story.state.status != "closing" or story.state.in_round:
        return
    for seat, sitter in sorted(story.state.seats.items()):
        if not story.rules.tournament:
            send_home(story, seat, "table_closed")
        else:  # the only other way by which an entrant goes (mo-97-2010 4.2)
            tournament, chips = story.rules.tournament, sitter.stack
            story.tell(taken(EntrantFinished, sitter, tournament=tournament, chips=chips))
    close_bank(story)
    story.tell(e.TableClosed())
