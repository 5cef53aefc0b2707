"""What cards count and when two of them are a pair, as a table deals, scores and pays them."""

import pytest

from tests.table.baccarat.play import CoupTable, in_order
from tests.testkit.cases import Case, each_case

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"
_STANDS = ["7s", "Kc"]
_NATURAL = ["9s", "Kc"]
_COUNTS = {"A": 1, **dict.fromkeys("TJQK", 0)}


def ponto_with(cards: list[str], *bets: str, decks: int = 8) -> CoupTable:
    """Ponto is dealt these and no others, against a Banca that leaves it alone; so it may have too few to stand on."""
    banca = _STANDS if len(cards) > 2 or sum(map(counts, cards)) % 10 > 5 else _NATURAL
    table = CoupTable(decks=decks, commission_mode="none").seat(1)
    table.plays(in_order(cards, banca), s1=bets or ["ponto 100"])
    assert table.cards("ponto")[0] == cards
    return table


def counts(card: str) -> int:
    return _COUNTS[card[0]] if card[0] in _COUNTS else int(card[0])


@each_case(_REGULATION, "7.a/1", "7.b/1", "7.b/2", "7.c/1")
def test_what_two_cards_score(case: Case) -> None:
    table = ponto_with(case.cards("hand"))
    assert table.cards("ponto")[1] == [case["score"]]
    assert table.settled.ponto == case["score"]


@each_case(_REGULATION, "8/1", "8/2", "8/3")
def test_a_score_is_the_last_digit_of_the_sum(case: Case) -> None:
    cards = case.cards("hand")
    assert sum(map(counts, cards)) == case["sum"]
    table = ponto_with(cards)
    assert table.cards("ponto")[1][-1] == case["score"]
    assert table.settled.ponto == case["score"]


@rule(_REGULATION, "2.e/1")
def test_a_pair_is_two_cards_of_one_rank(case: Case) -> None:
    assert ponto_with(case.cards("pair")).settled.ponto_pair
    for cards in case.read("none", list[str]):
        assert {card[0] for card in cards.split()} == {cards[0], cards[3]}
        assert not ponto_with(cards.split()).settled.ponto_pair, cards
    for cards in (case.text("pair"), case.read("none", list[str])[1]):
        table = ponto_with(cards.split())
        assert table.cards("ponto")[1] == [case["counts"]], "what counts nothing is not alike for that"


@rule(_REGULATION, "2.e/2")
def test_the_same_card_twice_is_a_pair(case: Case) -> None:
    for decks in case.ints("decks"):
        assert ponto_with(case.cards("pair"), decks=decks).settled.ponto_pair


@rule(_REGULATION, "11/1")
def test_an_initial_pair_is_paid_whoever_wins(case: Case) -> None:
    table = CoupTable().seat(1)
    banca, bet = [*case.cards("pair"), "Ac"], case.int("bet")
    settled = table.plays(in_order(["5d", "Kh", "2d"], banca), s1=[f"par_banca {bet}"])
    assert (table.cards("banca")[0], settled.winner, settled.banca_pair) == (banca, "ponto", True)
    assert table.credited(1) == {"par_banca": bet + case.int("winnings")}


@rule(_REGULATION, "11/2")
def test_a_third_card_makes_no_pair(case: Case) -> None:
    table = ponto_with(case.cards("ponto"), f"par_ponto {case['bet']}")
    assert not table.settled.ponto_pair
    assert (table.credited(1), table.net(1)) == ({"par_ponto": 0}, -case.int("bet"))


@rule(_REGULATION, "12/1")
def test_cards_that_count_nothing_pair_with_their_own_rank(case: Case) -> None:
    bet = case.int("bet")
    assert ponto_with(case.cards("none"), f"par_ponto {bet}").credited(1) == {"par_ponto": 0}
    assert ponto_with(case.cards("pair"), f"par_ponto {bet}").net(1) == case["winnings"]
