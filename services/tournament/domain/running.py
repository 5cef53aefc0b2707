"""The running tournament: hears its tables and decides what they do next (pt-810-2015 39 to 54).

A table begins no hand without a release: so levels change with the next hand, moves are made between hands, and in
hand-for-hand all wait for all. What follows from what has been heard is told at once, in one decision.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import takewhile

from libs.contracts import tournament_play_commands as asked
from libs.contracts import tournament_play_events as told
from libs.contracts import tournaments_events as lives
from libs.contracts.facts import taken
from libs.contracts.tournament_play_events import HandDue, Result, StackAfter
from libs.contracts.tournaments import Until
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.contracts.tournaments_events import Credit
from libs.decider import Rejected
from libs.sealing.lots import LOTS, LotSeed
from services.tournament.domain.money import give_up_payments, pay
from services.tournament.domain.play.bounties import WonPot, bounty_of
from services.tournament.domain.play.clock import Clock, Schedule
from services.tournament.domain.play.prizes import Prize, by_percentages, pool_of, prizes_of
from services.tournament.domain.play.ranking import Places, final_places, is_hand_for_hand, places_out, still_to_deal
from services.tournament.domain.play.seating import (
    Move,
    balancing_move,
    break_up,
    final_table,
    late_place,
    needs_balance,
    source_table,
    start_draw,
    surplus_table,
    table_sizes,
)
from services.tournament.domain.playing import Play
from services.tournament.domain.rejections import rejected
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
    _change_level(story, 1)
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
        stacks = [StackAfter(play.sitting_of[each.sitting], each.before, each.chips) for each in command.stacks]
        story.tell(taken(told.HandFinished, command, stacks=stacks))
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
    if entry in play.moving and play.sittings[entry] == command.sitting:
        _seat(story, entry, *play.places[entry], command.chips)
        go_on(story)
    return None


def go_on(story: Story) -> None:
    """All that follows by now: also called when something is due by the clock."""
    _keep_time(story)
    _rank(story)
    _seat_late(story)
    last = (story.state.play.left == 1 or _orbits_played(story.state.play)) and not unseated(story.state)
    if not story.state.play.fixed and (last or _entries_closed(story)):
        _fix_prizes(story)
    if last:
        _complete(story)
        return
    _keep_hand_for_hand(story)
    if not story.state.play.time_up:
        _reseat(story)
    _release(story)


def unseated(state: Tournament) -> list[str]:
    """Entries that are paid and have no seat yet, in the order of registration."""
    return [entry.entry for entry in state.alive if entry.entry not in state.play.places]


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


def window_holds(story: Story, until: Until | None) -> bool:
    """Strictly before its end by the tournament's clock, which stands still in a pause (23)."""
    if until is None or story.state.phase != "running":
        return False
    return _clock(story).position(story.now) < _ends(story.state, until)


def _ends(state: Tournament, until: Until) -> int:
    schedule = schedule_of(state)
    return schedule.ends(until.level) if until.level else schedule.after_playing(until.ms)


def play_due(state: Tournament) -> int | None:
    """When the level or a break ends next, milliseconds since the epoch."""
    clock = state.play.clock
    if state.phase != "running" or clock is None or clock.stopped is not None:
        return None
    due = [_next_change(state)]
    if not state.play.fixed and not state.pending:  # an answer, or its time, goes before
        due.append(entries_close(state))
    positions = [position for position in due if position is not None]
    return clock.moment(min(positions)) if positions else None


def _next_change(state: Tournament) -> int | None:
    """Position at which a level, a break or the time of a timed tournament ends next; of these three the first."""
    if state.play.time_up:
        return None
    change, over = schedule_of(state).next_change(_told_position(state)), _over_at(state)
    return min((position for position in (change, over) if position is not None), default=None)


def _over_at(state: Tournament) -> int | None:
    """Position at which a timed tournament's time is up; breaks do not count (52, reading of FP-14)."""
    return schedule_of(state).after_playing(state.rules.lasts_ms) if state.rules.timed else None


def entries_close(state: Tournament) -> int:
    """Position from which on there is no entry, rebuy or add-on any more; 0: there never is one after the start."""
    rules, schedule = state.rules, schedule_of(state)
    windows = [rules.late_entry, rules.re_entry, rules.rebuy.until if rules.rebuy is not None else None]
    ends = [_ends(state, each) for each in windows if each]
    if rules.add_on is not None:
        ends.append(schedule.starts(rules.add_on.after_level + 1))
    return max(ends, default=0)


def _entries_closed(story: Story) -> bool:
    """Who asked in time is waited for."""
    return (
        not story.state.pending
        and not unseated(story.state)
        and _clock(story).position(story.now) >= entries_close(story.state)
    )


def schedule_of(state: Tournament) -> Schedule:
    rules = state.rules
    return Schedule([level.lasts_ms for level in rules.levels], {b.after_level: b.lasts_ms for b in rules.breaks})


