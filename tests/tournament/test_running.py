"""What a running tournament decides, hand by hand: releases, levels, moves, hand-for-hand, places and prizes."""

from typing import Any

import pytest

from libs.contracts import conduct_commands as conduct
from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_events as lives
from libs.contracts.poker_events import BlindPosted, ButtonDrawn, HandStarted
from libs.contracts.registry import ALL_TOURNAMENT_COMMANDS
from services.tournament.domain.levels import play_due
from services.tournament.domain.play.clock import Schedule
from services.tournament.domain.play.prizes import pool_of
from services.tournament.domain.play.seating import late_place, positions
from services.wallet.projections.transfers import transfers_of
from tests.table.play import HOLDEM
from tests.table.tournament.play import TournamentTable
from tests.testkit.cases import Case
from tests.testkit.lots import lots_of
from tests.tournament.course import MINUTE, START, player
from tests.tournament.directed import Directed
from tests.tournament.hall import Hall

EIGHT = START - 20 * 60 * MINUTE
"""Midnight before: the hour set for the start is 20:00."""


def paying(*amounts: int) -> list[dict[str, Any]]:
    """So many places in these proportions."""
    whole = sum(amounts)
    shares = [10_000 * amount // whole for amount in amounts]
    shares[0] += 10_000 - sum(shares)
    return [{"entries": 2, "shares": shares}]


def levels(blinds: list[list[int]], minutes: list[int]) -> list[dict[str, int]]:
    return [
        {"small_blind": small, "big_blind": big, "lasts_ms": each * MINUTE}
        for (small, big), each in zip(blinds, minutes, strict=True)
    ]


@pytest.mark.rule("pt-810-2015", "39/1")
def test_the_start_draw_is_on_record(case: Case) -> None:
    tournament = Directed(case["players"], seats=case["seats"])
    [drawn] = tournament.of(play.StartDrawn)
    assert drawn.generator.startswith("croupier-lots-1/")
    assert tournament.sizes == [case["seats"]] * drawn.tables == [case["seats"]] * 3
    seated = tournament.of(play.EntrySeated)
    assert len({event.entry for event in seated}) == len({(e.table, e.seat) for e in seated}) == case["players"]
    table = TournamentTable().enter(1, 2)
    assert table.send(player("p1"), conduct.AskFavour(favour="swap_seats")) == "seat_swap_not_allowed"


@pytest.mark.rule("pt-810-2015", "47/1")
def test_the_first_hand_starts_at_all_tables_at_the_same_time(case: Case) -> None:
    hall = Hall(case["players"], seats=9)
    hall.absent = {"p7"}
    while not hall.of(play.HandFinished):
        hall.step()
    first = [
        fact for facts in hall.facts.values() for fact in facts if isinstance(fact, HandStarted) and fact.hand == 1
    ]
    assert len(first) == 3
    assert {fact.at - EIGHT for fact in first} == {case.moment("start")}
    assert sum(len(fact.seats) for fact in first) == case["players"], "who is not there is dealt in"


@pytest.mark.rule("pt-810-2015", "49/1")
def test_nobody_deals_before_the_last_table_has_finished(case: Case) -> None:
    tournament = Directed(case["players"], seats=case["seats"], payouts=paying(*[1] * case["paid"]))
    assert tournament.sizes == case["sizes"]
    [began] = tournament.of(play.HandForHandBegan)
    assert (began.left, began.paid) == (case["players"], case["paid"])
    first, last = (START + seconds * 1_000 for seconds in case["over"])
    for table in (1, 2):
        tournament.deal(table)
    assert tournament.released(tournament.finish(1, now=first)) == []
    assert tournament.released(tournament.finish(2, now=last)) == [1, 2]
    assert [event.round for event in tournament.of(play.HandsReleased)] == [1, 2]


@pytest.mark.rule("pt-810-2015", "49/2")
def test_it_ends_with_the_round_in_which_the_bubble_bursts(case: Case) -> None:
    tournament = Directed(14, seats=case["seats"], payouts=paying(*[1] * case["paid"])).down_to(case["left"])
    assert sorted(tournament.sizes, reverse=True) == case["sizes"]
    while not tournament.play.round:
        tournament.round()
    larger = max(tournament.play.tables, key=lambda number: len(tournament.play.tables[number].entries))
    out = tournament.at(larger)[0]
    for table in (1, 2):
        tournament.deal(table)
    assert tournament.finish(larger, out)[1:] == [], "no place before the other table has finished"
    events = tournament.finish(3 - larger)
    [eliminated] = [event for event in events if isinstance(event, play.EntryEliminated)]
    assert (eliminated.entry, eliminated.first, eliminated.last) == (out, case["place"], case["place"])
    assert tournament.of(play.HandForHandEnded)
    assert tournament.sizes == [case["after"]] * 2
    assert tournament.released(tournament.hand(1)) == [1], "each plays on by itself"


@pytest.mark.rule("pt-810-2015", "FP-8/1")
def test_each_table_finishes_its_hand_then_both_start_together(case: Case) -> None:
    tournament = Directed(case["players"], seats=case["seats"], payouts=paying(*[1] * case["paid"]))
    assert tournament.sizes == [case["each"]] * 2
    for table in (1, 2):
        tournament.deal(table)
    events = tournament.finish(1, tournament.at(1)[0])
    assert [event.left for event in events if isinstance(event, play.HandForHandBegan)] == [case["left"]]
    assert tournament.released(events) == [], "the other table finishes its hand first"
    events = tournament.finish(2)
    assert tournament.released(events) == [1, 2]
    assert tournament.of(play.HandsReleased)[-1].round == 1


@pytest.mark.rule("pt-810-2015", "FP-8/2")
def test_normal_play_goes_on_once_the_paid_places_are_reached(case: Case) -> None:
    tournament = Directed(14, seats=9, payouts=paying(*[1] * case["after"])).down_to(case["left"])
    while not tournament.play.round:
        tournament.round()
    tournament.round(tournament.at(1)[0])
    assert [event.left for event in tournament.of(play.HandForHandEnded)] == [case["after"]]
    for table in (1, 2):
        assert tournament.released(tournament.hand(table)) == [table]


@pytest.mark.rule("pt-810-2015", "FP-15/2")
def test_an_elimination_stands_whatever_becomes_of_the_other_table(case: Case) -> None:
    tournament = Directed(14, seats=9, payouts=paying(*[1] * case["paid"])).down_to(case["left"])
    while not tournament.play.round:
        tournament.round()
    out = tournament.at(1)[0]
    for table in (1, 2):
        tournament.deal(table)
    tournament.finish(1, out)
    events = tournament.finish(2, void=True)
    [eliminated] = [event for event in events if isinstance(event, play.EntryEliminated)]
    assert (eliminated.entry, eliminated.first) == (out, case["place"])
    assert tournament.play.left == case["after"]
    assert tournament.of(play.HandForHandEnded)


@pytest.mark.rule("pt-810-2015", "FP-7/2")
def test_at_the_final_table_all_seats_and_the_button_are_drawn(case: Case) -> None:
    tournament = Directed(case["left"], seats=case["seats"])
    assert tournament.sizes == [case["each"]] * 2
    for table in (1, 2):
        tournament.deal(table)
    tournament.finish(1, tournament.at(1)[0])
    tournament.finish(2)
    moves = [event for event in tournament.of(play.EntryMoves) if event.reason == "final_table"]
    assert len(moves) == case["final"]
    assert {move.to_seat for move in moves} == set(range(1, case["seats"] + 1))
    tournament.arrive()
    assert tournament.sizes == [case["final"]]
    assert tournament.of(play.HandsReleased)[-1].hands == [play.HandDue(1, 2)]
    # The table: everybody goes, everybody comes, and the button is drawn anew.
    at = TournamentTable(HOLDEM, seats=9).enter(1, 2, 3).deal().folds_round()
    for seat in (1, 2, 3):
        assert at.move(seat) is None
    for seat, name in ((4, "p1"), (7, "p2"), (9, "p3")):
        assert at.seats_entrant(seat, 30_000, name) is None
    at.deal()
    [drawn] = at.of(ButtonDrawn)
    assert drawn.among == [4, 7, 9]


@pytest.mark.rule("pt-810-2015", "FP-7/3")
@pytest.mark.parametrize("drawn", ["drawn", "other"])
def test_who_has_moved_posts_what_falls_on_the_new_seat(case: Case, drawn: str) -> None:
    table = TournamentTable(HOLDEM, seats=9).enter(*case["seats"]).after_button(case["button"])
    mover = case[drawn]
    assert table.seats_entrant(mover, 30_000, "mover") is None
    table.deal()
    [started] = table.of(HandStarted)
    posted = {event.seat: event.blind for event in table.of(BlindPosted)}
    hand = [started.button, started.small_blind, started.big_blind]
    assert hand == list(positions([*case["seats"], mover], case["button"])), "the tournament counts as the table does"
    if drawn == "drawn":
        _, small, _ = case["next"]
        assert (hand, small, posted[mover]) == (case["next"], mover, "small")
        assert case["other"] not in case["seats"]
    else:
        assert (started.button, mover in posted) == (mover, False), "in the other seat the button, and nothing to post"
        assert (case["drawn"], case["next"][2]) == (7, hand[2])


@pytest.mark.rule("pt-810-2015", "48/1")
def test_the_seat_is_drawn_among_the_free_ones_and_on_record(case: Case) -> None:
    free = case["free"]
    tournament = Directed(25, seats=9)
    floor = {case["to"]: tournament.play.floor[2]}
    taken = {seat: f"e{seat}" for seat in range(1, 10) if seat not in free}
    floor = {case["to"]: type(floor[case["to"]])(taken, 1)}
    drawn = [late_place(floor, 9, lots_of(number)) for number in range(400)]
    assert {place.table for place in drawn} == {case["to"]}
    assert {place.seat for place in drawn} == set(free)
    assert 150 < sum(place.seat == free[0] for place in drawn) < 250
    for _ in range(3):
        tournament.round(tournament.at(1)[0])
    [move, *_] = tournament.of(play.EntryMoves)
    assert (move.reason, move.generator.startswith("croupier-lots-1/")) == ("balance", True)


@pytest.mark.rule("pt-810-2015", "45/1")
def test_levels_of_different_length(case: Case) -> None:
    minutes = [*case["minutes"], 10]
    tournament = Directed(9, levels=levels([[50, 100], [75, 150], [100, 200], [200, 400]], minutes))
    assert case.moment("start") == START - EIGHT
    for level in case["starts"]:
        due = play_due(tournament.course.state)
        assert due is not None
        tournament.course.wake(due)
        assert tournament.play.level == level
    began = {event.level: _clock(event.began) for event in tournament.of(play.LevelBegan)[1:]}
    assert began == case["starts"]
    table = TournamentTable().enter(1, 2, 3).deal()
    assert table.next_level(2, big_blind=2_000) is None
    assert table.state.rules.betting.big_blind == 1_000, "a hand dealt before keeps its blinds"


def _clock(moment: int) -> str:
    minutes, milliseconds = divmod(moment - EIGHT, MINUTE)
    return f"{minutes // 60:02}:{minutes % 60:02}:{milliseconds // 1000:02}"


@pytest.mark.rule("pt-810-2015", "46/1")
def test_the_blinds_of_the_next_level(case: Case) -> None:
    hall = Hall(9, seed=3, seats=9, levels=levels(case["levels"], [1, 1, 60]))
    level, (small, big) = case["level"], case["blinds"]
    while not any(event.level == level + 1 for event in hall.of(play.LevelBegan)):
        hall.step()
    began = {event.level: event.began for event in hall.of(play.LevelBegan)}
    [facts] = hall.facts.values()
    dealt = [f.hand for f in facts if isinstance(f, HandStarted) and began[level] <= f.at < began[level + 1]]
    posts = {(f.blind, f.amount) for f in facts if isinstance(f, BlindPosted) and f.hand in dealt}
    assert posts == {("small", small), ("big", big)}


@pytest.mark.rule("pt-810-2015", "46/3")
def test_the_last_level_goes_on(case: Case) -> None:
    last = case["levels"]
    schedule = Schedule([MINUTE] * last)
    assert schedule.level_at(last * MINUTE) == schedule.level_at(10**12) == last
    assert schedule.next_change(schedule.starts(last)) is None


@pytest.mark.rule("pt-810-2015", "FP-14/1")
def test_no_hand_begins_in_a_break(case: Case) -> None:
    lasting = [case["minutes"]] * 8
    blinds = [[50 * number, 100 * number] for number in range(1, 9)]
    pause = [{"after_level": case["after"], "lasts_ms": case["break_minutes"] * MINUTE}]
    tournament = Directed(9, levels=levels(blinds, lasting), breaks=pause)
    assert case.moment("start") == START - EIGHT
    tournament.deal(1, now=EIGHT + case.moment("dealt"))
    tournament.course.wake(EIGHT + case.moment("from"))
    [began] = tournament.of(play.BreakBegan)
    assert (began.began - EIGHT, began.until - EIGHT) == (case.moment("from"), case.moment("until"))
    over = EIGHT + case.moment("over")
    assert over == EIGHT + case.moment("dealt") + case["lasts"] * 1_000
    assert tournament.play.level == case["after"], "the hand that runs keeps its blinds"
    assert tournament.released(tournament.finish(1, now=over)) == []
    assert play_due(tournament.course.state) == EIGHT + case.moment("until")
    tournament.course.wake(EIGHT + case.moment("until"))
    level = tournament.of(play.LevelBegan)[-1]
    runs = [level.began - EIGHT, (play_due(tournament.course.state) or 0) - EIGHT]
    hours = [[int(part) for part in time.split(":")] for time in case["runs"]]
    assert (level.level, runs) == (case["level"], [(hour * 60 + minute) * MINUTE for hour, minute in hours])
    assert tournament.of(play.HandsReleased)[-1].hands == [play.HandDue(1, 2)]


@pytest.mark.rule("pt-810-2015", "52")
def test_after_the_time_each_table_plays_one_orbit() -> None:
    tournament = Directed(7, seats=4, levels=levels([[50, 100]], [10]), lasts_ms=60 * MINUTE, payouts=paying(5, 3, 2))
    assert tournament.sizes == [4, 3]
    over = START + 60 * MINUTE
    for table in (1, 2):
        tournament.deal(table, now=over - 1_000)
    assert tournament.of(play.HandsReleased)[-1].until == over, "no hand begins then with the old orbit"
    tournament.course.wake(over)
    tournament.now = over
    [up] = tournament.of(play.TimeUp)
    assert (up.ended, [len(orbit.seats) for orbit in up.orbits]) == (over, [4, 3])
    for table in (1, 2):
        assert tournament.released(tournament.finish(table)) == [table], "each plays its own orbit"
    buttons: dict[int, list[int]] = {1: [], 2: []}
    for table in (1, 2):
        while (
            table in tournament.play.tables
            and tournament.play.tables[table].allowed > tournament.play.tables[table].ended
        ):
            tournament.deal(table)
            at = tournament.play.tables[table]
            buttons[table].append(at.button)
            out = [entry for seat, entry in at.entries.items() if seat not in buttons[table]][:1]
            tournament.finish(table, *(out if table == 1 and len(buttons[1]) == 1 else []))
    assert [len(buttons[table]) for table in (1, 2)] == [3, 3], "the turn of who went out is skipped"
    assert all(len(set(each)) == len(each) for each in buttons.values())
    [completed] = tournament.of(play.TournamentCompleted)
    assert [(result.first, result.last) for result in completed.results] == [
        (1, 1),
        (2, 6),
        (2, 6),
        (2, 6),
        (2, 6),
        (2, 6),
        (7, 7),
    ]
    assert sum(result.prize for result in completed.results) == 7 * 2_000


@pytest.mark.rule("pt-810-2015", "52/4")
def test_the_last_chip_lost_ends_it(case: Case) -> None:
    tournament = Directed(case["entries"], seats=6, starting_stack=case["stack"]).down_to(2)
    loser, winner = tournament.at(1)
    tournament.hand(1, loser)
    assert tournament.course.state.phase == "completed"
    assert dict(tournament.play.stacks) == {winner: case["all"]}
    [completed] = tournament.of(play.TournamentCompleted)
    assert [result.entry for result in completed.results][:2] == [winner, loser]


@pytest.mark.rule("pt-810-2015", "53/1")
def test_prizes_are_what_the_rules_say(case: Case) -> None:
    first, second = case["prizes"]
    assert sum(case["prizes"]) == case["players"] * case["asked"]
    tournament = Directed(16, seats=8, payouts=paying(first, second)).down_to(case["players"])
    loser, winner = tournament.at(1)
    tournament.hand(1, loser)
    credited = tournament.course.credited()
    assert credited == {winner.removeprefix("entry-"): first, loser.removeprefix("entry-"): second}
    named = " ".join(command.__name__ for command in ALL_TOURNAMENT_COMMANDS).casefold()
    assert not any(word in named for word in ("deal_", "divide", "split", "share", "chop")), "nobody can ask for it"
    table = TournamentTable().enter(1, 2)
    assert table.send(player("p1"), conduct.AskFavour(favour="split_pot")) == "chop_not_allowed"


@pytest.mark.rule("pt-810-2015", "54/1")
@pytest.mark.parametrize("mode", ["as_determined", "at_end"])
def test_prizes_are_credited_at_once_or_all_at_the_end(case: Case, mode: str) -> None:
    place = case["place"]
    tournament = Directed(9, seats=9, payouts=paying(*[1] * place), prizes_paid=mode).down_to(place)
    decided, over = (EIGHT + case.moment(name) for name in ("decided", "over"))
    tournament.deal(1)
    tournament.finish(1, tournament.at(1)[0], now=decided)
    credited = [(due.at, len(due.credits)) for due in tournament.of(lives.CreditsDue)]
    assert credited == ([(decided, 1)] if mode == "as_determined" else [])
    tournament.down_to(2)
    tournament.deal(1)
    tournament.finish(1, tournament.at(1)[0], now=over)
    credits = [each.credit for due in tournament.of(lives.CreditsDue) for each in due.credits]
    assert len(credits) == len(set(credits)) == place, "each once"
    if mode == "at_end":
        assert [(due.at, len(due.credits)) for due in tournament.of(lives.CreditsDue)] == [(over, place)]


@pytest.mark.rule("pt-810-2015", "FP-18/1")
def test_paid_places_hang_on_the_entries(case: Case) -> None:
    rows = [{"entries": least, "shares": [100 * share for share in shares]} for least, _, *shares in case["rows"]]
    tournament = Directed(case["entries"], payouts=rows, min_players=3)
    [fixed] = tournament.of(play.PrizesFixed)
    assert case["prize"] * case["entries"] == case["pool"]
    assert (fixed.entries, fixed.pool, fixed.prizes) == (case["entries"], case["pool"], case["prizes"])
    for least, most, *shares in case["rows"]:
        for entries in (max(least, 3), most):
            [fixed] = Directed(entries, payouts=rows, min_players=3).of(play.PrizesFixed)
            assert fixed.prizes == [case["prize"] * entries * share // 100 for share in shares]


@pytest.mark.rule("pt-810-2015", "FP-18/2")
def test_the_house_makes_up_a_guarantee(case: Case) -> None:
    parts = [case["prize"]] * (case["entries"] + case["rebuys"])
    pool = pool_of(parts, case["guarantee"])
    assert (pool.collected, pool.added, pool.total) == (case["collected"], case["added"], case["guarantee"])
    more = pool_of([case["prize"]] * case["more"], case["guarantee"])
    assert (more.added, more.total) == (0, case["pool"])
    tournament = Directed(case["entries"] + case["rebuys"], guarantee=case["guarantee"])
    [fixed] = tournament.of(play.PrizesFixed)
    assert (fixed.amount, fixed.pool, fixed.held.prize) == (case["added"], case["guarantee"], case["guarantee"])
    [booked] = transfers_of(fixed, "real")
    assert (booked.debit, booked.amount) == ("treasury/EUR", case["added"]), "the operator is debited"
