"""How a coup is dealt: alternately and face down, Ponto shown first, third cards by the drawing table."""

from itertools import product
from typing import Any

import pytest

from libs.cards.card import DECK, Card, parse
from libs.contracts.baccarat_events import CoupDealt, SideShown, ThirdCardDealt
from services.table.domain.games.baccarat.dealing import deal_coup, face_of
from tests.table.baccarat.play import START, CoupTable, in_order
from tests.testkit.cases import Case, each_case

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"
_BANCA_CAME = {"draws": 3, "stands": 2}


@rule(_REGULATION, "16/1")
def test_a_bet_at_the_deadline_is_too_late_and_four_cards_come_before_anything_else(case: Case) -> None:
    ends = case.moment("ends")
    table = CoupTable(betting_ms=ends - START).seat(1, 2).betting()
    assert table.bet(1, "ponto 100") is None
    assert table.bet(2, "banca 100", now=ends - START) == "betting_is_closed"
    table.wake()
    assert table.names[:2] == ["BettingClosed", "CoupDealt"]
    dealt = table.of(CoupDealt)[0]
    assert (len(dealt.ponto), len(dealt.banca)) == (case["each"], case["each"])
    assert sorted(dealt.ponto + dealt.banca) == list(range(case["cards"]))
    assert dealt.at == ends


@rule(_REGULATION, "17/1")
def test_cards_are_dealt_alternately_from_ponto_and_lie_face_down(case: Case) -> None:
    shoe = case.cards("shoe")
    table = CoupTable().seat(1)
    table.plays(" ".join(shoe), s1=["ponto 100"])
    dealt = table.of(CoupDealt)[0]
    assert [shoe[at] for at in dealt.ponto] == table.cards("ponto")[0] == case.cards("ponto")
    assert [shoe[at] for at in dealt.banca] == table.cards("banca")[0] == case.cards("banca")
    assert not any(card in repr(dealt) for card in shoe), "places, and no cards"


@rule(_REGULATION, "18/1")
def test_pontos_are_turned_first_and_none_before_all_four_lie_there(case: Case) -> None:
    first, second, third, fourth = case.cards("shoe")
    table = CoupTable().seat(1)
    table.plays(case.text("shoe"), s1=["ponto 100"])
    of_cards: list[Any] = [e for e in table.last if isinstance(e, CoupDealt | SideShown | ThirdCardDealt)]
    dealt, *shown = of_cards
    assert isinstance(dealt, CoupDealt)
    assert [(side.side, [card.card for card in side.cards]) for side in shown] == [
        ("ponto", [first, third]),
        ("banca", [second, fourth]),
    ]


def dealt_to(ponto: list[str], banca: list[str]) -> CoupTable:
    """Whoever draws and is not named gets a nine."""
    table = CoupTable().seat(1)
    table.plays(in_order(ponto, banca) + " 9c 9d", s1=["ponto 100"])
    for side, cards in (("ponto", ponto), ("banca", banca)):
        assert table.cards(side)[0][: len(cards)] == cards
    return table


@each_case(_REGULATION, "19/1", "19/2")
def test_a_natural_of_either_side_ends_the_drawing(case: Case) -> None:
    table = dealt_to(case.cards("ponto"), case.cards("banca"))
    ponto, banca = case.ints("scores")
    assert table.of(ThirdCardDealt) == []
    assert (table.settled.ponto, table.settled.banca, table.settled.natural) == (ponto, banca, True)
    assert table.settled.winner == ("ponto" if ponto > banca else "banca")


@each_case(_REGULATION, "20/1", "20/3", "20/4")
def test_who_draws_and_who_stands(case: Case) -> None:
    third = case.cards("third")
    table = dealt_to(case.cards("ponto") + third, case.cards("banca"))
    (ponto, of_ponto), (banca, of_banca) = table.cards("ponto"), table.cards("banca")
    assert [of_ponto[0], of_banca[0]] == case["scores"]
    assert len(ponto) == 2 + len(third)
    assert len(banca) == _BANCA_CAME[case.text("banca_then")]


@rule(_REGULATION, "20/2")
def test_a_king_counts_as_ten_in_the_drawing_table(case: Case) -> None:
    (third,) = case.cards("third")
    assert face_of(parse(third)) == case["counts_as"]
    table = dealt_to([*case.cards("ponto"), third], case.cards("banca"))
    assert [table.cards(side)[1][0] for side in ("ponto", "banca")] == case["scores"]
    assert len(table.cards("banca")[0]) == _BANCA_CAME[case.text("banca_then")]


_SCORES = ["Kc Kd", "Ac Kd", "2c Kd", "3c Kd", "4c Kd", "5c Kd", "6c Kd", "7c Kd"]
"""Initial cards by what they score."""
_FACES = ["As", "2s", "3s", "4s", "5s", "6s", "7s", "8s", "9s", "Ts"]


@rule(_REGULATION, "20/5")
def test_the_drawing_table_in_every_combination(case: Case, matrix: dict[str, Any]) -> None:
    """A coup of each: Banca with 0 to 7 against every third card of Ponto, and against a Ponto that stands."""
    lowest, highest = case.ints("scores")
    first, last = case.ints("thirds")
    rows = matrix["20"]["drawing_table"]["banca_when_ponto_draws"]
    asked = {(has, third) for row in rows for has in row["banca_has"] for third in row["draws_if_ponto_third_is"]}
    drew, alone, tried = set(), [], 0
    for has in range(lowest, highest + 1):
        for third in range(first, last + 1):
            table = dealt_to(["Qc", "Qd", _FACES[third - 1]], _SCORES[has].split())
            tried += 1
            if len(table.cards("banca")[0]) == 3:
                drew.add((has, third))
        if len(dealt_to(["7h", "Qd"], _SCORES[has].split()).cards("banca")[0]) == 3:
            alone.append(has)
    assert tried == case["of"]
    assert drew == asked
    assert len(drew) == case["draws"]
    from_, to = case.ints("alone")
    assert alone == list(range(from_, to + 1))
    assert not set(alone) & set(case.ints("stands_alone"))


@rule(_REGULATION, "20")
def test_ponto_draws_up_to_five_and_stands_from_six(matrix: dict[str, Any]) -> None:
    drew = [has for has in range(8) if len(dealt_to(_SCORES[has].split(), ["7h", "Qd"]).cards("ponto")[0]) == 3]
    assert drew == matrix["20"]["drawing_table"]["ponto"]["draws_on"]


@rule(_REGULATION, "19", "20")
def test_no_side_draws_against_a_natural_and_nobody_draws_twice() -> None:
    """Whatever the initial four are, at most one card more a side."""
    ranks = [Card(rank * 4) for rank in (12, *range(8))]
    for cards in product(ranks, repeat=4):
        coup = deal_coup((*cards, DECK[0], DECK[4]), 0)
        drawn = len(coup.ponto.cards) + len(coup.banca.cards) - 4
        assert drawn == 0 if coup.natural else drawn <= 2
        assert coup.next_position == 4 + drawn


@rule(_REGULATION, "20", "21")
def test_third_cards_come_ponto_first_each_in_its_own_place() -> None:
    table = CoupTable().seat(1)
    settled = table.plays("2c Ah 3c 2d Ks 4c", s1=["ponto 100"])
    thirds = [(third.side, third.place, third.card.card, third.card.position) for third in table.of(ThirdCardDealt)]
    assert thirds == [("ponto", "third", "Ks", 4), ("banca", "third", "4c", 5)]
    assert [third.score for third in table.of(ThirdCardDealt)] == [settled.ponto, settled.banca] == [5, 7]
