"""Which hand is higher (pt-803-2015-no-draw 7 to 9, 13)."""

from itertools import combinations

import pytest

from libs.cards.card import parse_all
from libs.cards.ranking import category_of, five_strength
from services.table.domain.games.no_draw_poker.settlement import compare_hands, dealer_plays
from tests.table.no_draw.play import ACE_KING, REGULATION, one_round

BEST_FIRST = (
    "Ah Kh Qh Jh Th",
    "9d 8d 7d 6d 5d",
    "5s 5h 5d 5c 9h",
    "Ts Td Tc 4h 4d",
    "Kh 9h 7h 4h 2h",
    "9h 8d 7c 6s 5h",
    "6s 6h 6d Qc As",
    "Kh Ks 9d 9c 2h",
    "8c 8d Ks 5h 2c",
    "Ad Kc Qh 9s 3c",
)


def against(player: str, dealer: str, suit_tiebreak: bool = True) -> tuple[str, str]:
    comparison = compare_hands(parse_all(player), parse_all(dealer), suit_tiebreak)
    return comparison.winner, comparison.decided_by


def category(hand: str) -> str:
    return category_of(five_strength(parse_all(hand)))


@pytest.mark.rule(REGULATION, "7")
def test_each_kind_beats_all_below_it() -> None:
    for higher, lower in combinations(BEST_FIRST, 2):
        assert against(higher, lower) == ("player", "category")
        assert against(lower, higher) == ("dealer", "category")
    assert one_round("Ts Td Tc 4h 4d", "6s 6h 6d Qc As").nets == {1: 1500}
    assert one_round("6s 6h 6d Qc As", "Ts Td Tc 4h 4d").nets == {1: -300}


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        pytest.param("Ah Kh Qh Jh Th", "royal_flush", marks=pytest.mark.rule(REGULATION, "7.a")),
        pytest.param("Ah Kh Qh Jh Td", "straight", marks=pytest.mark.rule(REGULATION, "7.a")),
        pytest.param("5s 4s 3s 2s As", "straight_flush", marks=pytest.mark.rule(REGULATION, "7.b")),
        pytest.param("9d 8d 7d 6d 5d", "straight_flush", marks=pytest.mark.rule(REGULATION, "7.b")),
        pytest.param("5s 5h 5d 5c 9h", "four_of_a_kind", marks=pytest.mark.rule(REGULATION, "7.c")),
        pytest.param("Ts Td Tc 4h 4d", "full_house", marks=pytest.mark.rule(REGULATION, "7.d")),
        pytest.param("Kh 9h 7h 4h 2h", "flush", marks=pytest.mark.rule(REGULATION, "7.e")),
        pytest.param("9h 8d 7c 6s 5h", "straight", marks=pytest.mark.rule(REGULATION, "7.f")),
        pytest.param("9h 8h 7h 6h 5d", "straight", marks=pytest.mark.rule(REGULATION, "7.f")),
        pytest.param("6s 6h 6d Qc As", "three_of_a_kind", marks=pytest.mark.rule(REGULATION, "7.g")),
        pytest.param("Kh Ks 9d 9c 2h", "two_pair", marks=pytest.mark.rule(REGULATION, "7.h")),
        pytest.param("8c 8d Ks 5h 2c", "pair", marks=pytest.mark.rule(REGULATION, "7.i")),
        pytest.param("Ah Kd Qc Js Td", "straight", marks=pytest.mark.rule(REGULATION, "8")),
        pytest.param("Qh Kd As 2c 3h", "high_card", marks=pytest.mark.rule(REGULATION, "8")),
    ],
)
def test_what_a_hand_is(hand: str, expected: str) -> None:
    assert category(hand) == expected


@pytest.mark.rule(REGULATION, "7.b", "8")
def test_the_ace_is_low_in_the_steel_wheel_and_the_wheel() -> None:
    assert against("5s 4s 3s 2s As", "6d 5d 4d 3d 2d") == ("dealer", "13.a")
    assert against("Ah 2d 3s 4c 5d", "2s 3h 4d 5c 6c") == ("dealer", "13.a")
    assert one_round("Ah 2d 3s 4c 5d", "2s 3h 4d 5c 6c").nets == {1: -300}


@pytest.mark.rule(REGULATION, "8")
def test_ace_high_is_the_highest_straight() -> None:
    assert against("Ah Kd Qc Js Td", "Kh Qd Jc Ts 9d") == ("player", "13.a")
    assert against("Ah Kd Qc Js Td", "As Kc Qd Jh Ts") == ("nobody", "")


@pytest.mark.rule(REGULATION, "7.j", "9")
def test_high_cards_are_compared_one_by_one() -> None:
    assert against("Ad Kc Qh 9s 3c", "Ac Ks Jd 9h 8s") == ("player", "9")
    table = one_round("Ad Kc Qh 9s 3c", "Ac Ks Jd 9h 8s")
    assert table.nets == {1: 300}
    assert (table.settled.results[0].category, table.settled.results[0].decided_by) == ("high_card", "9")


