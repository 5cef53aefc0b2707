"""Tables, seats and antes (pt-803-2015-no-draw 2.a, 4 to 6, 14 to 18, FP-3)."""

from typing import Any

import pytest

from libs.contracts.baccarat_commands import Chance, PlaceStake
from libs.contracts.bank_events import BankAlarmRaised
from libs.contracts.no_draw_poker_events import (
    AntePlaced,
    AntesClosed,
    AntesLapsed,
    AntesOpened,
    AnteWithdrawn,
    RoundDealt,
)
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import TableOpened
from tests.table.no_draw.play import ACE_KING, REGULATION, START, NoDraw
from tests.table.under_test import player_principal
from tests.testkit.cases import Case

HAND = "8c 8d Kh 5h 2s"
OTHER = "9c 9d Kc 6h 3s"
rule = pytest.mark.rule


def refusal(**changes: Any) -> str | None:
    """The rule by which a table so configured does not open; None: it opens."""
    table = NoDraw(**changes)
    if table.refused_opening is None:
        return None
    assert (table.refused_opening, table.state.configuration) == (Reason.OUTSIDE_RULEBOOK, None)
    assert table.refused is not None
    return (table.refused.rule or "").partition("#")[2]


@rule(REGULATION, "4/1")
def test_a_table_for_one_and_a_table_for_many() -> None:
    single = NoDraw(mode="single").seat(1)
    assert single.take(None, player="p2") == Reason.TABLE_FULL
    assert single.refused is not None
    assert single.refused.rule == f"{REGULATION}#4"
    assert refusal(mode="single", seats=2) == "6.a"
    many = NoDraw(seats=2).seat(1)
    assert many.take(None, player="p2") is None
    assert many.confirm() is None
    assert set(many.stacks) == {1, 2}


@rule(REGULATION, "6.a/2")
def test_a_player_has_one_seat(case: Case) -> None:
    sits = case.int("sits")
    table = NoDraw().seat(sits)
    assert table.take(case["asks"], player=f"p{sits}") == Reason.ALREADY_SEATED
    assert table.refused is not None
    assert table.refused.rule == f"{REGULATION}#6.a"
    assert set(table.stacks) == {sits}


@rule(REGULATION, "FP-3/1")
def test_there_is_no_other_stake() -> None:
    for stake in ("jackpot", "side_bet", "bonus"):
        assert refusal(**{stake: 100}) == "FP-3"
    table = NoDraw().seat(1).wake()
    chances: tuple[Chance, ...] = ("ponto", "banca", "empate", "par_ponto", "par_banca")
    for chance in chances:
        assert table.send(player_principal("p1"), PlaceStake(chance=chance, amount=100)) == "not_this_game"
        assert table.refused is not None
        assert table.refused.rule == f"{REGULATION}#FP-3"
    table.dealt({1: 100}, {1: HAND}, ACE_KING).plays("1 continue")
    assert [area.area for area in table.settled.results[0].bets] == ["ante", "bet"]


@rule(REGULATION, "2.a/1")
def test_without_an_ante_no_cards(case: Case) -> None:
    bets, sits = case.int("bets"), case.int("sits")
    table = NoDraw().seat(bets, sits).dealt({bets: case["ante"]}, {bets: HAND}, ACE_KING)
    assert [deal.seat for deal in table.of(RoundDealt)[0].deals] == [bets]
    assert table.stacks == {bets: 10_000 - case.int("ante"), sits: 10_000}
    assert table.decides(sits, "continue") == "no_stake"
    assert table.refused is not None
    assert table.refused.rule == f"{REGULATION}#2.a"
    table.plays(f"{bets} continue")
    assert [result.seat for result in table.settled.results] == [bets]
    assert table.stacks[sits] == 10_000


@rule(REGULATION, "14")
def test_the_betting_closes_for_all_at_one_instant() -> None:
    table = NoDraw().seat(1, 2).wake()
    assert table.at(19_999).ante(1, 300) is None
    table.at(20_000).wake()
    closed = table.of(AntesClosed)[0]
    assert (closed.at, closed.round, closed.seats) == (START + 20_000, 1, [1])


@rule(REGULATION, "14/2")
def test_an_ante_may_be_changed_until_the_betting_closes_and_not_taken_back_then(case: Case) -> None:
    seat, changed = case.int("seat"), case.int("to")
    table = NoDraw(betting_ms=after_ten(case, "back")).seat(seat).wake()
    assert table.at(after_ten(case, "placed")).ante(seat, case["ante"]) is None
    assert table.at(after_ten(case, "changed")).ante(seat, changed) is None
    (placed,) = table.of(AntePlaced)
    assert (placed.amount, placed.total) == (changed - case.int("ante"), changed)
    table.at(after_ten(case, "back"))
    for _ in range(2):
        assert table.withdraw(seat) == "betting_is_closed"
        assert table.refused is not None
        assert table.refused.rule == f"{REGULATION}#14"
        assert (table.round.stakes[seat].ante, table.stacks[seat]) == (changed, 10_000 - changed)
        table.wake()
    assert table.of(RoundDealt, everything=True)


def after_ten(case: Case, name: str) -> int:
    """Milliseconds after 10:00:00.000."""
    return case.moment(name) - 36_000_000


