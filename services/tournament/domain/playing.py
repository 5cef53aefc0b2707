"""What its own events make of a running tournament (`services/tournament/domain/play/memory.py`)."""

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from msgspec.structs import replace

from libs.contracts import tournament_play_events as told
from libs.contracts import tournaments_events as lives
from libs.contracts.facts import TournamentEvent
from libs.contracts.tournament_events import Absence
from services.tournament.domain.play.clock import Clock
from services.tournament.domain.play.memory import AtTable, Play, clock_of
from services.tournament.domain.play.ranking import Bust
from services.tournament.domain.play.seating import Place


@singledispatch
def played(event: TournamentEvent, play: Play) -> Play:
    raise AssertionError(f"{type(event).__name__} is no event of a running tournament")


def _at(play: Play, number: int, **changes: Any) -> dict[int, AtTable]:
    return {**play.tables, number: replace(play.tables[number], **changes)}


def _without(entries: Mapping[Any, Any], key: Any) -> dict[Any, Any]:
    return {name: value for name, value in entries.items() if name != key}


@played.register
def _(event: told.StartDrawn, play: Play) -> Play:
    return replace(play, clock=Clock(event.clock_from))


@played.register
def _(event: told.TableSetUp, play: Play) -> Play:
    return replace(play, tables={**play.tables, event.table: AtTable()}, opened=event.table)


@played.register
def _(event: told.EntrySeated, play: Play) -> Play:
    at = play.tables[event.table]
    return replace(
        play,
        tables=_at(play, event.table, entries={**at.entries, event.seat: event.entry}),
        stacks=play.stacks.insert(event.entry, event.chips),
        places=play.places.insert(event.entry, Place(event.table, event.seat)),
        sittings=play.sittings.insert(event.entry, event.sitting),
        sitting_of=play.sitting_of.insert(event.sitting, event.entry),
        moving=_without(play.moving, event.entry),
        granted=_without(play.granted, event.entry),
        away=_away(play, event.entry, event.away),
    )


def _away(play: Play, entry: str, away: Absence) -> dict[str, Absence]:
    others = _without(play.away, entry)
    return others | {entry: away} if away not in ("", "unseen") else others


@played.register
def _(event: told.AbsenceHeard, play: Play) -> Play:
    return replace(play, away=_away(play, event.entry, event.away), alarmed=play.alarmed and bool(event.away))


@played.register
def _(event: told.EverybodyAway, play: Play) -> Play:
    return replace(play, alarmed=True)


@played.register
def _(event: lives.PlayerExcluded, play: Play) -> Play:
    return replace(play, away=_away(play, event.entry, "excluded")) if event.entry in play.places else play


@played.register
def _(event: lives.PlayerDisqualified, play: Play) -> Play:
    """Nothing that the staff had ordered for the player is done any more."""
    away, ordered = _away(play, event.entry, "excluded"), _without(play.ordered, event.entry)
    return replace(play, disqualified={**play.disqualified, event.entry: event.by}, away=away, ordered=ordered)


@played.register
def _(event: told.ChipsOutOfPlay, play: Play) -> Play:
    """Out like who has lost them all, in the place of that moment."""
    alone = f"disqualified {event.sitting}"
    bust = Bust(event.entry, alone, event.chips, at=event.at, position=clock_of(play).position(event.at))
    return replace(
        play, stacks=play.stacks.insert(event.entry, 0), busts=(*play.busts, bust),
        moving=_without(play.moving, event.entry), granted=_without(play.granted, event.entry),
    )  # fmt: skip


@played.register
def _(event: lives.MoveOrdered, play: Play) -> Play:
    return replace(play, ordered={**play.ordered, event.entry: event.to_table})


@played.register
def _(event: told.MoveLapsed, play: Play) -> Play:
    return replace(play, ordered=_without(play.ordered, event.entry))


@played.register
def _(event: told.EntryMoves, play: Play) -> Play:
    """The seat over there is taken from now on."""
    tables = _at(play, event.table, entries=_left(play, event))
    to = tables[event.to_table]
    tables[event.to_table] = replace(to, entries={**to.entries, event.to_seat: event.entry})
    places = play.places.insert(event.entry, Place(event.to_table, event.to_seat))
    moving = {**play.moving, event.entry: (event.table, event.at)}
    staff_moved = {**play.staff_moved, event.entry: play.level} if event.reason == "staff" else play.staff_moved
    return replace(
        play, tables=tables, places=places, moving=moving, ordered=_without(play.ordered, event.entry),
        staff_moved=staff_moved, not_dealt=play.not_dealt | {event.entry},
    )  # fmt: skip