@pytest.mark.rule(REGULATION, "9")
@pytest.mark.parametrize(
    ("player", "dealer", "ante", "net", "decided_by"),
    [
        ("As Ks Js 6d 3c", "Ad Kh Jc 6h 3s", 600, 1800, "9-suit"),
        ("As Kc Td 8h 4c", "Ah Kh Th 8c 4d", 200, -600, "9-suit"),
        ("Ac Kc Qc 7d 4h", "Ah Kh Qh 7c 4d", 100, 0, ""),
        ("Ad Kd 9d 7d 2c", "Ac Kc 9c 7s 2h", 100, 0, ""),
        ("As Kd 9c 7h 2s", "Ah Kc 9d 7s 2d", 100, 0, ""),
    ],
)
def test_three_of_one_suit_break_a_tie_of_high_cards(
    player: str, dealer: str, ante: int, net: int, decided_by: str
) -> None:
    table = one_round(player, dealer, ante)
    assert table.nets == {1: net}
    assert table.settled.results[0].decided_by == decided_by
    outcome = "win" if net > 0 else "lose" if net < 0 else "tie"
    credited = {"win": 6 * ante, "lose": 0, "tie": 3 * ante}[outcome]
    assert (table.settled.results[0].outcome, table.settled.results[0].credited) == (outcome, credited)


@pytest.mark.rule(REGULATION, "9")
def test_the_suit_rule_is_a_setting_of_the_table() -> None:
    assert against("As Ks Js 6d 3c", "Ad Kh Jc 6h 3s", suit_tiebreak=False) == ("nobody", "")


@pytest.mark.rule(REGULATION, "7.k", "25")
@pytest.mark.parametrize(
    ("dealer", "plays"),
    [
        ("Ac Kd Jh 7s 4s", True),
        ("As Kd 4c 3h 2s", True),
        ("As Qd Jc Th 9s", False),
        ("Ks Qd Jc Th 8s", False),
        ("2s 2d 7c 5h 4s", True),
    ],
)
def test_the_least_with_which_the_dealer_plays(dealer: str, plays: bool) -> None:
    assert dealer_plays(parse_all(dealer)) is plays
    player = "3c 3d 6h 9c 7d"
    table = one_round(player, dealer)
    assert table.settled.results[0].outcome == ("win" if plays else "dealer_not_qualified")
    assert table.nets == {1: 300 if plays else 100}


@pytest.mark.rule(REGULATION, "13")
def test_the_same_kind_is_decided_by_the_higher_cards() -> None:
    assert against("Qc Qd 9h 8s 4d", "Jh Js Ad Kc 3s") == ("player", "13.g")
    assert one_round("Qc Qd 9h 8s 4d", "Jh Js Ad Kc 3s").nets == {1: 300}
    assert against("Ah Kh Qh Jh Th", "As Ks Qs Js Ts") == ("nobody", "")


@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        pytest.param(
            "Th 9d 8c 7s 6h", "9s 8h 7d 6c 5s", ("player", "13.a"), marks=pytest.mark.rule(REGULATION, "13.a")
        ),
        pytest.param("9h 8d 7c 6s 5h", "9s 8c 7h 6d 5c", ("nobody", ""), marks=pytest.mark.rule(REGULATION, "13.a")),
        pytest.param(
            "Td 9d 8d 7d 6d", "9s 8s 7s 6s 5s", ("player", "13.a"), marks=pytest.mark.rule(REGULATION, "13.a")
        ),
        pytest.param(
            "5s 5h 5d 5c 9h", "4s 4h 4d 4c As", ("player", "13.b"), marks=pytest.mark.rule(REGULATION, "13.b")
        ),
        pytest.param(
            "Ts Td Tc 4h 4d", "9s 9d 9c Ah Ad", ("player", "13.c"), marks=pytest.mark.rule(REGULATION, "13.c")
        ),
        pytest.param(
            "Ah Kh 9h 5h 3h", "As Ks 9s 6s 2s", ("dealer", "13.d"), marks=pytest.mark.rule(REGULATION, "13.d")
        ),
        pytest.param("Ah Kh 9h 5h 3h", "As Ks 9s 5s 3s", ("nobody", ""), marks=pytest.mark.rule(REGULATION, "13.d")),
        pytest.param(
            "7s 7h 7d Qc 2s", "6s 6h 6d Ac Ks", ("player", "13.e"), marks=pytest.mark.rule(REGULATION, "13.e")
        ),
        pytest.param(
            "Js Jd 7c 7s Ac", "Jh Jc 5d 5h Kd", ("player", "13.f"), marks=pytest.mark.rule(REGULATION, "13.f")
        ),
        pytest.param("Js Jd 7c 7s 9c", "Jh Jc 7d 7h 9d", ("nobody", ""), marks=pytest.mark.rule(REGULATION, "13.f")),
        pytest.param(
            "Js Jd 7c 7s 9c", "Jh Jc 7d 7h 8d", ("player", "13.f"), marks=pytest.mark.rule(REGULATION, "13.f")
        ),
        pytest.param(
            "Qc Qd Kh 8s 4d", "Qh Qs Kd 8c 3s", ("player", "13.g"), marks=pytest.mark.rule(REGULATION, "13.g")
        ),
        pytest.param("Qc Qd Kd 8d 4s", "Qh Qs Kc 8c 4h", ("nobody", ""), marks=pytest.mark.rule(REGULATION, "13.g")),
    ],
)
def test_hands_of_the_same_kind(player: str, dealer: str, expected: tuple[str, str]) -> None:
    mirrored = {"player": "dealer", "dealer": "player", "nobody": "nobody"}[expected[0]]
    assert against(player, dealer) == expected
    assert against(dealer, player) == (mirrored, expected[1])
    outcome = {"player": "win", "dealer": "lose", "nobody": "tie"}[expected[0]]
    assert one_round(player, dealer).settled.results[0].outcome == outcome


def test_ace_king_of_these_tests_is_what_it_says() -> None:
    assert category(ACE_KING) == "high_card"
    assert dealer_plays(parse_all(ACE_KING))
