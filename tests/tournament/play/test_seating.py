"""Start draw, balancing, broken and final tables: who sits where, with the lots given."""

from random import Random

import pytest

from services.tournament.domain.play.seating import (
    Floor,
    Move,
    Place,
    Positions,
    Seated,
    balancing_move,
    break_up,
    final_table,
    free_seats,
    hands_to_big_blind,
    late_place,
    move_to,
    moved,
    needs_balance,
    positions,
    source_table,
    start_draw,
    surplus_tables,
    table_sizes,
)
from tests.testkit.cases import Case
from tests.testkit.lots import GivenLots, lots_of


def floor_of(sizes: list[int], button: int = 0) -> Floor:
    return {
        number: Seated({seat: f"{number}-{seat}" for seat in range(1, size + 1)}, button)
        for number, size in enumerate(sizes, start=1)
    }


def sizes_of(floor: Floor) -> list[int]:
    return [floor[number].size for number in sorted(floor)]


def test_the_start_draw_gives_everybody_one_seat() -> None:
    entries = [f"e{number}" for number in range(25)]
    places = start_draw(entries, 9, lots_of(7))
    assert set(places) == set(entries)
    assert len(set(places.values())) == 25
    assert all(1 <= place.seat <= 9 for place in places.values())
    assert places != start_draw(entries, 9, lots_of(8))
    assert start_draw(entries, 9, lots_of(7)) == places


def test_every_seat_of_a_table_that_is_not_full_is_drawn_now_and_then() -> None:
    seats = {place.seat for number in range(60) for place in start_draw(["a", "b"], 9, lots_of(number)).values()}
    assert seats == set(range(1, 10))


@pytest.mark.rule("pt-810-2015", "39/2")
def test_tables_as_equal_as_possible(case: Case) -> None:
    sizes = table_sizes(case["players"], case["seats"])
    assert sizes == case["sizes"]
    places = start_draw([f"e{n}" for n in range(case["players"])], case["seats"], lots_of(1))
    assert [sum(place.table == table for place in places.values()) for table in (1, 2, 3)] == sizes
    draws = [start_draw(list(places), case["seats"], lots_of(number)) for number in range(40)]
    assert {draw["e0"].table for draw in draws} == {1, 2, 3}, "whoever comes first sits anywhere"
    left_free = [set(range(1, 10)) - {place.seat for place in draw.values() if place.table == 3} for draw in draws]
    assert set.union(*left_free) == set(range(1, case["seats"] + 1)), "and any seat stays free"


@pytest.mark.rule("pt-810-2015", "39/3")
def test_two_of_five_rather_than_nine_and_one(case: Case) -> None:
    assert table_sizes(case["players"], case["seats"]) == [case["each"]] * case["tables"]


@pytest.mark.rule("pt-810-2015", "47/2")
def test_a_difference_of_one_moves_nobody(case: Case) -> None:
    assert not needs_balance(floor_of(case["sizes"]))
    assert not needs_balance(floor_of(case["after_one"]))
    floor = floor_of(case["after_two"], button=1)
    assert needs_balance(floor)
    move = balancing_move(floor, source_table(floor, lots_of(1)), 9, lots_of(1))
    assert move.to.table == case["to"]
    after = moved(floor, move)
    assert sorted(sizes_of(after)) == sorted(case["moved"])
    assert not needs_balance(after)


@pytest.mark.rule("pt-810-2015", "47/3")
def test_a_table_is_broken_once_the_others_hold_everybody(case: Case) -> None:
    seats, before, players = case["seats"], case["sizes"], case["players"]
    assert surplus_tables(floor_of(before), seats) == []
    floor = floor_of([before[0] - 1, *before[1:]])
    assert sum(sizes_of(floor)) == players
    [broken] = surplus_tables(floor, seats)
    assert broken == 3, "the highest-numbered"
    for move in break_up(floor, broken, seats, lots_of(3)):
        floor = moved(floor, move)
    assert sizes_of(floor) == case["after"]


@pytest.mark.rule("pt-810-2015", "FP-7/1")
def test_the_next_big_blind_moves(case: Case) -> None:
    floor = dict(floor_of(case["sizes"], case["button"]))
    lots = GivenLots(case["table"], 8)
    source = source_table(floor, lots)
    assert source == case["table"]
    assert positions(floor[source].entries, case["button"]) == Positions(*case["next"])
    move = balancing_move(floor, source, 9, lots)
    assert move == Move(f"2-{case['seat']}", Place(source, case["seat"]), Place(1, 8))
    assert lots.among == [[2, 3], [8, 9]]
    assert lots.over


@pytest.mark.rule("pt-810-2015", "FP-7/4")
def test_a_broken_table_goes_to_the_smallest_one_by_one(case: Case) -> None:
    floor, seats = floor_of(case["sizes"]), case["seats"]
    lots = GivenLots(9, 2, 8, 9)
    moves = break_up(floor, case["broken"], seats, lots)
    assert [move.source.seat for move in moves] == [1, 2, 3], "in seat order"
    assert moves[0].to == Place(case["first_to"], 9)
    assert lots.among[1] == case["next"], "by lot where two are equally short"
    assert [move.to.table for move in moves[1:]] == case["next"][::-1]
    for move in moves:
        floor = moved(floor, move)
    assert sizes_of(floor) == case["after"]


