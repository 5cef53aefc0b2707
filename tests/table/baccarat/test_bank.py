"""The bank of a baccarat table: it pays, it is never below zero, and no lawful bet is refused for its sake."""

import pytest

from libs.cards.card import parse_all
from libs.contracts.baccarat_commands import Chance
from libs.contracts.baccarat_events import CoupSettled
from libs.contracts.bank_events import BankAlarmRaised, BankClosed, BankCovered, BankOpened
from libs.contracts.table_events import TableClosed
from services.table.domain.games.baccarat.dealing import deal_coup
from services.table.domain.games.baccarat.paying import CHANCES, exposure_of, pay
from tests.table.baccarat.play import BANK, MACAU, CoupTable


def test_the_bank_opens_with_the_table_and_pays_what_seats_win() -> None:
    table = CoupTable().seat(1)
    opened = table.of(BankOpened, everything=True)[0]
    assert (opened.amount, opened.bank, opened.risk_limit) == (0, 0, BANK)
    settled = table.plays("4h 3d 5s 5c", s1=["ponto 1000"])
    assert (settled.house, settled.bank, table.state.bank) == (-1000, BANK - 1000, BANK - 1000)


def test_a_macau_table_takes_every_lawful_bet_raises_the_alarm_pays_in_full_and_closes() -> None:
    table = CoupTable(MACAU, bank=50_000).seat(1, amount=100_000).betting("4h 3d 5s 5c")
    assert table.bet(1, "ponto 80000") is None
    settled = table.close_bets()
    alarm = table.of(BankAlarmRaised)[0]
    assert (alarm.bank, alarm.exposure) == (50_000, 80_000)
    assert table.credited(1) == {"ponto": 160_000}
    covered = table.of(BankCovered)[0]
    assert (covered.amount, covered.bank, settled.bank) == (30_000, 80_000, 0)
    assert [type(event) for event in table.last[-2:]] == [BankClosed, TableClosed]
    assert table.state.bank == 0


def test_a_macau_table_that_wins_after_an_alarm_covers_nothing_and_closes_too() -> None:
    table = CoupTable(MACAU, bank=50_000).seat(1, amount=100_000).betting("4h 3d 5s 5c")
    assert table.bet(1, "banca 80000") is None
    settled = table.close_bets()
    assert (len(table.of(BankAlarmRaised)), table.of(BankCovered), settled.bank) == (1, [], 130_000)
    assert table.state.status == "closed"


def test_a_macau_bank_that_pays_its_last_cent_raises_the_alarm() -> None:
    """Nothing was beyond it, so nothing is covered and nobody was told before; but it takes no bet any more."""
    table = CoupTable(MACAU, bank=50_000).seat(1, amount=100_000).betting("4h 3d 5s 5c")
    assert table.bet(1, "ponto 50000") is None
    settled = table.close_bets()
    assert (settled.bank, table.of(BankCovered), table.state.status) == (0, [], "open")
    assert [(event.bank, event.exposure) for event in table.of(BankAlarmRaised)] == [(0, 1)]


def test_chapter_one_takes_no_bet_while_the_bank_can_not_pay_the_worst_case() -> None:
    """One seat at its limits can win 29,600; a win of 7,000 leaves less than that in this bank."""
    table = CoupTable(mode="single", bank=30_000).seat(1).betting("4h 3d 5s 5c")
    assert table.bet(1, "ponto 7000") is None
    assert table.deal() is None
    assert [event.exposure for event in table.of(BankAlarmRaised)] == [29_600]
    table.wake()
    assert table.state.round is None
    assert table.bet(1, "ponto 100") == "bank_too_small"


@pytest.mark.parametrize(
    "stakes",
    [
        {"ponto": 100}, {"ponto": 500, "banca": 300}, {"empate": 100}, {"ponto": 900, "empate": 100, "par_ponto": 50},
        {"par_ponto": 100, "par_banca": 100}, {"banca": 700, "par_banca": 10, "empate": 20},
    ],
)  # fmt: skip
def test_no_coup_costs_more_than_the_exposure_said(stakes: dict[Chance, int]) -> None:
    """Every winner with every pair, without commission, which only lowers it."""
    coups = ["4h 3d 5s 5c", "2h Qs 4c 5d 3h", "2h Qs 4c 3d 3h", "3s 7c 3d 3h Kd", "Kd 4h Kh 5h", "Qd 4h Qc 4d",
             "Kd 9h Kh 9d", "4h 4d 4s 4c", "2c 9s 3c Kd"]  # fmt: skip
    worst = max(_cost(stakes, coup) for coup in coups)
    assert worst <= exposure_of(stakes)
    assert set(stakes) <= set(CHANCES)


def _cost(stakes: dict[Chance, int], cards: str) -> int:
    return sum(paid.credited - paid.staked for paid in pay(stakes, deal_coup(parse_all(cards), 0), "none"))


def test_every_settlement_says_the_bank_after_it() -> None:
    table = CoupTable().seat(1, 2, amount=1_000_000)
    bank = BANK
    for _ in range(20):
        if table.state.round is None:
            table.wake()
        assert table.bet(1, "ponto 700", "empate 100") is None
        assert table.bet(2, "banca 500", "par_banca 100") is None
        settled = table.close_bets()
        bank += settled.house
        assert settled.bank == bank == table.state.bank
    assert len(table.of(CoupSettled, everything=True)) == 20
