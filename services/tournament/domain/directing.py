"""What directors do while a tournament runs: each act by a role, with a reason, on the trail (FP-14)."""

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.facts import taken
from libs.contracts.people import person_behind, same_person
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.contracts.tournaments_events import Credit
from libs.decider import Rejected
from services.tournament.domain.levels import closings, entries_close, schedule_of
from services.tournament.domain.money import give_up_payments
from services.tournament.domain.play.clock import Clock
from services.tournament.domain.rejections import rejected
from services.tournament.domain.results import credit_won, ever_in, give_out, heirs_of, parts
from services.tournament.domain.running import go_on, may_move, seat_of
from services.tournament.domain.state import OVER
from services.tournament.domain.story import Story

MOST_SET_MS = 120_000
"""So far, in all, a tournament's clock is set forward; and so far back. So long it stands in pauses that the one who
ordered them ends, and in one that ends at once."""
MOST_PAUSES = 2
"""Of a tournament, that are ended by who has ordered them."""
NOTICE_MS = 60_000
"""Of the end of a longer one: nobody is folded out who has gone and was not told (FP-14)."""
MAX_NOTICES = 200
"""Of one tournament: everybody reads them."""
MAX_NOTICES_EACH = 50
"""Of one person: else one would spend them all, and nobody could tell the players anything."""


def pause_tournament(command: asked.PauseTournament, story: Story) -> Rejected | None:
    clock = _clock(story)
    if clock is None or story.state.play.is_paused:
        return rejected(Reason.WRONG_MOMENT)
    tables = sorted(story.state.play.tables)
    story.tell(
        told.TournamentPaused(
            reason=command.reason, by=story.by, tables=tables, hands_first=True, first_waits=True
        )
    )  # fmt: skip
    return None


def resume_tournament(command: asked.ResumeTournament, story: Story) -> Rejected | None:
    """Anybody stops a tournament at any time. But whoever did so again and again, or for long, would choose who is back
    when it goes on, a friend or a rival: so another person has it go on, and everybody is told before."""
    clock, play = _clock(story), story.state.play
    if clock is None or not play.is_paused or play.restart is not None:
        return rejected(Reason.WRONG_MOMENT)
    stood, alone = clock.stood(story.now), same_person(story.by, play.paused_by)
    if alone and (play.alone >= MOST_PAUSES or play.alone_ms + stood > MOST_SET_MS):
        return rejected(Reason.SAME_PERSON, "FP-14")
    if stood > MOST_SET_MS:
        goes_on_at = story.now + NOTICE_MS
        story.tell(told.RestartAnnounced(reason=command.reason, by=story.by, goes_on_at=goes_on_at))
        return None
    story.tell(told.TournamentResumed(reason=command.reason, by=story.by, stood_ms=stood, alone=alone))
    go_on(story)
    return None


def adjust_clock(command: asked.AdjustClock, story: Story) -> Rejected | None:
    clock, play = _clock(story), story.state.play
    if clock is None:
        return rejected(Reason.WRONG_MOMENT)
    schedule, wanted = schedule_of(story.state), clock.position(story.now) + command.ms
    if play.on_break or wanted < schedule.starts(play.level):
        return rejected(Reason.WRONG_MOMENT)
    if not _may_be_set(command.ms, wanted, story):
        return rejected(Reason.WRONG_MOMENT)
    story.tell(told.ClockAdjusted(reason=command.reason, by=story.by, ms=command.ms))
    go_on(story)
    return None


def _may_be_set(ms: int, wanted: int, story: Story) -> bool:
    """One person sets a clock right, a little. Whoever moved the end of a timed tournament (52), or the time until
    which others may enter or buy chips, or many levels, would choose who wins: be it forward or back."""
    state, play = story.state, story.state.play
    now = wanted - ms
    if story.rules.timed:
        return False
    if ms > 0:
        in_level = wanted <= schedule_of(state).ends(play.level)
        return in_level and (play.fixed or entries_close(state) <= now) and play.forward_ms + ms <= MOST_SET_MS
    again = not play.fixed and (play.left <= 1 or any(wanted < end <= now for end in closings(state)))
    return not again and play.back_ms - ms <= MOST_SET_MS


