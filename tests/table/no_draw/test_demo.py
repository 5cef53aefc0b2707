"""Demonstration tables play the real game with money that is none (pt-803-2015-no-draw 43, 44)."""

import pytest
from msgspec.structs import asdict

from libs.contracts.facts import plain
from libs.contracts.no_draw_poker_events import RoundDealt
from libs.contracts.table_commands import TableReason as Reason
from libs.money.play import PLAY_CURRENCY
from tests.table.no_draw.play import ACE_KING, REGULATION, NoDraw

HAND = "8c 8d Kh 5h 2s"


@pytest.mark.rule(REGULATION, "43")
def test_a_demo_table_plays_the_same_game() -> None:
    demo, real = NoDraw(kind="demo", approval=""), NoDraw()
    differing = {name for name, value in asdict(demo.state.rules).items() if value != asdict(real.state.rules)[name]}
    assert differing == {"kind", "currency", "approval"}
    results = []
    for table in (demo, real):
        table.seat(1).dealt({1: 300}, {1: HAND}, ACE_KING).plays("1 continue")
        results.append(table.settled.results)
    assert results[0] == results[1]
    for table in (demo, real):
        table.open().ante(1, 100)
        table.wait(20_000)
    assert demo.of(RoundDealt)[0].generator == real.of(RoundDealt)[0].generator == "croupier-shuffle-1/os-entropy"


@pytest.mark.rule(REGULATION, "43", "44")
def test_no_euro_stands_in_anything_that_a_demo_table_tells() -> None:
    table = NoDraw(kind="demo", approval="").seat(1).dealt({1: 300}, {1: HAND}, ACE_KING).plays("1 continue")
    told = [plain(event) for event in table.told]
    assert {each["currency"] for each in told if "currency" in each} == {PLAY_CURRENCY}
    assert "EUR" not in str(told)


@pytest.mark.rule(REGULATION, "44")
@pytest.mark.parametrize(("kind", "currency"), [("demo", "EUR"), ("real", PLAY_CURRENCY)])
def test_play_money_and_money_are_not_mixed(kind: str, currency: str) -> None:
    table = NoDraw(kind=kind, currency=currency)
    assert table.refused_opening == Reason.OUTSIDE_RULEBOOK
    assert table.refused is not None
    assert table.refused.rule == f"{REGULATION}#44"
