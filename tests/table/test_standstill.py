"""What players were told to do within a time holds again after a standstill of the house, whatever they play."""

import pytest

from libs.contracts.commands import OUTAGE_MS
from libs.contracts.poker_events import HandVoided
from libs.contracts.table_commands import SitOut
from libs.contracts.table_events import PlayerLeft
from services.table.domain.table.waking import next_wake
from tests.table.baccarat.play import CoupTable
from tests.table.deadlines import scenarios
from tests.table.no_draw.play import NoDraw
from tests.table.play import TableUnderTest
from tests.table.restarting import back
from tests.table.under_test import player_principal
from tests.testkit.cases import Case

rule = pytest.mark.rule
DOWN_MS = 120_000
WARNED = ["PlayerInvitedToLeave", "PlayerWarned"]


def minute_of(case: Case) -> int:
    return case.moment("ends") - case.moment("warned")


def no_draw() -> NoDraw:
    table: NoDraw = scenarios.idle_and_warned_at_no_draw()
    return table


def baccarat() -> CoupTable:
    table: CoupTable = scenarios.idle_and_warned_at_baccarat()
    return table


@rule("pt-803-2015-no-draw", "42/1")
def test_no_draw_gives_the_minute_again_after_a_standstill(case: Case) -> None:
    minute, at = minute_of(case), case.moment("ante") - case.moment("warned")
    table = no_draw()
    assert next_wake(table.state) == table.now + minute
    assert back(table, table.now + minute + DOWN_MS) == WARNED
    assert next_wake(table.state) == table.now + minute
    table.now += at
    assert table.ante(1, 100) is None

    first = no_draw()
    first.now += minute + DOWN_MS
    assert first.ante(1, 100) is None, "before the wake, too"
    assert first.of(PlayerLeft, everything=True) == []


@rule("pt-812-2015-baccarat", "36/1")
def test_baccarat_gives_the_minute_again_after_a_standstill(case: Case) -> None:
    minute, at = minute_of(case), case.moment("bet") - case.moment("warned")
    table = baccarat()
    assert next_wake(table.state) == table.now + minute
    assert back(table, table.now + minute + DOWN_MS) == WARNED
    assert next_wake(table.state) == table.now + minute
    table.now += at
    assert table.bet(1, "ponto 500") is None

    first = baccarat()
    first.now += minute + DOWN_MS
    assert first.bet(1, "ponto 500") is None, "before the wake, too"
    assert first.of(PlayerLeft, everything=True) == []


@rule("pt-811-2015", "71/5")
def test_poker_gives_the_waiting_time_again_after_a_standstill(case: Case) -> None:
    again = case.int("again") * 1000
    table: TableUnderTest = scenarios.short_stack_warned()
    (seat,) = [seat for seat, sitter in table.state.seats.items() if sitter.notice is not None]
    assert table.state.seats[seat].stack == case["stack"]
    assert table.state.rules.timing.waiting_ms == case.int("seconds") * 1000
    assert next_wake(table.state) == table.now + again
    assert back(table, table.now + again + DOWN_MS) == WARNED
    assert next_wake(table.state) == table.now + again
    assert table.top_up(seat, 5_000) is None

    first: TableUnderTest = scenarios.short_stack_warned()
    first.now += again + DOWN_MS
    assert first.top_up(seat, 5_000) is None, "before the wake, too"
    assert first.of(PlayerLeft, everything=True) == []


@rule("pt-811-2015", "72")
@rule("pt-803-2015-no-draw", "33")
@rule("pt-812-2015-baccarat", "29")
@pytest.mark.parametrize(
    ("name", "void"), [("turn", "HandVoided"), ("decisions", "RoundVoided"), ("stakes", "CoupVoided")]
)
def test_what_lay_for_too_long_is_void_for_a_command_that_is_there_before_the_wake(name: str, void: str) -> None:
    table = scenarios.SCENARIOS[name]()
    due, limit = next_wake(table.state), table.state.rules.timing.resume_ms
    assert due is not None
    assert limit == DOWN_MS
    for late, expected in ((limit - 1, False), (limit, True)):
        other = scenarios.SCENARIOS[name]()
        other.now = due + late
        assert other.send(player_principal("p2"), SitOut(on_break=False)) is None
        assert (void in other.names) is expected


def betting(bet: int) -> TableUnderTest:
    """On the flop somebody has bet, and the next is asked."""
    table = TableUnderTest(big_blind=bet, small_blind=bet // 2, buy_in=100 * bet, top_up_to=100 * bet).seat(1, 2, 3)
    table.deal(button=1).plays("1 call", "2 call", "3 check", f"2 bet {bet}")
    return table


@rule("pt-811-2015", "45/2")
def test_a_standstill_of_ours_is_no_time_of_a_player(case: Case) -> None:
    """Through the timers of the product: only where the clock ended while they stood does it begin anew."""
    clock = case.int("seconds") * 1000
    table = betting(case.int("bet"))
    end = table.now + clock
    assert back(table, end + 1 + OUTAGE_MS + 1) == ["DecisionAwaited"]
    assert table.hand.turn is not None
    assert table.hand.turn.until == table.now + clock
    assert back(betting(case.int("bet")), end + 1)[0] == "PlayerFolded"


@rule("pt-811-2015", "72/1")
def test_a_hand_that_is_found_too_late_is_void_by_the_timers_of_the_product(case: Case) -> None:
    put_in = case.ints("put_in")
    table = TableUnderTest(small_blind=put_in[1], buy_in_min=1_000, buy_in_max=10_000, between_hands_ms=1)
    table.seat(**{f"s{seat}": stack for seat, stack in enumerate(case.ints("stacks"), 1)})
    table.now += 1
    table.deal(button=1).plays(f"1 raise {put_in[0]}", "2 fold", "3 call")
    due, limit = next_wake(table.state), table.state.rules.timing.resume_ms
    assert due is not None
    assert limit is not None
    assert back(table, due + limit) == ["HandVoided"]
    (voided,) = table.of(HandVoided)
    assert [refund.amount for refund in voided.refunds] == put_in
    assert list(table.stacks.values()) == case.ints("stacks")
    assert table.state.books.raked == case["rake"] == case["staked"]
