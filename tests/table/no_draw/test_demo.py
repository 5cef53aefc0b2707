"""Demonstration tables play the real game with money that is none (pt-803-2015-no-draw 43, 44)."""

import pytest
from msgspec.structs import asdict

from libs.contracts.facts import plain
from libs.contracts.no_draw_poker_events import RoundDealt
from libs.contracts.table_commands import TableReason as Reason
from libs.money.play import PLAY_CURRENCY
from services.wallet.projections.chart import book_of_account
from tests.banked.sittings import Sittings
from tests.table.no_draw.play import ACE_KING, NO_KING, REGULATION, NoDraw
from tests.testkit.cases import Case

HAND = "8c 8d Kh 5h 2s"


@pytest.mark.rule(REGULATION, "43/1")
def test_a_demo_table_plays_the_same_game_and_names_no_account_of_real_money() -> None:
    demo, real = NoDraw(kind="demo", approval=""), NoDraw()
    differing = {name for name, value in asdict(demo.state.rules).items() if value != asdict(real.state.rules)[name]}
    assert differing == {"kind", "currency", "approval"}
    results = []
    for table in (demo, real):
        table.seat(1).dealt({1: 300}, {1: HAND}, ACE_KING).plays("1 continue")
        results.append(table.settled.results)
    assert results[0] == results[1]
    for setting in ("paytable", "timing", "dealing", "betting"):
        assert getattr(demo.state.rules, setting) == getattr(real.state.rules, setting)
    for table in (demo, real):
        table.open().ante(1, 100)
        table.wait(20_000)
    assert demo.of(RoundDealt)[0].generator == real.of(RoundDealt)[0].generator == "croupier-shuffle-1/os-entropy"
    weak = [
        NoDraw(kind=kind).seat(1).dealt({1: 300}, {1: HAND}, NO_KING).plays("1 continue") for kind in ("demo", "real")
    ]
    assert [table.settled.results[0].outcome for table in weak] == ["dealer_not_qualified"] * 2
    demo.plays("1 fold")
    assert demo.leave(1) is None
    books = Sittings("p1", currency=PLAY_CURRENCY, kind="demo").follow(demo)
    assert {book_of_account(account) for account in books.accounts} == {"demo"}


@pytest.mark.rule(REGULATION, "43", "44/1")
def test_no_euro_stands_in_anything_that_a_demo_table_tells(case: Case) -> None:
    stack = case.int("balance")
    table = NoDraw(kind="demo", approval="", buy_in_min=stack, buy_in_max=stack, top_up_to=stack, buy_in=...)
    table.seat(1, stack=stack).dealt({1: 300}, {1: HAND}, ACE_KING).plays("1 continue")
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