def test_heads_up_the_button_posts_the_small_blind() -> None:
    assert positions([2, 7], 2) == Positions(7, 7, 2)
    assert positions([2, 7], 9) == Positions(2, 2, 7)


@pytest.mark.rule("pt-810-2015", "FP-7")
def test_the_final_table_draws_every_seat_anew() -> None:
    floor = floor_of([4, 5])
    moves = final_table(floor, 9, lots_of(5))
    assert [move.source for move in moves] == [Place(t, s) for t, size in ((1, 4), (2, 5)) for s in range(1, size + 1)]
    assert {move.to for move in moves} == {Place(1, seat) for seat in range(1, 10)}
    assert moves != final_table(floor, 9, lots_of(6))


def test_a_late_entry_goes_to_the_smallest_table_or_to_a_new_one() -> None:
    place = late_place(floor_of([8, 8, 7]), 9, lots_of(1))
    assert place.table == 3
    assert place.seat in (8, 9)
    assert late_place(floor_of([9, 9, 9]), 9, lots_of(1)).table == 4


@pytest.mark.parametrize("number", range(60))
def test_whoever_goes_out_tables_stay_within_one_and_nobody_sits_twice(number: int) -> None:
    luck = Random(number)
    seats, lots = luck.randint(2, 10), lots_of(number)
    entries = [f"e{n}" for n in range(luck.randint(2, 120))]
    floor: Floor = {}
    for entry, (table, seat) in start_draw(entries, seats, lots).items():
        floor = {**floor, table: Seated({**floor.get(table, Seated()).entries, seat: entry})}
    left = set(entries)
    while len(left) > 1:
        out = luck.choice(sorted(left))
        left.remove(out)
        floor = {
            n: Seated({s: e for s, e in t.entries.items() if e != out}, luck.randint(0, 10)) for n, t in floor.items()
        }
        floor = {n: t for n, t in floor.items() if t.entries}
        while broken := next(iter(surplus_tables(floor, seats)), 0):
            last = len(floor) == 2
            floor = _apply(floor, final_table(floor, seats, lots) if last else break_up(floor, broken, seats, lots))
        while needs_balance(floor):
            floor = _apply(floor, [balancing_move(floor, source_table(floor, lots), seats, lots)])
        assert sorted(e for t in floor.values() for e in t.entries.values()) == sorted(left)
        assert max(sizes_of(floor)) - min(sizes_of(floor)) <= 1
        assert len(floor) == len(table_sizes(len(left), seats))
        assert all(
            free_seats(table, seats) == [s for s in range(1, seats + 1) if s not in table.entries]
            for table in floor.values()
        )


def _apply(floor: Floor, moves: list[Move]) -> Floor:
    if len({move.to.table for move in moves}) == 1 and len(moves) == sum(sizes_of(floor)):
        return {moves[0].to.table: Seated({move.to.seat: move.entry for move in moves})}
    for move in moves:
        floor = moved(floor, move)
    return floor


def test_of_a_large_field_all_tables_that_are_too_many_are_named_the_highest_first() -> None:
    """One that plays on must not keep the others from being broken: the largest tables wait for all of them."""
    floor = {number: Seated({seat: f"{number}.{seat}" for seat in range(1, 7)}) for number in range(1, 10)}
    assert surplus_tables(floor, 9) == [9, 8, 7]
    assert surplus_tables(floor, 9)[0] == 9
    assert surplus_tables(floor, 6) == []


@pytest.mark.parametrize("seed", range(30))
def test_who_is_moved_by_the_staff_moves_past_no_blind(seed: int) -> None:
    luck, seats = Random(seed), 9
    old, new = luck.sample(range(1, 10), luck.randint(3, 9)), luck.sample(range(1, 10), luck.randint(1, 7))
    floor = {
        1: Seated({seat: f"a{seat}" for seat in old}, luck.randint(0, 9)),
        2: Seated({seat: f"b{seat}" for seat in new}, luck.randint(0, 9)),
    }
    source = luck.choice(old)
    move = move_to(floor, Place(1, source), 2, seats, lots_of(seed))
    assert (move.entry, move.to.table) == (f"a{source}", 2)
    assert move.to.seat in free_seats(floor[2], seats)
    before = hands_to_big_blind(old, floor[1].button, source)

    def hands(seat: int) -> int:
        return hands_to_big_blind([*new, seat], floor[2].button, seat)

    nearer = [hands(seat) for seat in free_seats(floor[2], seats) if hands(seat) <= before]
    assert hands(move.to.seat) == (max(nearer) if nearer else min(map(hands, free_seats(floor[2], seats))))


def test_hands_to_the_big_blind_are_those_that_begin_before_it() -> None:
    assert [hands_to_big_blind([1, 3, 5, 7], 1, seat) for seat in (3, 5, 7, 1)] == [2, 3, 0, 1]
    assert [hands_to_big_blind([2, 4], 2, seat) for seat in (2, 4)] == [0, 1], "heads-up the button has the small blind"
