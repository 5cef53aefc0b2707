"""Faults: the recorded shoe is dealt as soon as the house is back; beyond the limit the stakes go home (29)."""

import pytest

from libs.contracts.baccarat_events import CoupDealt, CoupVoided, ShoeStarted
from libs.contracts.messages import Principal
from libs.contracts.table_events import CARDS_LOST
from tests.table.baccarat.play import CoupTable
from tests.table.test_cards_lost import lose_cards
from tests.testkit.cases import Case

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"


def interrupted(betting_ms: int = 21_000, ponto: int = 1000, tie: int = 200) -> CoupTable:
    """Ponto 1000 and tie 200 lie on the table; at 10:00:21.000, when the deal is due, the house stands still."""
    table = CoupTable(betting_ms=betting_ms).seat(1).betting("4h 3d 5s 5c")
    assert table.bet(1, f"ponto {ponto}", f"empate {tie}") is None
    return table


@rule(_REGULATION, "29/1")
@pytest.mark.parametrize("by", ["house", "staff-1"])
def test_a_coup_whose_shoe_is_lost_is_void_and_the_next_has_a_fresh_one(case: Case, by: str) -> None:
    table = interrupted(ponto=case["ponto"], tie=case["tie"])
    lost = table.state.shoes
    assert lose_cards(table) == [table.state.table]
    assert (table.wake() if by == "house" else table.void("shoe order not recoverable")) is None
    (voided,) = table.of(CoupVoided)
    assert (voided.cause, voided.by) == (CARDS_LOST if by == "house" else "shoe order not recoverable", by)
    assert [(refund.seat, refund.amount, refund.stack) for refund in voided.refunds] == [(1, case["credited"], 10_000)]
    assert (table.stack(1) - 10_000, table.state.round) == (case["net"], None)
    table.wake()
    (started,) = table.of(ShoeStarted)
    assert started.shoe == lost + 1
    assert table.bet(1, "ponto 1000") is None
    assert table.close_bets().shoe == lost + 1, "and a coup comes out of it"


@rule(_REGULATION, "29/2")
def test_a_house_that_is_back_deals_the_recorded_shoe() -> None:
    table = interrupted().at(140_999, outage=True)
    assert [card.card for shown in table.told if hasattr(shown, "cards") and hasattr(shown, "side")
            for card in shown.cards] == ["4h", "5s", "3d", "5c"]  # fmt: skip
    assert table.credited(1) == {"ponto": 2000, "empate": 0}
    assert table.of(CoupVoided, everything=True) == []


def test_no_card_of_a_void_coup_was_seen_and_the_shoe_goes_on_from_there() -> None:
    table = interrupted()
    assert table.void() is None
    table.wake()
    assert table.bet(1, "ponto 1000") is None
    table.close_bets()
    assert table.of(CoupDealt)[0].ponto == [0, 2]


def test_staff_can_void_neither_a_paid_coup_nor_an_empty_one() -> None:
    table = interrupted().at(21_000)
    assert table.void() == "no_round"
    from libs.contracts.bank_commands import VoidRound

    table.bet(1, "ponto 100")
    wrong = VoidRound(round=table.state.last_round - 1, cause="x")
    assert table.send(Principal("staff", "s"), wrong) == "wrong_round"
