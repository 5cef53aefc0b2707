"""The running tournament: hears its tables and decides what they do next (pt-810-2015 39 to 54).

A table begins no hand without a release: so levels change with the next hand, moves are made between hands, and in
hand-for-hand all wait for all. What follows from what has been heard is told at once, in one decision.
"""

from collections.abc import Iterator
from typing import Any

from libs.contracts import tournament_play_commands as asked
from libs.contracts import tournament_play_events as told
from libs.contracts.facts import taken
from libs.contracts.tournament_events import Absence
from libs.contracts.tournament_play_events import HandDue, StackAfter
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.decider import Rejected
from libs.sealing.lots import LOTS, LotSeed
from services.tournament.domain.levels import (
    change_level,
    clock_of,
    configuration_of,
    entering_closes,
    entries_close,
    keep_time,
    next_change,
)
from services.tournament.domain.play.memory import AtTable, Play
from services.tournament.domain.play.ranking import is_hand_for_hand, still_to_deal
from services.tournament.domain.play.seating import (
    Move,
    balancing_move,
    break_up,
    final_table,
    late_place,
    move_to,
    needs_balance,
    source_table,
    start_draw,
    surplus_tables,
    table_sizes,
)
from services.tournament.domain.purchases import carry_out, expire, offer, tables_paying, tables_waiting
from services.tournament.domain.rejections import rejected
from services.tournament.domain.results import complete, fix_prizes, rank
from services.tournament.domain.state import Tournament
from services.tournament.domain.story import Story

IN_TIME_MS = 60_000
"""A start that waited for payments, or for a timer, is still that of the hour set for it: levels count from there."""


def has_lots(story: Story) -> bool:
    """Without healthy entropy nobody is seated: start, balancing and final table wait."""
    return isinstance(story.fresh, LotSeed)


def begin(story: Story) -> None:
    """The start draw; the first hand begins at all tables at once, and waits for nobody (26, 39, 47)."""
    entries = {entry.entry: entry for entry in story.state.alive}
    places = start_draw(list(entries), story.rules.seats, _seed(story).lots())
    sizes = table_sizes(len(entries), story.rules.seats)
    starts_at = story.rules.starts_at
    in_time = starts_at is not None and story.now - starts_at < IN_TIME_MS
    clock_from = starts_at if starts_at is not None and in_time else story.now
    story.tell(told.StartDrawn(generator=_seed(story).generator, tables=len(sizes), clock_from=clock_from))
    change_level(story, 1)
    for table in range(1, len(sizes) + 1):
        _set_up(story, table)
    for entry, place in sorted(places.items(), key=lambda each: each[1]):
        _seat(story, entry, place.table, place.seat, story.rules.starting_stack)
    go_on(story)


def hear_deal(command: asked.HearDeal, story: Story) -> Rejected | None:
    table = story.state.play.tables.get(command.table)
    if table is None:
        return rejected(Reason.UNKNOWN_TABLE)
    if command.hand > table.begun:
        story.tell(taken(told.HandDealt, command))
    return None


def hear_hand(command: asked.HearHand, story: Story) -> Rejected | None:
    play = story.state.play
    table = play.tables.get(command.table)
    if table is None:
        return rejected(Reason.UNKNOWN_TABLE)
    if command.hand > table.ended:
        stacks = []
        for each in command.stacks:
            entry = play.sitting_of[each.sitting]
            stacks.append(StackAfter(entry, each.before, each.chips + play.not_shown(entry, each.before)))
        story.tell(taken(told.HandFinished, command, stacks=stacks))
        offer(story)
        go_on(story)
    return None


def hear_pot(command: asked.HearPot, story: Story) -> Rejected | None:
    table = story.state.play.tables.get(command.table)
    if table is None:
        return rejected(Reason.UNKNOWN_TABLE)
    if story.rules.buy_in.bounty and command.hand > table.ended:
        entries, winners = ([table.entries[seat] for seat in seats] for seats in (command.seats, command.winners))
        story.tell(taken(told.PotWon, command, entries=entries, winners=winners))
    return None


def hear_move(command: asked.HearMove, story: Story) -> Rejected | None:
    play = story.state.play
    entry = play.sitting_of.get(command.sitting)
    if entry is None:
        return rejected(Reason.UNKNOWN_TABLE)
    if story.state.phase == "running" and entry in play.moving and play.sittings[entry] == command.sitting:
        if entry in play.disqualified:
            _out_of_play(story, entry, play.stacks[entry])
        else:
            _seat(story, entry, *play.places[entry], play.stacks[entry], play.away.get(entry, ""))
        go_on(story)
    return None