def _told_position(state: Tournament) -> int:
    """Where the level or break that was told last begins: what comes next has not been told."""
    schedule, play = schedule_of(state), state.play
    return schedule.ends(play.level) if play.on_break else schedule.starts(play.level)


def _keep_time(story: Story) -> None:
    clock, schedule = _clock(story), schedule_of(story.state)
    while (change := _next_change(story.state)) is not None:
        play, due = story.state.play, clock.moment(change)
        if due is None or due > story.now:
            return
        position = clock.position(due)
        if change == _over_at(story.state):
            orbits = [told.Orbit(number, sorted(table.entries)) for number, table in sorted(play.tables.items())]
            story.tell(told.TimeUp(ended=due, orbits=orbits))
        elif schedule.in_break(position) and not play.on_break:
            until = clock.moment(schedule.starts(play.level + 1)) or due
            story.tell(told.BreakBegan(after_level=play.level, began=due, until=until))
        else:
            _change_level(story, play.level + 1)


def _change_level(story: Story, level: int) -> None:
    began = _clock(story).moment(schedule_of(story.state).starts(level)) or story.now
    tables = sorted(story.state.play.tables)
    values = _configuration(story, level)
    story.tell(told.LevelBegan(level=level, began=began, configuration=values, tables=tables))


def _configuration(story: Story, level: int) -> dict[str, int | str | bool | None]:
    """Of every table in this level; its version is the level."""
    rules = story.rules
    blinds = rules.levels[level - 1]
    forced = {name: getattr(blinds, name) for name in ("small_blind", "big_blind", "ante", "big_blind_ante")}
    given = {name: value for name, value in forced.items() if value or name.endswith("blind")}
    return {**rules.table, "version": level, "seats": rules.seats, **given}


def _set_up(story: Story, table: int) -> None:
    values = _configuration(story, story.state.play.level)
    story.tell(told.TableSetUp(table=table, rulebook=story.rules.rulebook, configuration=values))


def _seat(story: Story, entry: str, table: int, seat: int, chips: int) -> None:
    number, play = story.state.entries[entry].number, story.state.play
    sitting = f"{number}.{sum(each == entry for each in play.sitting_of.values()) + 1}"
    player = story.state.entries[entry].player
    story.tell(told.EntrySeated(entry=entry, player=player, table=table, seat=seat, sitting=sitting, chips=chips))


def _fix_prizes(story: Story) -> None:
    """No entry, rebuy or add-on is possible any more (FP-10, FP-18)."""
    state = story.state
    entries = len(ever_in(state))
    rows = takewhile(lambda row: row.entries <= entries, state.rules.payouts)
    pool = pool_of([state.held.prize], state.rules.guarantee)
    prizes = [prize.money for prize in by_percentages(pool.total, list(rows)[-1].shares)]
    story.tell(told.PrizesFixed(entries=entries, pool=pool.total, amount=pool.added, prizes=prizes))
    if state.rules.prizes_paid == "as_determined":
        _pay(story, places_out(state.play.busts[: state.play.ranked], entries))


def ever_in(state: Tournament) -> list[str]:
    """Entries that took part, in the order of registration."""
    entered = sorted((each.number, each.entry) for each in state.entries.values() if each.status != "gone")
    return [entry for _, entry in entered]


def _rank(story: Story) -> None:
    """Who is out, with the place; in hand-for-hand only when all tables have finished (49, 50)."""
    play = story.state.play
    if play.hand_for_hand and play.round and not _all_between_hands(play):
        return
    places = places_out(play.busts, len(ever_in(story.state)))
    new = [bust.entry for bust in play.busts[play.ranked :]]
    won: Counter[str] = Counter()
    for entry in new:
        pots = [WonPot(*pot) for pot in play.tables[play.places[entry].table].pots]
        won.update(bounty_of(entry, story.state.entries[entry].bounty, pots, ever_in(story.state)))
    for entry in new:
        place, at = places[entry], play.places[entry]
        player = story.state.entries[entry].player
        hand = play.tables[at.table].ended
        story.tell(
            told.EntryEliminated(
                entry=entry, player=player, table=at.table, seat=at.seat, sitting=play.sittings[entry], hand=hand,
                first=place.first, last=place.last,
            )
        )  # fmt: skip
    _pay_bounties(story, won, f"{play.ranked + 1}")
    if story.rules.prizes_paid == "as_determined" and story.state.play.fixed:
        _pay(story, {entry: places[entry] for entry in new})


def _pay_bounties(story: Story, won: Mapping[str, int], named: str) -> None:
    """`named`: what they were won by, once for ever."""
    entries = story.state.entries
    credits = [Credit(f"{entry}.bounty.{named}", entry, entries[entry].player, bounty=won[entry]) for entry in won]
    pay(story, "bounty", credits)


