"""Places: hands, ties, rounds of several tables, pending rebuys, further entries, and the end by the clock."""

import pytest

from services.tournament.domain.play.ranking import (
    Bust,
    Places,
    by_chips,
    final_places,
    is_hand_for_hand,
    places_out,
    still_to_deal,
)
from tests.testkit.cases import Case


def one(place: int) -> Places:
    return Places(place, place)


def in_order(*entries: str) -> list[Bust]:
    return [Bust(entry, f"hand {entry}", 1_000) for entry in entries]


@pytest.mark.rule("pt-810-2015", "33/1")
def test_the_last_to_remain_are_paid(case: Case) -> None:
    places = final_places(in_order(*case.text("order").split()), {"A": 50_000}, case["entries"])
    assert {entry: place.first for entry, place in places.items() if place.last <= case["paid"]} == case["places"]
    assert set(places) == set("ABCDE")


@pytest.mark.rule("pt-810-2015", "33/2")
def test_at_a_fixed_time_the_most_chips_win(case: Case) -> None:
    places = final_places([], case["stacks"], 4)
    assert {entry: place.first for entry, place in places.items() if place.last <= case["paid"]} == case["places"]


@pytest.mark.rule("pt-810-2015", "31/3")
def test_places_go_by_the_hands_in_which_chips_were_lost(case: Case) -> None:
    lost = sorted(case["lost"], key=case["lost"].__getitem__)
    assert lost == ["A", "B"]
    a, b = in_order(*lost)
    waiting = Bust(a.entry, a.round, a.stack, pending=True)
    assert case.moment("rebought") < _ms(case["lost"]["A"]) + case["allowed"], "his time to rebuy still runs"
    assert places_out([waiting, b], case["left"]) == {}, "while A may rebuy nobody knows the place of B"
    assert places_out([a, b], case["left"]) == {entry: one(case["places"][entry]) for entry in "AB"}
    assert places_out([b], case["left"]) == {"B": one(case["place_of_b"])}


def _ms(time: str) -> int:
    hours, minutes, seconds = map(int, time.split(":"))
    return ((hours * 60 + minutes) * 60 + seconds) * 1000


@pytest.mark.rule("pt-810-2015", "31/4")
def test_further_entries_push_a_place_down(case: Case) -> None:
    busts = in_order("first")
    assert places_out(busts, case["entries"]) == {"first": one(case["provisional"])}
    assert places_out(busts, case["entries"] + case["late"]) == {"first": one(case["place"])}


@pytest.mark.rule("pt-810-2015", "FP-8/3")
def test_three_out_in_one_hand_pass_the_bubble(case: Case) -> None:
    left, paid = case["left"], case["paid"]
    busts = [Bust(f"e{stack}", "hand", stack) for stack in (300, 100, 200)]
    places = places_out(busts, left)
    assert [places["e300"].first, places["e100"].last] == case["places"]
    assert left - len(places) == case["after"]
    assert not is_hand_for_hand(left, paid, 2)
    assert not is_hand_for_hand(case["after"], paid, 2)


def test_hand_for_hand_wants_two_tables_and_the_bubble() -> None:
    assert is_hand_for_hand(7, 6, 2)
    assert not is_hand_for_hand(7, 6, 1)
    assert not is_hand_for_hand(8, 6, 2)
    assert is_hand_for_hand(8, 6, 2, before=2)
    assert not is_hand_for_hand(6, 6, 2)


def test_equal_stacks_are_tied_in_all_their_places() -> None:
    places = by_chips({"a": 5, "b": 7, "c": 5, "d": 5}, 9)
    assert places == {"b": one(6), "a": Places(7, 9), "c": Places(7, 9), "d": Places(7, 9)}
    assert [str(places["a"]), str(places["b"])] == ["7-9", "6"]


def orbit(seats: list[str], last: str, out: dict[int, str] | None = None) -> list[str]:
    """Who has the button after the time is up, hand by hand; `out`: who goes out in which of these hands."""
    owed = here = set(range(1, len(seats) + 1))
    button = seats.index(last) + 1
    buttons: list[int] = []
    while still_to_deal(owed, here, buttons):
        button = next(iter([*sorted(seat for seat in here if seat > button), *sorted(here)]))
        buttons.append(button)
        gone = (out or {}).get(len(buttons))
        here = here - {seats.index(gone) + 1} if gone else here
    return [seats[button - 1] for button in buttons]


@pytest.mark.rule("pt-810-2015", "52/1", "52/3")
def test_everybody_has_the_deal_once_more(case: Case) -> None:
    for ref, named in (("52/1", "running"), ("52/3", "last")):
        of = case.of(ref)
        buttons = orbit(of["seats"].split(), of[named])
        assert (buttons, len(buttons)) == (of["buttons"].split(), of["hands"])


@pytest.mark.rule("pt-810-2015", "52/2")
def test_the_turn_of_who_goes_out_is_skipped(case: Case) -> None:
    buttons = orbit(list("ABCD"), "B", out={1: case["out"]})
    assert (buttons, len(buttons)) == (case["buttons"].split(), case["hands"])


def test_a_table_left_with_one_player_stops() -> None:
    assert still_to_deal([1, 2], [2], []) == set()