def hear_disqualified(command: asked.HearDisqualified, story: Story) -> Rejected | None:
    play = story.state.play
    entry = play.sitting_of.get(command.sitting)
    if entry is None:
        return rejected(Reason.UNKNOWN_TABLE)
    if story.state.phase == "running" and entry in play.leaving and play.sittings[entry] == command.sitting:
        _out_of_play(story, entry, command.chips)
        go_on(story)
    return None


def hear_absence(command: asked.HearAbsence, story: Story) -> Rejected | None:
    entry = story.state.entry_of(command.player) if story.state.phase == "running" else None
    known = story.state.play.away.get(entry.entry, "") if entry is not None else ""
    if entry is None or entry.entry not in story.state.play.places or known in ("excluded", command.away):
        return None
    story.tell(taken(told.AbsenceHeard, entry, away=command.away))
    _alarm(story)
    return None


def seat_of(state: Tournament, player: str) -> dict[str, Any]:
    """The player's last entry, and the sitting that ends or goes on: of who is on the way at the table left."""
    entry = [each.entry for each in state.entries.values() if each.player == player][-1:]
    here = [each for each in entry if each in state.play.places]
    if not here:
        return {"entry": "".join(entry)}
    table, _ = state.play.moving.get(here[0], (state.play.places[here[0]].table, 0))
    return {"entry": here[0], "table": table, "sitting": state.play.sittings[here[0]]}


def may_move(story: Story, entry: str, to: int) -> bool:
    """Where it makes tables no less equal (47). Once in a level, and not who has played no hand since the last move: or
    whom the staff move to and fro plays no hand, and pays no blind."""
    play = story.state.play
    place, found = play.places.get(entry), play.tables.get(to)
    if place is None or found is None or play.time_up or entry in play.disqualified:
        return False
    if entry in play.not_dealt or play.staff_moved.get(entry) == play.level:
        return False
    sizes = len(play.tables[place.table].entries), len(found.entries)
    return place.table != to and sizes[1] < min(story.rules.seats, sizes[0])


def _out_of_play(story: Story, entry: str, chips: int) -> None:
    (table, seat), sitting = story.state.play.places[entry], story.state.play.sittings[entry]
    player = story.state.entries[entry].player
    story.tell(
        told.ChipsOutOfPlay(entry=entry, player=player, table=table, seat=seat, sitting=sitting, chips=chips)
    )  # fmt: skip


def _alarm(story: Story) -> None:
    """Once, until somebody is back."""
    play = story.state.play
    if play.places and not play.alarmed and all(entry in play.away for entry in play.places):
        story.tell(told.EverybodyAway(left=play.left))


def go_on(story: Story) -> None:
    """All that follows by now: also called when something is due by the clock."""
    keep_time(story)
    expire(story)
    carry_out(story)
    rank(story)
    _free_who_is_alone(story)
    _seat_late(story)
    last = _nobody_comes(story) and (story.state.play.left <= 1 or _orbits_played(story.state.play))
    last = last or (_only_tickets_left(story.state) and story.state.play.all_between_hands)
    if not story.state.play.fixed and (last or _entries_closed(story)):
        fix_prizes(story)
    if last:
        if not story.state.held_up:  # whoever was put out wrongly may still be given back, by cancelling it (FP-16)
            complete(story)
        return
    _keep_hand_for_hand(story)
    if not (story.state.play.time_up or story.state.play.in_round):  # who has played the round plays it once (FP-8)
        _carry_out_moves(story)
        _reseat(story)
    _release(story)
    _alarm(story)


def unseated(state: Tournament) -> list[str]:
    """Entries that are paid and have no seat yet, in the order of registration."""
    alive, places = state.alive, state.play.places
    return [entry.entry for entry in alive if entry.entry not in places] if len(alive) > len(places) else []


def _seat_late(story: Story) -> None:
    """A full stack, a drawn seat at one of the smallest tables; dealt in at its next hand (FP-4, FP-10)."""
    if not has_lots(story):
        return
    for entry in unseated(story.state):
        play = story.state.play
        place = late_place(play.floor, story.rules.seats, _seed(story).lots())
        table = place.table
        if table not in play.tables:
            table = play.opened + 1  # a broken table's name is used up
            _set_up(story, table)
        _seat(story, entry, table, place.seat, story.rules.starting_stack)


