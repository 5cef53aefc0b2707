"""The combinations of pt-217-2007 17, 18, 72, 73 and 94: a showdown of each accept case, by its cards."""

import pytest

from libs.contracts.poker_events import CardsShown, PotAwarded
from tests.table.casino.play import category, h6, rule, winner
from tests.table.play import stacked


@pytest.mark.parametrize(
    ("board", "x", "y", "combination"),
    [
        pytest.param("Qs Js Ts 2d 2h", "As Ks", "2c 2s", "royal_flush", marks=rule("17.a")),
        pytest.param("5h 4h 3h Kd Ks", "Ah 2h", "Kh Kc", "straight_flush", marks=rule("17.b")),
        pytest.param("9s 9d Ac Ad 4h", "9h 9c", "As 4d", "four_of_a_kind", marks=rule("17.c")),
        pytest.param("7s 7d 5c Kh 2h", "7h 5d", "Ah 9h", "full_house", marks=rule("17.d")),
        pytest.param("7s 7d Kh 9h 2h", "7c 2c", "Ah 4h", "full_house", marks=rule("17.d")),
        pytest.param("Kh 9h 5h 8c 7d", "Ah 2h", "Jc Ts", "flush", marks=rule("17.e")),
        pytest.param("6c 7d 8s Kd Kh", "9h Th", "Kc 2d", "straight", marks=rule("17.f")),
        pytest.param("Qs Jd 8c 3h 2d", "8d 8h", "Qd Jc", "three_of_a_kind", marks=rule("17.g")),
        pytest.param("Ts 6d 4c 3h Kd", "6c 4d", "Ad Ah", "two_pair", marks=rule("17.h")),
        pytest.param("Ts 6d 4c 3h Kd", "3c 8d", "Ad Qh", "pair", marks=rule("17.i")),
        pytest.param("Ks 9d 7c 4h 2d", "Qc 3d", "Jc Th", "high_card", marks=rule("17.j")),
        pytest.param("8s 8h 8d 8c 3d", "Kd 2c", "Qd Jc", "four_of_a_kind", marks=rule("18.a")),
        pytest.param("9s 9h 3d 3c Kd", "9d 9c", "3s 3h", "four_of_a_kind", marks=rule("18.a")),
        pytest.param("Ts Td 4h 4c 2s", "Tc 9c", "4s Kd", "full_house", marks=rule("18.b")),
        pytest.param("Ts Td Th 4c 2s", "5h 5d", "4h Ac", "full_house", marks=rule("18.b")),
        pytest.param("2c 3d 4h 5s Kd", "6d Jc", "Ac 9h", "straight", marks=rule("18.c", "72")),
        pytest.param("7h 8h 9h 2c Kd", "Th Jh", "5h 6h", "straight_flush", marks=rule("18.c")),
        pytest.param("Kh 9h 5h 2h 3c", "Qh 4d", "Jh Th", "flush", marks=rule("18.d")),
        pytest.param("Ah Kh Qh 9h 4c", "3h 2d", "2h Jc", "flush", marks=rule("18.d")),
        pytest.param("Js Jd 8c 5h 2d", "Jh 9c", "Jc 7s", "three_of_a_kind", marks=rule("18.e")),
        pytest.param("Js Jd Ac 5h 2d", "Jh 9c", "Jc 8s", "three_of_a_kind", marks=rule("18.e")),
        pytest.param("Js 8d 4c 5h 2d", "Jh Jc", "8h 8s", "three_of_a_kind", marks=rule("18.e")),
        pytest.param("As Ad 7c 7h 3s", "Kd 4c", "Qd Jd", "two_pair", marks=rule("18.f")),
        pytest.param("Ks 7d 7c 4h 2s", "Kd 3c", "Qc Qd", "two_pair", marks=rule("18.f")),
        pytest.param("Ks 7d 6c 4h 2s", "Kd 7c", "Kh 6d", "two_pair", marks=rule("18.f")),
        pytest.param("Qs 9d 6c 4h 2s", "Qd Tc", "Qh 8c", "pair", marks=rule("18.g")),
        pytest.param("As 9d 7c 4h 2s", "Ad Tc", "Kh Kd", "pair", marks=rule("18.g")),
        pytest.param("Qs Kd 9c 4h 2s", "Qd 8c", "Qh 7c", "pair", marks=rule("18.g")),
        pytest.param("Qh 8h 3h 2h 9c", "As Ah", "7h 6h", "flush", marks=rule("94")),
    ],
)
def test_x_beats_y_in_holdem(board: str, x: str, y: str, combination: str) -> None:
    assert winner(board, x, y) == "x"
    assert category(x, board) == combination


@pytest.mark.parametrize(
    ("board", "x", "y"),
    [
        pytest.param("Ks 9d 7c 4h 2d", "Qc 3d", "Qh 3s", marks=rule("17.j")),
        pytest.param("8s 8h 8d 8c 3d", "Kd 2c", "Ks Jc", marks=rule("18.a")),
        pytest.param("Ts Td 4h 4c 2s", "Th 2d", "Tc 9c", marks=rule("18.b")),
        pytest.param("As Ad 7c 7h 3s", "Kd 4c", "Kh 2d", marks=rule("18.f")),
        pytest.param("As Ks Qs Js Ts", "2c 3d", "9s 8s", marks=rule("94", "17.a")),
    ],
)
def test_equal_hands_tie(board: str, x: str, y: str) -> None:
    assert winner(board, x, y) == "tie"


@pytest.mark.parametrize(
    ("board", "x", "y", "of_x", "of_y"),
    [
        pytest.param("2h 3d 4c 9s Kd", "As 5s Qh Jc", "Kh Ks Th 8c", "straight", "three_of_a_kind", marks=rule("72")),
        pytest.param("Qh 8h 3h 2h 9c", "7h 6h 5s 4s", "As Ad Ah Kc", "flush", "pair", marks=rule("73")),
        pytest.param("Ks Kh Kd Kc 2s", "As Ah 3d 4d", "Qs Qh Jd Jh", "full_house", "full_house", marks=rule("73")),
    ],
)
def test_x_beats_y_in_omaha(board: str, x: str, y: str, of_x: str, of_y: str) -> None:
    """Exactly two own cards: one heart in hand makes no flush, and nobody has the four kings of the board."""
    assert winner(board, x, y, "omaha") == "x"
    assert (category(x, board, "omaha"), category(y, board, "omaha")) == (of_x, of_y)


@rule("72")
def test_the_ace_does_not_stand_in_the_middle_of_a_straight() -> None:
    assert category("Qs Kd", "As 2d 3c 8h 9h") == "high_card"


@rule("94", "17.a")
def test_both_play_the_board_and_share_it() -> None:
    deck = "2c 9s 4c 4d 5c 5d 3d 8s 6c 6d 7c 7d Ac As Ks Qs Ad Js Ah Ts"
    table = h6(fresh=stacked(deck)).plays("3 fold", "4 fold", "5 fold", "6 fold", "1 call", "2 check").checks_down()
    assert [event.category for event in table.of(CardsShown, everything=True)] == ["royal_flush"] * 2
    (award,) = table.of(PotAwarded, everything=True)
    assert [(paid.seat, paid.gross) for paid in award.payments] == [(1, 200), (2, 200)]
