"""The house edge of every bet, exact, and pinned to what others have counted."""

from fractions import Fraction
from random import Random

import pytest
from typer import Typer
from typer.testing import CliRunner

from libs.cards.card import DECK
from libs.contracts.baccarat_commands import Chance
from services.cli.house_edge import house_edge
from services.cli.house_edges.baccarat import Ending, Odds, gain, odds
from services.cli.house_edges.figures import baccarat_figures
from services.table.domain.games.baccarat.dealing import deal_coup
from services.table.domain.games.baccarat.paying import CHANCES, CommissionMode, pay

_APP = Typer()
_APP.command()(house_edge)


def orders_of(odds: Odds, winner: str, banca_score: int | None = None) -> int:
    """That `winner` wins; with `banca_score`, with that score of Banca."""
    return sum(
        orders
        for ending, orders in odds.orders.items()
        if ending.winner == winner and banca_score in (None, ending.banca_score)
    )


@pytest.fixture(scope="module")
def eight() -> Odds:
    return odds(8)


@pytest.fixture(scope="module")
def six() -> Odds:
    return odds(6)


def test_orders_of_an_eight_deck_shoe(eight: Odds) -> None:
    """As published, to the last order (casinoexploit.com); Banca's wins with 5 and 6 (excelpunks.com)."""
    assert orders_of(eight, "banca") == 2_292_252_566_437_888
    assert orders_of(eight, "ponto") == 2_230_518_282_592_256
    assert orders_of(eight, "empate") == 475_627_426_473_216
    assert eight.whole == 4_998_398_275_503_360
    assert orders_of(eight, "banca", 5) == 216_715_928_915_968
    assert orders_of(eight, "banca", 6) == 269_232_304_455_680


def test_orders_of_a_six_deck_shoe(six: Odds) -> None:
    """As published (casinoexploit.com; Banca's wins with 6: Wizard of Odds, commission-free baccarat)."""
    assert orders_of(six, "banca") == 403_095_751_234_560
    assert orders_of(six, "ponto") == 392_220_492_728_832
    assert orders_of(six, "empate") == 83_552_962_932_288
    assert orders_of(six, "banca", 6) == 47_322_230_031_360


@pytest.mark.parametrize(
    ("chance", "mode", "percent"),
    [
        ("ponto", "none", "1.2351"),
        ("banca", "five-percent", "1.0579"),
        ("banca", "half-on-5", "0.9328"),
        ("banca", "half-on-6", "1.4581"),
        ("banca", "none", "-1.2351"),
        ("empate", "none", "14.3596"),
        ("par_ponto", "none", "10.3614"),
        ("par_banca", "none", "10.3614"),
    ],
)
def test_the_edge_of_eight_decks(eight: Odds, chance: Chance, mode: CommissionMode, percent: str) -> None:
    assert f"{float(eight.edge(chance, mode)) * 100:.4f}" == percent


@pytest.mark.parametrize("decks", [6, 8])
def test_the_edge_of_a_pair_by_hand(decks: int, six: Odds, eight: Odds) -> None:
    """Whatever the first card is, 4d - 1 of the 52d - 1 others pair it."""
    counted = (six if decks == 6 else eight).edge("par_ponto")
    assert counted == 1 - 12 * Fraction(4 * decks - 1, 52 * decks - 1)


def test_every_published_figure_is_ours_rounded() -> None:
    assert [figure for figure in baccarat_figures() if not figure.agrees] == []


def test_both_half_scores_at_once_would_be_no_alternative_to_five_percent(eight: Odds) -> None:
    """Why the readings of 26.b take one score: both together keep 3.63 % (the matrix says so, and so do we)."""
    both = eight.edge("banca", "none") + sum(
        Fraction(orders_of(eight, "banca", score), 2 * eight.whole) for score in (5, 6)
    )
    assert f"{float(both) * 100:.2f}" == "3.63"


def test_what_is_counted_is_what_the_table_deals_and_pays(eight: Odds) -> None:
    """Random shoes through the table's own dealing and paying: every ending was counted, and pays as counted."""
    dice = Random(812)
    shoe = [*DECK] * 8
    for _ in range(2000):
        dice.shuffle(shoe)
        dealt = deal_coup(shoe, 0)
        ending = Ending(dealt.winner, dealt.banca.score)
        assert ending in eight.orders
        for mode in ("none", "five-percent", "half-on-5", "half-on-6"):
            paid = pay(dict.fromkeys(CHANCES, 20), dealt, mode)
            assert [bet.credited - bet.staked for bet in paid[:3]] == [
                20 * gain(bet.chance, ending, mode) for bet in paid[:3]
            ]


def test_the_command_shows_every_figure_beside_the_published_one() -> None:
    result = CliRunner().invoke(_APP, ["baccarat"])
    assert result.exit_code == 0, result.output
    for text in ("1.235081", "1.057906", "14.359629", "0.932772", "1.458104", "exact"):
        assert text in result.output