@rule(REGULATION, "14")
def test_an_ante_may_be_lowered_and_taken_back_until_then() -> None:
    table = NoDraw().seat(2, 3).wake()
    assert table.ante(2, 500) is None
    assert table.ante(2, 400) is None
    assert (table.of(AnteWithdrawn)[0].amount, table.of(AnteWithdrawn)[0].total) == (100, 400)
    assert table.ante(3, 200) is None
    assert table.at(19_999).withdraw(3) is None
    assert table.stacks == {2: 9_600, 3: 10_000}


@rule(REGULATION, "15/1")
def test_a_single_player_starts_the_deal(case: Case) -> None:
    table = NoDraw(mode="single").seat(1).wake()
    assert table.of(AntesOpened)[0].until is None
    assert table.start_deal(1) == "no_stake"
    assert table.ante(1, case["ante"]) is None
    assert table.due == START + 180_001, "only the clock of rule 41 runs"
    assert table.start_deal(1) is None
    assert table.names == ["AntesClosed"]
    assert table.due == table.now
    assert table.withdraw(1) == "betting_is_closed"
    assert table.wake().names[:2] == ["RoundDealt", "HandsAwaited"]


@rule(REGULATION, "16/1")
def test_the_bounds_of_the_ante(case: Case) -> None:
    bounds = {"min_ante": case["minimum"], "max_ante": case["maximum"]}
    below, above = case.ints("refused")
    for amount, reason in ((below, "ante_below_minimum"), (above, "ante_above_maximum")):
        table = NoDraw(**bounds).seat(1).wake()
        assert table.ante(1, amount) == reason
        assert table.refused is not None
        assert (table.refused.rule, table.stacks, table.last) == (f"{REGULATION}#16", {1: 10_000}, [])
    for amount in case.ints("accepted"):
        table = NoDraw(**bounds).seat(1).wake()
        assert (table.ante(1, amount), table.stacks) == (None, {1: 10_000 - amount})


@rule(REGULATION, "17/1")
def test_a_table_has_a_minimum_in_euros(case: Case) -> None:
    for minimum in (case["refused"], -100, ...):
        assert refusal(min_ante=minimum, max_ante=100) == "17"
    assert refusal(currency="USD") == "17"
    (opened,) = NoDraw(min_ante=case["accepted"]).of(TableOpened, everything=True)
    assert (opened.configuration.betting.min_ante, opened.configuration.currency) == (case["accepted"], "EUR")


@rule(REGULATION, "18/1")
def test_the_maximum_is_at_most_25_times_the_minimum(case: Case) -> None:
    assert refusal(min_ante=case["minimum"], max_ante=case["above"]) == "18"
    assert refusal(min_ante=100, max_ante=99) == "18"
    most = case.int("most")
    table = NoDraw(min_ante=case["minimum"], max_ante=most).seat(1).dealt({1: most}, {1: HAND}, ACE_KING)
    assert table.decides(1, "continue", bet=case["bet"]) is None
    assert table.settled.results[0].staked == most + case.int("bet")


@pytest.mark.rule(REGULATION, "14")
def test_a_period_without_a_bet_is_no_round_and_the_table_waits() -> None:
    table = NoDraw().seat(1).wake()
    table.wait(20_000)
    assert [type(event) for event in table.last] == [AntesLapsed]
    assert table.due is None
    table.wait(3_600_000)
    assert table.last == []
    assert table.ante(1, 100) is None  # opens the next period for everybody, with its full time
    assert table.round.until == table.now + 20_000
    assert table.round.number == 2
    table.wait(20_000)
    assert table.names[0] == "AntesClosed"


def test_a_newcomer_starts_a_waiting_table() -> None:
    table = NoDraw().seat(1).wake()
    table.wait(20_000)
    table.now += 1_000
    table.seat(2)
    assert table.due is not None
    assert table.due <= table.now
    assert table.wake().names == ["AntesOpened"]


def test_at_a_table_for_many_the_clock_deals() -> None:
    table = NoDraw().seat(1).wake()
    assert table.ante(1, 100) is None
    assert table.start_deal(1) == "dealt_by_the_clock"


def test_a_bank_that_cannot_pay_every_seat_at_its_worst_takes_no_bet() -> None:
    worst = 7 * 2500 * 201
    assert NoDraw(bank=worst - 1).refused_opening == "bank_too_small"
    table = NoDraw(bank=worst).seat(1).dealt({1: 100}, {1: HAND}, ACE_KING).plays("1 continue")
    assert table.nets == {1: 300}
    assert [(alarm.bank, alarm.exposure) for alarm in table.of(BankAlarmRaised)] == [(worst - 300, worst)]
    assert table.due is None
    assert table.ante(1, 100) == "bank_too_small"


def test_only_the_running_round_is_bet_on() -> None:
    table = NoDraw().seat(1).wake()
    assert table.ante(1, 100, round=2) == "wrong_round"
    assert table.ante(2, 100) == Reason.NOT_SEATED
    assert table.ante(1, 100, round=1) is None
    assert table.ante(1, 10_001) == "ante_above_maximum"
    poor = NoDraw(buy_in=200).seat(1, stack=200).wake()
    assert poor.ante(1, 201) == "above_stack"
    assert poor.ante(1, 150) is None
    assert poor.ante(1, 200) is None  # what lies there counts
    poor.wait(20_000)
    assert poor.decides(1, "fold") is None