def _left(play: Play, event: told.EntryAt) -> dict[int, str]:
    """Who is still there; at the final table somebody else may have drawn the seat already."""
    entries = play.tables[event.table].entries
    return {seat: entry for seat, entry in entries.items() if (seat, entry) != (event.seat, event.entry)}


@played.register
def _(event: told.EntryEliminated, play: Play) -> Play:
    return replace(
        play,
        tables=_at(play, event.table, entries=_left(play, event), gone=(*play.tables[event.table].gone, event.sitting)),
        stacks=play.stacks.remove(event.entry),
        places=play.places.remove(event.entry),
        away=_without(play.away, event.entry),
        ordered=_without(play.ordered, event.entry),
        not_dealt=play.not_dealt - {event.entry},
        ranked=play.ranked + 1,
    )


@played.register
def _(event: told.TableBroken, play: Play) -> Play:
    return replace(play, tables=_without(play.tables, event.table))


@played.register
def _(event: told.LevelBegan, play: Play) -> Play:
    return replace(play, level=event.level, on_break=False)


@played.register
def _(event: told.BreakBegan, play: Play) -> Play:
    return replace(play, on_break=True)


@played.register
def _(event: told.TimeUp, play: Play) -> Play:
    tables = {each.table: replace(play.tables[each.table], owed=tuple(each.seats)) for each in event.orbits}
    return replace(play, tables={**play.tables, **tables}, ended=event.ended)


@played.register
def _(event: told.HandsReleased, play: Play) -> Play:
    tables = dict(play.tables)
    for due in event.hands:
        tables[due.table] = replace(tables[due.table], allowed=due.hand, until=event.until, asked_at=event.at)
    return replace(play, tables=tables, round=event.round or play.round)


@played.register
def _(event: told.HandsHeld, play: Play) -> Play:
    """Who is alone there begins none: that table waits for nothing."""
    table = play.tables[event.table]
    allowed = table.allowed if table.can_begin else table.ended
    return replace(play, tables=_at(play, event.table, until=event.at, allowed=allowed))


@played.register
def _(event: told.ClockMadeGood, play: Play) -> Play:
    """Whoever decides on a rebuy has the time as well."""
    busts = tuple(replace(bust, at=bust.at + event.ms) if bust.pending else bust for bust in play.busts)
    good_until = max(play.good_until, event.since + event.ms)
    return replace(play, clock=clock_of(play).adjust(-event.ms), busts=busts, good_until=good_until)


@played.register
def _(event: told.OrdersRepeated, play: Play) -> Play:
    tables = _at(play, event.table, asked_at=event.at) if event.table in play.tables else play.tables
    moving = {entry: (old, event.at if old == event.table else at) for entry, (old, at) in play.moving.items()}
    again = {**play.reminded, event.table: play.reminded.get(event.table, 0) + 1}
    return replace(play, tables=tables, moving=moving, reminded=again)


@played.register
def _(event: told.HandDealt, play: Play) -> Play:
    at = play.tables[event.table]
    # It may have begun in time and be heard of late.
    extra = play.ended is not None and (event.began or event.at) >= play.ended
    owed = tuple(seat for seat in at.owed if not (extra and seat == event.button))
    tables = _at(play, event.table, begun=event.hand, button=event.button, pots=(), owed=owed)
    reminded = {table: times for table, times in play.reminded.items() if table != event.table}
    after = replace(play, tables=tables, dealt=True, reminded=reminded)
    clock = clock_of(play)
    if play.paused_at is None or clock.stopped is None or not _time_goes_by(after):
        return after
    # It had begun before that table heard of the pause.
    return replace(after, clock=clock.resume(max(clock.stopped, event.began or event.at)))


@played.register
def _(event: told.PotWon, play: Play) -> Play:
    pots = (*play.tables[event.table].pots, (tuple(event.entries), tuple(event.winners)))
    return replace(play, tables=_at(play, event.table, pots=pots))


