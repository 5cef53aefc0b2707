"""Bead road and big road: known shapes drawn by hand, and properties over any history."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.table.domain.games.baccarat.dealing import Winner
from services.table.domain.games.baccarat.roads import ROWS, bead_place, big_place
from tests.table.baccarat.play import CoupTable

_WORDS: dict[str, Winner] = {"P": "ponto", "B": "banca", "T": "empate"}


def road(history: str) -> list[tuple[int, int, int]]:
    """Column, row and ties of every coup of `PPBT…`."""
    winners = [_WORDS[letter] for letter in history]
    places = [big_place(winners[: count + 1]) for count in range(len(winners))]
    return [(place.column, place.row, place.ties) for place in places]


def test_the_bead_road_fills_columns_of_six() -> None:
    assert [bead_place(coup) for coup in (1, 2, 6, 7, 13)] == [(1, 1), (1, 2), (1, 6), (2, 1), (3, 1)]


def test_a_side_goes_down_and_the_other_begins_a_column() -> None:
    assert road("PPBBBP") == [(1, 1, 0), (1, 2, 0), (2, 1, 0), (2, 2, 0), (2, 3, 0), (3, 1, 0)]


def test_a_tie_marks_the_last_place_and_moves_nothing() -> None:
    assert road("PTTB") == [(1, 1, 0), (1, 1, 1), (1, 1, 2), (2, 1, 0)]


def test_ties_before_the_first_win_lie_on_the_first_place() -> None:
    assert road("TTPB") == [(1, 1, 1), (1, 1, 2), (1, 1, 2), (2, 1, 0)]


def test_a_long_run_turns_right_at_the_bottom() -> None:
    assert road("P" * 9)[5:] == [(1, 6, 0), (2, 6, 0), (3, 6, 0), (4, 6, 0)]


def test_a_run_turns_right_above_the_tail_of_another() -> None:
    """Eight of Ponto lie along the bottom to column 3: the next column ends a row above it."""
    assert road("P" * 8 + "B" * 7)[8:] == [(2, 1, 0), (2, 2, 0), (2, 3, 0), (2, 4, 0), (2, 5, 0), (3, 5, 0), (4, 5, 0)]


@given(st.text("PBT", max_size=90))
def test_no_two_wins_share_a_place_and_none_is_below_the_grid(history: str) -> None:
    places = [place[:2] for letter, place in zip(history, road(history), strict=True) if letter != "T"]
    assert len(set(places)) == len(places)
    assert all(1 <= row <= ROWS and column >= 1 for column, row in places)


@given(st.text("PBT", min_size=1, max_size=90))
def test_a_tie_is_where_the_last_win_is(history: str) -> None:
    column, row, ties = road(history)[-1]
    before = history.rstrip("T")
    assert (column, row) == (road(before)[-1][:2] if before else (1, 1))
    assert ties >= len(history) - len(before)


@pytest.mark.parametrize("coups", [1, 7])
def test_a_settled_coup_says_its_place_on_both_roads(coups: int) -> None:
    table = CoupTable().seat(1)
    winners: list[Winner] = []
    for _ in range(coups):
        if table.state.round is None:
            table.wake()
        assert table.bet(1, "ponto 100") is None
        settled = table.close_bets()
        winners.append(settled.winner)
    big = big_place(winners)
    assert settled.coup == coups
    assert (settled.bead.column, settled.bead.row) == bead_place(coups)
    assert (settled.big.column, settled.big.row, settled.big.ties) == (big.column, big.row, big.ties)


def test_the_roads_begin_anew_with_a_shoe() -> None:
    table = CoupTable(shuffle_every_coup=True).seat(1)
    for _ in range(3):
        if table.state.round is None:
            table.wake()
        assert table.bet(1, "ponto 100") is None
        settled = table.close_bets()
        assert (settled.coup, settled.bead.column, settled.bead.row) == (1, 1, 1)
        table.wake()
