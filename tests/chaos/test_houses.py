"""Which rounds count, and which are fired next: a run that was stopped or that found something loses no sound round."""

from pathlib import Path
from typing import Any

import pytest

from tests.chaos.faults import FAULTS
from tests.chaos.houses import LARGEST, TURNS, Houses
from tests.chaos.results import Book, Gone, Round, read
from tests.chaos.table import rows

HANGING = ["gateway hangs", "broker hangs", "database hangs", "database killed"]
LATER = "broker killed"


def played(book: Book, house: str, problem: str = "", **rounds: int) -> Gone:
    """A house in the book; names with blanks are given with underscores."""
    faults = {name.replace("_", " "): count for name, count in rounds.items()}
    for name, count in faults.items():
        for number in range(count):
            last = number == count - 1 and problem
            book.keep(Round(name, house, fired=True, next_act=1.0, problems=[problem] if last else []))
    gone = Gone(house, faults, {"verify": "ok"}, problems=[problem] if problem else [])
    gone.met_in = next(iter(faults)) if problem else None
    book.keep(gone)
    return gone


def test_a_round_counts_once_its_house_was_gone_through(tmp_path: Path) -> None:
    book = Book(tmp_path / "results")
    played(book, "a", broker_killed=3)
    played(book, "b", problem="lost", broker_killed=2)
    book.keep(Round(LATER, "c", fired=True))  # and the run was stopped
    assert book.through() == {LATER: 3}
    assert rows(book.lines)[0][:3] == [LATER, "3 of 6", "1"]
    assert Book(tmp_path / "results", go_on=True).through() == {LATER: 3}
    assert Book(tmp_path / "results").through() == {}
    assert [line["kind"] for line in read(tmp_path / "results")].count("gone") == 2


def test_houses_are_built_until_nothing_is_missing() -> None:
    book = Book()
    houses = Houses([*HANGING, LATER], 25, book)
    fired = dict.fromkeys([*HANGING, LATER], 0)
    number = 0
    while (house := houses.next(1)) is not None:
        assert sum(house.values()) <= LARGEST
        assert max(house.values()) <= TURNS
        number += 1
        for name, rounds in house.items():
            fired[name] += rounds
        rounds_of: dict[str, Any] = {name.replace(" ", "_"): house[name] for name in house}
        houses.back(house, played(book, str(number), **rounds_of))
    assert set(fired.values()) == {25}
    assert houses.next(3) is None


def test_two_lanes_do_not_fire_the_same_rounds() -> None:
    houses = Houses([LATER], 2 * TURNS - 1, Book())
    assert [houses.next(1), houses.next(1), houses.next(1)] == [{LATER: TURNS}, {LATER: TURNS - 1}, None]


def test_who_spoils_a_house_is_fired_alone_and_left_in_the_end() -> None:
    book = Book()
    houses = Houses(HANGING, 5, book)
    spoiler, *sound = HANGING
    house = houses.next(1)
    assert house == dict.fromkeys(HANGING, 5)
    houses.back(house, played(book, "a", problem="lost", gateway_hangs=1))
    assert houses.next(1) == dict.fromkeys(sound, 5)
    for name in "bc":
        house = houses.next(1)
        assert house == {spoiler: 5}
        houses.back(house, played(book, name, problem="lost", gateway_hangs=1))
    assert houses.next(1) is None
    assert houses.missing(spoiler) == 5


def test_nothing_begins_when_it_is_late() -> None:
    assert Houses([LATER], 25, Book(), minutes=0).next(1) is None


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_gets_a_house(name: str) -> None:
    assert Houses([name], 25, Book()).next(FAULTS[name].nodes) == {name: TURNS}
