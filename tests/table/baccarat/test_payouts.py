"""What a bet brings back: odds, ties, commission, to the cent, as a table settles it."""

from decimal import Decimal
from typing import Any

import pytest

from tests.banked.booked import stacks_booked
from tests.table.baccarat.play import SCORING, CoupTable, in_order
from tests.testkit.cases import Case, each_case

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"
_PONTO_WINS, _BANCA_WINS, _TIE = (7, 6), (6, 8), (3, 3)
_CHANCE = {"tie": "empate", "pair": "par_ponto"}


def paid(scores: tuple[int, int], *bets: str, mode: str = "none") -> CoupTable:
    """One coup that ends with these scores, all bets of one player; the books agree with the stack."""
    table = CoupTable(commission_mode=mode).seat(1)
    settled = table.plays(SCORING[scores], s1=bets)
    assert (settled.ponto, settled.banca, settled.commission_mode) == (*scores, mode)
    return in_the_books(table)


def in_the_books(table: CoupTable) -> CoupTable:
    stacks = {seat: sitter.stack for seat, sitter in table.state.seats.items()}
    assert stacks_booked("b1", table.told, *stacks) == stacks
    return table


def bets_of(staked: dict[str, int]) -> list[str]:
    return [f"{_CHANCE.get(name, name)} {amount}" for name, amount in staked.items()]


def scores_of(case: Case) -> tuple[int, int]:
    ponto, banca = case.ints("scores")
    return ponto, banca


@rule(_REGULATION, "5/1")
def test_one_coup_settles_all_seats_from_the_same_cards(case: Case) -> None:
    stakes, net = case.read("stakes", dict[int, int]), case.read("net", dict[int, int])
    (one, on_ponto), (two, on_banca) = stakes.items()
    table = CoupTable(commission_mode="none").seat(one, two)
    wanted = (case["ponto"], case["banca"])
    settled = table.plays(SCORING[wanted], **{f"s{one}": [f"ponto {on_ponto}"], f"s{two}": [f"banca {on_banca}"]})
    assert (settled.ponto, settled.banca) == wanted
    assert {seat: table.net(seat) for seat in stakes} == net
    assert {seat: in_the_books(table).stack(seat) - 10_000 for seat in stakes} == net
    assert (settled.house, settled.bank) == (-sum(net.values()), table.state.bank)


@rule(_REGULATION, "22/1")
def test_the_higher_score_wins_and_the_other_side_is_lost(case: Case) -> None:
    table = paid(scores_of(case), *bets_of(case.read("staked", dict[str, int])))
    assert table.credited(1) == case["credited"]
    assert (table.net(1), table.stack(1)) == (case["net"], 10_000 + case.int("net"))


@rule(_REGULATION, "22/2")
def test_a_tie_bet_loses_on_unequal_scores_and_a_pair_bet_without_a_pair(case: Case) -> None:
    table = paid(scores_of(case), *bets_of(case.read("staked", dict[str, int])))
    assert table.cards("ponto")[0] == case.cards("initial")
    assert table.credited(1) == dict.fromkeys(("empate", "par_ponto"), case["credited"])
    assert table.net(1) == case["net"]


@rule(_REGULATION, "22")
@pytest.mark.parametrize(("scores", "won", "lost"), [((7, 6), "ponto", "banca"), ((6, 8), "banca", "ponto")])
def test_either_side_can_win(scores: tuple[int, int], won: str, lost: str) -> None:
    assert paid(scores, f"{won} 300", f"{lost} 100").credited(1) == {won: 600, lost: 0}


@rule(_REGULATION, "23/1")
@pytest.mark.parametrize("mode", ["none", "five-percent"])
def test_on_equal_scores_the_tie_wins_and_a_side_comes_back(case: Case, mode: str) -> None:
    staked = case.read("staked", dict[str, int])
    table = paid(scores_of(case), *bets_of(staked), mode=mode)
    credited = case.read("credited", dict[str, int])
    assert table.credited(1) == {_CHANCE.get(name, name): amount for name, amount in credited.items()}
    assert (table.net(1), table.commission(1)) == (case["net"], 0)
    on_banca = paid(scores_of(case), "banca 1000", mode=mode)
    assert (on_banca.credited(1), on_banca.commission(1)) == ({"banca": 1000}, 0)


@rule(_REGULATION, "24/1")
def test_the_stake_of_a_winning_bet_stays_the_players(case: Case) -> None:
    stake, winnings = case.int("stake"), case.int("winnings")
    table = paid(_TIE, f"empate {stake}")
    assert table.credited(1) == {"empate": stake + winnings} == {"empate": case["credited"]}
    assert table.stack(1) == 10_000 + winnings


@rule(_REGULATION, "25.a/1")
def test_ponto_pays_as_much_again(case: Case) -> None:
    table = paid(_PONTO_WINS, f"ponto {case['stake']}")
    assert (table.credited(1), table.net(1)) == ({"ponto": case["credited"]}, case["net"])


@rule(_REGULATION, "25.a/2")
def test_banca_pays_as_much_again_without_commission(case: Case) -> None:
    table = paid(_BANCA_WINS, f"banca {case['stake']}", mode=case["mode"])
    assert (table.credited(1), table.net(1), table.commission(1)) == ({"banca": case["credited"]}, case["net"], 0)


@rule(_REGULATION, "25.b/1")
def test_the_tie_pays_eight_times_the_bet(case: Case) -> None:
    table = paid(_TIE, f"empate {case['stake']}")
    assert (table.credited(1), table.net(1)) == ({"empate": case["credited"]}, case["net"])