def _pay(story: Story, places: dict[str, Places]) -> None:
    """Each prize once (54)."""
    won = prizes_won(story.state, places)
    entries = story.state.entries
    pay(story, "prize", [Credit(f"{entry}.prize", entry, entries[entry].player, prize=won[entry]) for entry in won])


def prizes_won(state: Tournament, places: dict[str, Places]) -> dict[str, int]:
    """Of those who win money; nobody before the prizes are fixed."""
    ladder = [Prize(amount) for amount in state.play.paid]
    won = prizes_of(places, ladder, ever_in(state))
    return {entry: prize.money for entry, prize in won.items() if prize.money}


def _complete(story: Story) -> None:
    give_up_payments(story)  # of who would have come when it is over
    state = story.state
    places = final_places(state.play.busts, state.play.stacks, len(ever_in(state)))
    won = prizes_won(story.state, places)
    _pay(story, places)
    _pay_bounties(story, {each.entry: each.bounty for each in state.alive}, "own")
    if fees := story.state.held.fee:
        story.tell(lives.FeesEarned(rulebook=story.rules.rulebook, amount=fees))
    in_order = sorted(places, key=lambda entry: (places[entry], state.entries[entry].number))
    results = [Result(entry, state.entries[entry].player, *places[entry], won.get(entry, 0)) for entry in in_order]
    story.tell(told.TournamentCompleted(results=results, tables=sorted(state.play.tables)))


def _keep_hand_for_hand(story: Story) -> None:
    play, rules = story.state.play, story.rules
    if play.hand_for_hand and play.round and not _all_between_hands(play):
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


def _all_between_hands(play: Play) -> bool:
    return all(table.between_hands for table in play.tables.values())


def _reseat(story: Story) -> None:
    """Breaks a table, or moves who makes tables equal, between hands (47, 48). One step at a time: who is on the way
    arrives first."""
    seats = story.rules.seats
    while has_lots(story):
        play = story.state.play
        broken = surplus_table(play.floor, seats)
        if broken is not None:
            if not _break(story, broken):
                return
        elif not needs_balance(play.floor) or not _balance(story):
            return


def _break(story: Story, broken: int) -> bool:
    """Whether it could be done now."""
    play, seats, lots = story.state.play, story.rules.seats, _seed(story).lots()
    if len(table_sizes(play.left, seats)) == 1:
        if not all(map(play.is_settled, play.tables)):
            return False
        _tell_moves(story, final_table(play.floor, seats, lots), "final_table")
        for table in sorted(play.tables)[1:]:
            story.tell(told.TableBroken(table=table))
        return True
    if not play.is_settled(broken):
        return False
    _tell_moves(story, break_up(play.floor, broken, seats, lots), "broken_table")
    story.tell(told.TableBroken(table=broken))
    return True


def _balance(story: Story) -> bool:
    """Of several largest tables that are between hands by lot; a larger one that plays gives its player when its hand
    is over, and begins no other before."""
    play, seats, lots = story.state.play, story.rules.seats, _seed(story).lots()
    most = max(len(table.entries) for table in play.tables.values())
    ready = {n: t for n, t in play.floor.items() if t.size < most or play.is_settled(n)}
    if not any(table.size == most for table in ready.values()):
        return False
    source = source_table(ready, lots)
    _tell_moves(story, [balancing_move(play.floor, source, seats, lots)], "balance")
    return True


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
    play, clock = story.state.play, _clock(story)
    if play.on_break or clock.stopped is not None:
        return
    change = _next_change(story.state)
    until = clock.moment(change) if change is not None else None
    lapsed = [
        HandDue(number, table.allowed)
        for number, table in sorted(play.tables.items())
        if table.allowed > table.begun and table.until != until
    ]
    ready = list(_ready(story))
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
    sizes = [len(table.entries) for table in play.tables.values()]
    broken = surplus_table(play.floor, story.rules.seats)
    if broken is not None and len(table_sizes(play.left, story.rules.seats)) == 1:
        return  # all wait for the final table
    for number, table in sorted(play.tables.items()):
        size = len(table.entries)
        if play.is_settled(number) and size > 1 and size - min(sizes) <= 1 and number != broken:
            yield number


def _owes_deals(play: Play, number: int) -> bool:
    table = play.tables[number]
    return bool(still_to_deal(table.owed, table.entries, ()))


def _orbits_played(play: Play) -> bool:
    """A timed tournament is over: ranked by chips (33, 52)."""
    return play.time_up and all(play.is_settled(each) and not _owes_deals(play, each) for each in play.tables)


def _clock(story: Story) -> Clock:
    clock = story.state.play.clock
    assert clock is not None, "a running tournament has a clock"
    return clock


def _seed(story: Story) -> LotSeed:
    """Entropy of this decision. Each draw of it begins anew, with other events behind it."""
    fresh = story.fresh
    assert isinstance(fresh, LotSeed), f"a running tournament is given lots ({LOTS})"
    return LotSeed(fresh.seed + len(story.events).to_bytes(4, "big"), fresh.generator)