@played.register
def _(event: told.HandFinished, play: Play) -> Play:
    together = f"round {play.round}" if play.hand_for_hand and play.round else f"{event.table}/{event.hand}"
    table, position = play.tables[event.table], clock_of(play).position(event.at)
    lost = [
        Bust(each.entry, together, each.before, hand=event.hand, pots=table.pots, at=event.at, position=position)
        for each in event.stacks
        if not each.chips
    ]
    owed, button = table.owed, table.button
    if event.void:  # the next button is the first from that seat on, and has not had the deal
        owed, button = tuple(sorted({*owed, button})) if play.time_up else owed, button - 1
    shown = {each.entry: play.not_shown(each.entry, each.before) for each in event.stacks}
    granted = {entry: late for entry, late in {**play.granted, **shown}.items() if late}
    after = replace(
        play,
        tables=_at(play, event.table, ended=event.hand, begun=event.hand, owed=owed, button=button),
        stacks=play.stacks.update({each.entry: each.chips for each in event.stacks}),
        busts=(*play.busts, *lost),
        granted=granted,
        not_dealt=play.not_dealt.difference(each.entry for each in event.stacks),
    )
    return _standing(after, event.at) if play.paused_at is not None else after


def _standing(play: Play, at: int) -> Play:
    clock = clock_of(play)
    return play if _time_goes_by(play) or clock.stopped is not None else replace(play, clock=clock.pause(at))


def _time_goes_by(play: Play) -> bool:
    """In a pause, while all tables play: whoever waits for others to finish would lose it (FP-14)."""
    plays = (table.begun > table.ended for table in play.tables.values())
    return all(plays) if play.first_waits else any(plays)


@played.register
def _(event: told.ChipsGranted, play: Play) -> Play:
    """Whoever rebuys is no bust any more."""
    busts = tuple(bust for bust in play.busts if bust.entry != event.entry)
    stacks = play.stacks.insert(event.entry, play.stacks[event.entry] + event.chips)
    granted = {**play.granted, event.entry: play.granted.get(event.entry, 0) + event.chips}
    return replace(play, busts=busts, stacks=stacks, granted=granted)


@played.register
def _(event: told.RebuyOffered, play: Play) -> Play:
    return _decides(play, event.entry, True)


@played.register
def _(event: told.RebuyDeclined, play: Play) -> Play:
    return _decides(play, event.entry, False)


def _decides(play: Play, entry: str, pending: bool) -> Play:
    busts = tuple(replace(bust, pending=pending) if bust.entry == entry else bust for bust in play.busts)
    return replace(play, busts=busts)


@played.register
def _(event: told.HandForHandBegan, play: Play) -> Play:
    return replace(play, hand_for_hand=True, round=0)


@played.register
def _(event: told.HandForHandEnded, play: Play) -> Play:
    return replace(play, hand_for_hand=False)


@played.register
def _(event: told.PrizesFixed, play: Play) -> Play:
    return replace(play, paid=tuple(event.prizes), tickets=event.tickets, fixed=True)


@played.register
def _(event: told.TournamentCompleted, play: Play) -> Play:
    return replace(play, tables={}, moving={})


@played.register
def _(event: lives.TournamentPaused, play: Play) -> Play:
    """What was released and has not begun waits: it has to be released anew."""
    tables = {number: replace(table, until=event.at) for number, table in play.tables.items()}
    play = replace(play, tables=tables, paused_by=event.by)
    if not event.hands_first:
        return replace(play, clock=clock_of(play).pause(event.at))
    return _standing(replace(play, paused_at=event.at, first_waits=event.first_waits), event.at)


@played.register
def _(event: lives.RestartAnnounced, play: Play) -> Play:
    return replace(play, restart=event)


@played.register
def _(event: lives.TournamentResumed, play: Play) -> Play:
    clock = clock_of(play)
    return replace(
        play,
        clock=clock if clock.stopped is None else clock.resume(event.at),
        paused_at=None,
        paused_by="",
        restart=None,
        alone=play.alone + event.alone,
        alone_ms=play.alone_ms + (event.alone and (event.stood_ms or 0)),
    )


@played.register
def _(event: lives.ClockAdjusted, play: Play) -> Play:
    return replace(
        play,
        clock=clock_of(play).adjust(event.ms),
        forward_ms=play.forward_ms + max(0, event.ms),
        back_ms=play.back_ms + max(0, -event.ms),
    )