@rule(_REGULATION, "25.c/1")
@pytest.mark.parametrize(
    ("chance", "ponto", "banca", "winner"),
    [
        ("par_ponto", ["3s", "3d"], ["Kc", "2h", "2s"], "ponto"),
        ("par_ponto", ["Qd", "Qc", "7s"], ["Kh", "7c"], "empate"),
        ("par_ponto", ["3s", "3d"], ["Kc", "8h"], "banca"),
        ("par_banca", ["5d", "Kh", "2d"], ["2s", "2h", "Ac"], "ponto"),
        ("par_banca", ["Ks", "7h"], ["Qd", "Qc", "7s"], "empate"),
        ("par_banca", ["Kc", "2h", "Ah"], ["4s", "4d"], "banca"),
    ],
)
def test_a_pair_pays_eleven_times_the_bet_whoever_wins(
    case: Case, chance: str, ponto: list[str], banca: list[str], winner: str
) -> None:
    table = CoupTable().seat(1)
    settled = table.plays(in_order(ponto, banca), s1=[f"{chance} {case['stake']}"])
    assert settled.winner == winner
    assert (in_the_books(table).credited(1), table.net(1)) == ({chance: case["credited"]}, case["net"])


@rule(_REGULATION, "26/2")
@pytest.mark.parametrize("bets_first", [True, False])
def test_a_coup_is_settled_with_the_mode_in_force_when_its_betting_opened(case: Case, bets_first: bool) -> None:
    cards, bet = SCORING[2, case.int("score")], f"banca {case['stake']}"
    table = CoupTable(commission_mode=case["before"]).seat(1).betting(cards)
    steps: list[Any] = [lambda: table.bet(1, bet), lambda: table.change(2, commission_mode=case["after"])]
    for step in steps if bets_first else reversed(steps):
        assert step() is None, table.refused
    settled = table.close_bets()
    in_the_books(table)
    assert (settled.banca, settled.winner, settled.commission_mode) == (case["score"], "banca", case["before"])
    assert (table.commission(1), table.credited(1)) == (case["commission"], {"banca": case["credited"]})
    assert table.state.round.rules.betting.commission_mode == case["after"], "from the next coup on"


def on_banca(mode: str, placed: list[int], scores: tuple[int, int] = _BANCA_WINS) -> CoupTable:
    return paid(scores, *(f"banca {amount}" for amount in placed), mode=mode)


@rule(_REGULATION, "26.a/1")
def test_five_percent_of_what_banca_won(case: Case) -> None:
    table = on_banca(case["mode"], case.ints("placed"))
    assert (table.commission(1), table.credited(1)) == (case["commission"], {"banca": case["credited"]})
    assert table.net(1) == case["net"]


@rule(_REGULATION, "26.a/2")
def test_five_percent_down_to_the_cent(case: Case) -> None:
    table = on_banca(case["mode"], case.ints("placed"))
    _check_share(case, table, sum(case.ints("placed")))


@rule(_REGULATION, "26.a/3")
def test_five_percent_once_of_the_players_total(case: Case) -> None:
    table = on_banca(case["mode"], case.ints("placed"))
    assert sum(case.ints("placed")) == case["total"]
    _check_share(case, table, case.int("total"))


def _check_share(case: Case, table: CoupTable, winnings: int) -> None:
    exact = Decimal(winnings) * case.int("percent") / 100
    assert exact == Decimal(case.text("exact"))
    assert table.commission(1) == int(exact) == case["commission"]
    assert (table.credited(1), table.net(1)) == ({"banca": case["credited"]}, case["net"])


@rule(_REGULATION, "26.a")
def test_another_players_bet_on_banca_is_reckoned_by_itself() -> None:
    table = CoupTable(commission_mode="five-percent").seat(1, 2)
    table.plays(SCORING[_BANCA_WINS], s1=["banca 110"], s2=["banca 110"])
    assert (in_the_books(table).commission(1), table.commission(2)) == (5, 5)


@rule(_REGULATION, "26.a/4")
def test_no_commission_on_a_pair_that_wins_beside_banca(case: Case) -> None:
    table = paid((2, 6), f"par_banca {case['stake']}", mode=case["mode"])
    assert (table.cards("banca")[0], table.settled.winner) == (case.cards("initial"), "banca")
    assert (table.commission(1), table.credited(1)) == (0, {"par_banca": case["credited"]})
    assert table.net(1) == case["winnings"]


@each_case(_REGULATION, "26.b/1", "26.b/2", "26.b/3")
def test_half_is_deducted_when_banca_wins_with_one_score(case: Case) -> None:
    for banca in case.ints("banca"):
        table = on_banca(case["mode"], [case["stake"]], (case["ponto"], banca))
        assert (table.commission(1), table.credited(1)) == (case["deduction"], {"banca": case["credited"]})
        assert table.net(1) == case["net"]


@rule(_REGULATION, "26.b/4")
def test_half_is_deducted_down_to_the_cent(case: Case) -> None:
    assert Decimal(case.int("stake")) / 2 == Decimal(case.text("exact"))
    (banca,) = case.ints("banca")
    table = on_banca(case["mode"], [case["stake"]], (case["ponto"], banca))
    assert table.commission(1) == int(Decimal(case.text("exact"))) == case["deduction"]
    assert (table.credited(1), table.net(1)) == ({"banca": case["credited"]}, case["net"])


@rule(_REGULATION, "26.b")
def test_half_on_five_is_not_half_on_six() -> None:
    assert on_banca("half-on-5", [1000], (2, 6)).credited(1) == {"banca": 2000}
