"""Pool, ladder, ties and tickets: every division to the cent."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.tournament.domain.play.prizes import (
    Prize,
    by_percentages,
    in_proportion,
    pool_of,
    prizes_of,
    satellite,
    split,
)
from services.tournament.domain.play.ranking import Bust, Places, places_out
from tests.testkit.cases import Case


def money(prizes: list[Prize]) -> list[int]:
    return [prize.money for prize in prizes]


def ladder_of(prizes: dict[int, int]) -> list[Prize]:
    return [Prize(prizes.get(place, 0)) for place in range(1, max(prizes) + 1)]


@pytest.mark.rule("pt-810-2015", "34/1")
def test_percentages_of_a_pool(case: Case) -> None:
    assert money(by_percentages(case["pool"], case["shares"])) == case["prizes"]


@pytest.mark.rule("pt-810-2015", "FP-11/1")
def test_what_is_left_over_goes_to_the_first_place(case: Case) -> None:
    pool, shares = case["pool"], case["shares"]
    assert [pool * share for share in shares] == [int(exact.replace(".", "")) for exact in case["exact"]]
    assert money(by_percentages(pool, shares)) == case["prizes"]


@pytest.mark.rule("pt-810-2015", "FP-11/2")
def test_equal_fractions_go_by_registration(case: Case) -> None:
    stacks = dict(enumerate(case["stacks"]))
    assert list(in_proportion(case["amount"], stacks, [0, 1, 2]).values()) == case["shares"]
    later = in_proportion(case["amount"], stacks, [0, 2, 1])
    assert later[2] == case["shares"][2] + 1, "had the other one registered before"


@pytest.mark.rule("pt-810-2015", "FP-11/3")
def test_an_odd_cent_goes_to_the_earlier_registration(case: Case) -> None:
    assert list(split(case["amount"], range(case["who"])).values()) == case["shares"]


@pytest.mark.rule("pt-810-2015", "32/1")
def test_a_satellite_gives_tickets_and_the_rest_in_money(case: Case) -> None:
    prizes = satellite(case["pool"], case["ticket"], 10)
    first, last = case["places"]
    assert prizes[first - 1 : last] == [Prize(ticket=case["ticket"])] * last
    assert sum(prize.ticket for prize in prizes) == case["tickets"]
    assert prizes[case["next"] - 1 :] == [Prize(case["money"])]
    assert satellite(2 * case["ticket"], case["ticket"], 10) == [Prize(ticket=case["ticket"])] * 2, "nothing left over"


def test_a_satellite_pays_no_more_places_than_there_are_entries() -> None:
    assert satellite(10_000, 2_200, 3) == [Prize(3_400, 2_200), *[Prize(ticket=2_200)] * 2]
    assert satellite(2_000, 2_200, 3) == [Prize(2_000)], "no ticket can be bought"


@pytest.mark.rule("pt-810-2015", "50/1")
def test_the_bigger_stack_has_the_higher_prize(case: Case) -> None:
    bigger, smaller = case["stacks"]
    places = places_out([Bust("x", "h", bigger), Bust("y", "h", smaller)], case["left"])
    won = prizes_of(places, ladder_of(case["prizes"]), ["y", "x"])
    assert [places["x"].first, places["y"].first] == case["places"]
    assert [won["x"], won["y"]] == [Prize(case["prizes"][place]) for place in case["places"]]


@pytest.mark.rule("pt-810-2015", "50/2")
def test_tables_of_one_round_count_as_one_hand(case: Case) -> None:
    bigger, smaller = case["stacks"]
    # The smaller stack went out first, at the other table; both are of round 2.
    places = places_out([Bust("small", "round 2", smaller), Bust("big", "round 2", bigger)], case["left"])
    won = prizes_of(places, ladder_of({case["paid"]: case["prize"]}), ["small", "big"])
    assert [places["big"].first, places["small"].first] == case["places"]
    assert won == {"big": Prize(case["prize"]), "small": Prize()}


@pytest.mark.rule("pt-810-2015", "51/1")
def test_equal_stacks_share_the_prizes(case: Case) -> None:
    busts = [Bust(entry, "h", case["stack"]) for entry in "xy"]
    places = places_out(busts, max(case["prizes"]))
    first, last = [int(place.rstrip("th")) for place in case["places"].split("-")]
    assert set(places.values()) == {Places(first, last)}
    assert prizes_of(places, ladder_of(case["prizes"]), ["x", "y"]) == dict.fromkeys("xy", Prize(case["each"]))


@pytest.mark.rule("pt-810-2015", "51/2")
def test_an_unpaid_place_counts_as_nothing(case: Case) -> None:
    busts = [Bust(entry, "h", case["stack"]) for entry in "xy"]
    places = places_out(busts, case["left"])
    first, last = [int(place.rstrip("th")) for place in case["places"].split("-")]
    assert (set(places.values()), last) == ({Places(first, last)}, case["unpaid"])
    won = prizes_of(places, ladder_of(case["prizes"]), ["y", "x"])
    assert [won["y"].money, won["x"].money] == case["each"]


@pytest.mark.rule("pt-810-2015", "51/3")
def test_a_ticket_is_not_divided(case: Case) -> None:
    ladder = [*[Prize(ticket=case["ticket"])] * case["tickets"], Prize(case["money"])]
    tied = Places(*case["places"])
    assert prizes_of({"x": tied, "y": tied}, ladder, ["x", "y"]) == dict.fromkeys("xy", Prize(case["each"]))
    both = Places(1, 2)
    won = prizes_of({"x": both, "y": both}, ladder, ["x", "y"])
    assert won == dict.fromkeys("xy", Prize(ticket=case["ticket"])), "the same ticket for everybody"


def test_a_guarantee_adds_only_what_is_missing() -> None:
    assert (pool_of([2_000] * 40, 100_000).added, pool_of([2_000] * 40, 100_000).total) == (20_000, 100_000)
    assert (pool_of([2_000] * 55, 100_000).added, pool_of([2_000] * 55, 100_000).total) == (0, 110_000)


@given(st.integers(0, 10**9), st.lists(st.integers(0, 10**6), min_size=1, max_size=40).filter(any))
def test_no_cent_is_made_or_lost(amount: int, weights: list[int]) -> None:
    who = list(range(len(weights)))
    shares = in_proportion(amount, dict(enumerate(weights)), who)
    assert sum(shares.values()) == amount
    whole = sum(weights)
    assert all(abs(shares[each] * whole - amount * weights[each]) < whole for each in who), "within one cent"
    assert sum(split(amount, who).values()) == amount
    assert sum(money(by_percentages(amount, weights))) == amount


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.lists(st.integers(0, 10**6), max_size=20))
def test_prizes_of_all_places_are_the_ladder(ties: list[int], amounts: list[int]) -> None:
    ends = list(accumulate(ties))
    ladder = [Prize(amount) for amount in amounts[: ends[-1]]]
    places = {
        f"{end}-{n}": Places(end - size + 1, end) for end, size in zip(ends, ties, strict=True) for n in range(size)
    }
    won = prizes_of(places, ladder, sorted(places))
    assert set(won) == set(places)
    assert sum(money(list(won.values()))) == sum(money(ladder))