def _free_who_is_alone(story: Story) -> None:
    """The hand that a table was allowed before others were disqualified never begins."""
    for number, table in sorted(story.state.play.tables.items()):
        if table.allowed > table.begun and not table.can_begin:
            story.tell(told.HandsHeld(table=number))


def _nobody_comes(story: Story) -> bool:
    """Whoever is the only one left waits for those who may still enter: two who play alone, while the others are on
    their way, would share out what the house has guaranteed to a field (23, FP-4)."""
    play = story.state.play
    if story.state.pending or unseated(story.state):
        return False
    return play.fixed or play.time_up or clock_of(story).position(story.now) >= entering_closes(story.state)


def _entries_closed(story: Story) -> bool:
    """Who asked in time is waited for."""
    return (
        not story.state.pending
        and not story.state.wishes
        and not unseated(story.state)
        and clock_of(story).position(story.now) >= entries_close(story.state)
    )


def _set_up(story: Story, table: int) -> None:
    values = configuration_of(story.rules, story.state.play.level)
    story.tell(told.TableSetUp(table=table, rulebook=story.rules.rulebook, configuration=values))


def _seat(story: Story, entry: str, table: int, seat: int, chips: int, away: Absence = "unseen") -> None:
    number, play = story.state.entries[entry].number, story.state.play
    before = play.sittings.get(entry, f"{number}.0")
    sitting = f"{number}.{int(before.rpartition('.')[2]) + 1}"
    player = story.state.entries[entry].player
    away = "excluded" if player in story.state.excluded else away
    story.tell(
        told.EntrySeated(entry=entry, player=player, table=table, seat=seat, sitting=sitting, chips=chips, away=away)
    )


def _keep_hand_for_hand(story: Story) -> None:
    play, rules = story.state.play, story.rules
    if play.in_round:
        return  # it ends with a round
    wanted = (
        not play.time_up
        and rules.hand_for_hand_at > 0
        and is_hand_for_hand(play.left, len(play.paid), len(play.tables), rules.hand_for_hand_at)
    )
    if wanted and not play.hand_for_hand:
        story.tell(told.HandForHandBegan(left=play.left, paid=len(play.paid)))
    elif play.hand_for_hand and not wanted:
        story.tell(told.HandForHandEnded(left=play.left))


def _reseat(story: Story) -> None:
    """Breaks a table, or moves who makes tables equal, between hands (47, 48). One step at a time: who is on the way
    arrives first."""
    seats = story.rules.seats
    while has_lots(story):
        play = story.state.play
        surplus = surplus_tables(play.floor, seats)
        if surplus:
            if not _break(story, surplus):
                return
        elif not needs_balance(play.floor) or not _balance(story):
            return


def _break(story: Story, surplus: list[int]) -> bool:
    """Whether one could be broken now: the first of them that is between hands, so that none waits for another's."""
    play, seats, lots = story.state.play, story.rules.seats, _seed(story).lots()
    if len(table_sizes(play.left, seats)) == 1:
        if not all(map(play.is_settled, play.tables)) or tables_waiting(story.state):
            return False
        _tell_moves(story, final_table(play.floor, seats, lots), "final_table")
        for table in sorted(play.tables)[1:]:
            story.tell(told.TableBroken(table=table))
        return True
    waiting = tables_waiting(story.state)
    broken = next((each for each in surplus if play.is_settled(each) and each not in waiting), None)
    if broken is None:
        return False
    floor = {number: table for number, table in play.floor.items() if number == broken or number not in surplus}
    _tell_moves(story, break_up(floor, broken, seats, lots), "broken_table")
    story.tell(told.TableBroken(table=broken))
    return True


def _balance(story: Story) -> bool:
    """Of several largest tables that are between hands by lot; a larger one that plays gives its player when its hand
    is over, and begins no other before."""
    play, seats, lots = story.state.play, story.rules.seats, _seed(story).lots()
    most = max(len(table.entries) for table in play.tables.values())
    waiting = tables_waiting(story.state)
    ready = {n: t for n, t in play.floor.items() if t.size < most or (play.is_settled(n) and n not in waiting)}
    if not any(table.size == most for table in ready.values()):
        return False
    source = source_table(ready, lots)
    _tell_moves(story, [balancing_move(play.floor, source, seats, lots)], "balance")
    return True


