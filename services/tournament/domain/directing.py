"""What directors do while a tournament runs: each act by a role, with a reason, on the trail (FP-14)."""

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.decider import Rejected
from services.tournament.domain.levels import schedule_of
from services.tournament.domain.play.clock import Clock
from services.tournament.domain.rejections import rejected
from services.tournament.domain.running import go_on
from services.tournament.domain.story import Story

MAX_NOTICES = 200
"""Of one tournament: everybody reads them."""


def pause_tournament(command: asked.PauseTournament, story: Story) -> Rejected | None:
    clock = _clock(story)
    if clock is None or clock.stopped is not None:
        return rejected(Reason.WRONG_MOMENT)
    tables = sorted(story.state.play.tables)
    story.tell(told.TournamentPaused(reason=command.reason, by=story.by, tables=tables))
    return None


def resume_tournament(command: asked.ResumeTournament, story: Story) -> Rejected | None:
    clock = _clock(story)
    if clock is None or clock.stopped is None:
        return rejected(Reason.WRONG_MOMENT)
    story.tell(told.TournamentResumed(reason=command.reason, by=story.by))
    go_on(story)
    return None


def adjust_clock(command: asked.AdjustClock, story: Story) -> Rejected | None:
    clock, play = _clock(story), story.state.play
    if clock is None:
        return rejected(Reason.WRONG_MOMENT)
    schedule, wanted = schedule_of(story.state), clock.position(story.now) + command.ms
    if play.on_break or wanted < schedule.starts(play.level):
        return rejected(Reason.WRONG_MOMENT)
    if command.ms > 0 and (story.rules.timed or wanted > schedule.ends(play.level)):
        return rejected(Reason.WRONG_MOMENT)
    story.tell(told.ClockAdjusted(reason=command.reason, by=story.by, ms=command.ms))
    go_on(story)
    return None


def give_notice(command: asked.GiveNotice, story: Story) -> Rejected | None:
    if story.state.notices >= MAX_NOTICES:
        return rejected(Reason.TOO_MANY_NOTICES)
    story.tell(told.NoticeGiven(text=command.text, by=story.by))
    return None


def _clock(story: Story) -> Clock | None:
    return story.state.play.clock if story.state.phase == "running" else None
