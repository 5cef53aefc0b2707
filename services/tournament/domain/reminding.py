"""Where the house stood still, or a command to a table lapsed: the clock is made good, and tables are asked once more
(pt-810-2015 FP-15)."""

from collections.abc import Iterator

from libs.contracts import tournament_play_events as told
from libs.contracts.commands import OUTAGE_MS
from libs.contracts.tournament_play_commands import HearStandstill
from libs.contracts.tournament_play_events import MoveDue, SittingDue
from libs.contracts.tournaments_commands import WakeTournament
from libs.contracts.tournaments_events import NoticeGiven
from services.tournament.domain.levels import clock_of, configuration_of
from services.tournament.domain.play.memory import AtTable
from services.tournament.domain.state import Tournament
from services.tournament.domain.story import Story

REMIND_MS = 120_000
"""A table that has not begun what it may begin, or not let go who is to move, is asked again after this."""
TELL_AT = 2
"""Asked once more so often in vain, everybody is told: the auditor makes an incident of it."""


def moved_at(state: Tournament) -> int | None:
    """Milliseconds since the epoch: a process that begins later finds a clock that a standstill has left running."""
    play = state.play
    runs = state.phase == "running" and play.clock is not None and play.clock.stopped is None
    return play.heard_at if runs and not play.on_break else None


def make_good(command: WakeTournament, story: Story) -> None:
    """Before anything else is due. Nobody knows when the house fell silent: it was not before the last thing heard, so
    players have rather more of a level than less."""
    play = story.state.play
    if not command.outage or story.state.phase != "running" or clock_of(story).stopped is not None:
        return
    since = command.due if play.on_break else play.heard_at
    if story.now - since > OUTAGE_MS:
        story.tell(told.ClockMadeGood(since=since, ms=story.now - since))


def hear_standstill(command: HearStandstill, story: Story) -> None:
    """Of a table whose service stood still while this one did not; what has been made good already is not again."""
    play = story.state.play
    if story.state.phase != "running" or play.on_break or clock_of(story).stopped is not None:
        return
    since = max(command.since, play.good_until, clock_of(story).started)
    if min(command.until, story.now) - since > OUTAGE_MS:
        story.tell(told.ClockMadeGood(since=since, ms=min(command.until, story.now) - since))


def reminders_due(state: Tournament) -> Iterator[int]:
    """Milliseconds since the epoch, of each table that is behind."""
    if state.phase == "running" and not state.play.is_paused:
        yield from (asked_at + REMIND_MS for _, asked_at in _behind(state))


def remind(story: Story) -> None:
    for number in sorted({number for number, asked_at in _behind(story.state) if story.is_due(asked_at + REMIND_MS)}):
        story.tell(_orders(story, number))
        if story.state.play.reminded[number] == TELL_AT:
            minutes = TELL_AT * REMIND_MS // 60_000
            text = f"Table {number} has not done what it was asked for {minutes} minutes. Staff are told."
            story.tell(NoticeGiven(text=text, by="house"))


def _behind(state: Tournament) -> Iterator[tuple[int, int]]:
    play = state.play
    if not play.on_break:
        yield from ((n, table.asked_at) for n, table in play.tables.items() if table.allowed > table.begun)
    yield from play.moving.values()
    tables = {play.places[entry].table for entry in play.leaving}
    yield from ((number, play.tables[number].asked_at) for number in tables if number in play.tables)


def _orders(story: Story, number: int) -> told.OrdersRepeated:
    play, entries = story.state.play, story.state.entries
    table = play.tables.get(number)
    here = table.entries if table is not None else {}
    seats = [
        SittingDue(play.sittings[entry], entries[entry].player, seat, play.stacks[entry], play.away.get(entry, ""))
        for seat, entry in sorted(here.items())
        if entry not in play.moving and play.stacks[entry]
    ]
    moves = [
        MoveDue(play.sittings[entry], play.places[entry].table)
        for entry, (old, _) in play.moving.items()
        if old == number
    ]
    at = table or AtTable()
    return told.OrdersRepeated(
        table=number, rulebook=story.rules.rulebook, configuration=configuration_of(story.rules, play.level),
        seats=seats, gone=list(at.gone), moves=moves, through=at.allowed, until=at.until, broken=table is None,
        disqualified=[play.sittings[entry] for entry in play.leaving if entry in here.values()],
    )  # fmt: skip