def _carry_out_moves(story: Story) -> None:
    """What the staff have ordered, where the table is between hands; what can't be done any more lapses."""
    for entry, to in list(story.state.play.ordered.items()):
        play, seats = story.state.play, story.rules.seats
        source = play.places[entry]
        if not may_move(story, entry, to):
            story.tell(taken(told.MoveLapsed, story.state.entries[entry]))
        elif play.is_settled(source.table) and source.table not in tables_waiting(story.state) and has_lots(story):
            _tell_moves(story, [move_to(play.floor, source, to, seats, _seed(story).lots())], "staff")


def _tell_moves(story: Story, moves: list[Move], reason: str) -> None:
    for move in moves:
        sitting = story.state.play.sittings[move.entry]
        player = story.state.entries[move.entry].player
        story.tell(
            told.EntryMoves(
                entry=move.entry, player=player, table=move.source.table, seat=move.source.seat, sitting=sitting,
                to_table=move.to.table, to_seat=move.to.seat, reason=reason, generator=_seed(story).generator,  # type: ignore[arg-type]
            )
        )  # fmt: skip


def _release(story: Story) -> None:
    """The next hand of every table that may begin one."""
    play, clock = story.state.play, clock_of(story)
    if play.on_break or play.is_paused:
        return
    change = next_change(story.state)
    until = clock.moment(change) if change is not None else None
    paying = tables_paying(story.state)
    lapsed = [
        HandDue(number, table.allowed)
        for number, table in sorted(play.tables.items())
        if table.allowed > table.begun and table.until != until and number not in paying
    ]
    broke = {bust.entry for bust in play.broke}
    ready = [number for number in _ready(story) if number not in paying and _can_play(play.tables[number], broke)]
    if play.hand_for_hand and len(ready) < sum(len(table.entries) > 1 for table in play.tables.values()):
        ready = []  # all wait for all (49)
    hands = lapsed + [HandDue(number, play.tables[number].ended + 1) for number in ready]
    if hands:
        round_ = play.round + 1 if play.hand_for_hand and ready else 0
        story.tell(told.HandsReleased(hands=hands, until=until, round=round_))


def _ready(story: Story) -> Iterator[int]:
    """Between hands, complete, with two players at least, and not about to give one or to be broken."""
    play = story.state.play
    if play.time_up:
        yield from (number for number in sorted(play.tables) if play.is_settled(number) and _owes_deals(play, number))
        return
    if _only_tickets_left(story.state):
        return
    sizes = [len(table.entries) for table in play.tables.values()]
    surplus = surplus_tables(play.floor, story.rules.seats)
    if surplus and len(table_sizes(play.left, story.rules.seats)) == 1:
        return  # all wait for the final table
    wanted = {play.places[entry].table for entry in (*play.ordered, *play.leaving)}
    for number, table in sorted(play.tables.items()):
        size = len(table.entries)
        if (
            number not in wanted
            and play.is_settled(number)
            and size > 1
            and size - min(sizes) <= 1
            and number not in surplus
        ):
            yield number


def _can_play(table: AtTable, broke: set[str]) -> bool:
    return len(table.entries) - len(broke.intersection(table.entries.values())) > 1


def _owes_deals(play: Play, number: int) -> bool:
    table = play.tables[number]
    return bool(still_to_deal(table.owed, table.entries, ()))


def _orbits_played(play: Play) -> bool:
    """A timed tournament is over: ranked by chips (33, 52)."""
    settled = all(play.is_settled(each) and not _owes_deals(play, each) for each in play.tables)
    return play.time_up and settled and not play.broke


def _only_tickets_left(state: Tournament) -> bool:
    """The choice beside the letter of 52, by which a satellite is played to the last chip."""
    return state.rules.satellite_end == "tickets_decided" and state.play.fixed and state.play.left <= state.play.tickets


def _seed(story: Story) -> LotSeed:
    """Entropy of this decision. Each draw of it begins anew, with other events behind it."""
    fresh = story.fresh
    assert isinstance(fresh, LotSeed), f"a running tournament is given lots ({LOTS})"
    return LotSeed(fresh.seed + len(story.events).to_bytes(4, "big"), fresh.generator)