def disqualify_player(command: asked.DisqualifyPlayer, story: Story) -> Rejected | None:
    """Before the start nobody has played: whoever is to be kept out then is excluded."""
    state, player = story.state, command.player
    entry = state.entry_of(player)
    if state.phase != "running":
        return rejected(Reason.WRONG_MOMENT, "FP-16")
    if entry is None or entry.entry not in state.play.places or entry.entry in state.play.disqualified:
        return rejected(Reason.NOT_REGISTERED, "FP-16")
    give_up_payments(story, player)
    story.tell(told.PlayerDisqualified(reason=command.reason, by=story.by, player=player, **seat_of(state, player)))
    go_on(story)
    return None


def confirm_exclusion(command: asked.ConfirmExclusion, story: Story) -> Rejected | None:
    by = story.state.exclusions.get(command.player)
    if by is None:
        return rejected(Reason.NOTHING_HELD, "FP-16")
    if same_person(story.by, by):
        return rejected(Reason.SAME_PERSON, "FP-16")
    story.tell(told.ExclusionConfirmed(reason=command.reason, by=story.by, player=command.player))
    _go_on_without(story)
    return None


def release_prize(command: asked.ReleasePrize, story: Story) -> Rejected | None:
    held = _held_of(command.player, story)
    if isinstance(held, Rejected):
        return held
    story.tell(told.PrizeReleased(reason=command.reason, by=story.by, player=command.player))
    _go_on_without(story)
    return None


def finalize_disqualification(command: asked.FinalizeDisqualification, story: Story) -> Rejected | None:
    """Who has won what, and whose it may be, is known when the tournament is over."""
    state, held = story.state, _held_of(command.player, story)
    if isinstance(held, Rejected):
        return held
    if all(entry in {*state.undecided, *state.refused} for entry in ever_in(state)):
        return rejected(Reason.WRONG_MOMENT, "FP-16")  # nobody is left whose it may be: somebody has to be released
    heirs = heirs_of(state, over=state.phase == "completed")
    story.tell(told.DisqualificationFinal(reason=command.reason, by=story.by, player=command.player))
    if state.phase in OVER:
        credit_won(story, parts(held, heirs))
        if fees := sum(each.fee for each in held):
            story.tell(told.FeesEarned(rulebook=story.rules.rulebook, amount=fees))
    _go_on_without(story)
    return None


def _held_of(player: str, story: Story) -> list[Credit] | Rejected:
    """What a second person decides about; maybe nothing yet."""
    state = story.state
    held = [each for each in state.withheld.values() if each.player == player and each.refusable]
    entry = next((each for each in state.play.disqualified if state.entries[each].player == player), None)
    if entry is None or not (entry in state.undecided or (held and not state.undecided)):
        return rejected(Reason.NOTHING_HELD, "FP-16")
    if same_person(story.by, state.play.disqualified[entry]):
        return rejected(Reason.SAME_PERSON, "FP-16")
    return held


def _go_on_without(story: Story) -> None:
    """This one decision that prizes, or the tournament's end, may have waited for."""
    give_out(story)
    if story.state.phase == "running":
        go_on(story)


def move_player(command: asked.MovePlayer, story: Story) -> Rejected | None:
    """Done as soon as the player's table is between two hands."""
    state, entry = story.state, story.state.entry_of(command.player)
    if state.phase != "running" or entry is None or not may_move(story, entry.entry, command.table):
        return rejected(Reason.NO_SUCH_MOVE, "47")
    story.tell(taken(told.MoveOrdered, entry, reason=command.reason, by=story.by, to_table=command.table))
    go_on(story)
    return None


def give_notice(command: asked.GiveNotice, story: Story) -> Rejected | None:
    given = story.state.notices_by.get(person_behind(story.by), 0)
    if story.state.notices >= MAX_NOTICES or given >= MAX_NOTICES_EACH:
        return rejected(Reason.TOO_MANY_NOTICES)
    story.tell(told.NoticeGiven(text=command.text, by=story.by))
    return None


def _clock(story: Story) -> Clock | None:
    return story.state.play.clock if story.state.phase == "running" else None
