"""Whoever plays, and whatever goes wrong: stakes in are credits and what the house won, at every event."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_events import AntePlaced, AnteWithdrawn, RoundSettled, RoundVoided, SecondBetPlaced
from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.table_commands import CloseTable, PauseTable, ReportConnection, ResumeTable
from services.table.domain.games.no_draw_poker.state import NoDrawTable
from services.table.domain.table.state import Table
from tests.table.no_draw.play import NoDraw
from tests.table.under_test import refolded

_STEPS = ("ante", "ante", "ante", "withdraw", "continue", "continue", "fold", "wait", "wait", "wake", "leave", "sit")
_RARE = ("void", "outage", "long outage", "pause", "resume", "offline", "close")
STEP = st.tuples(
    st.sampled_from([*_STEPS * 4, *_RARE]), st.integers(1, 7), st.integers(90, 2600), st.integers(0, 2**32 - 1)
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mode=st.sampled_from(["multi", "single"]), steps=st.lists(STEP, min_size=5, max_size=80))
def test_stakes_in_are_credits_and_house_at_every_event(mode: str, steps: list[tuple[str, int, int, int]]) -> None:
    table = NoDraw(mode=mode)
    table.seat(*([1] if mode == "single" else [1, 2, 5])).wake()
    for step in steps:
        _take(table, *step)
    _check_books(table)


def _take(table: NoDraw, what: str, seat: int, amount: int, number: int) -> None:
    seat = seat if table.state.rules.mode == "multi" else 1
    staff = Principal("staff", "staff-1")
    match what:
        case "ante":
            table.ante(seat, amount)
            if table.state.rules.mode == "single" and number % 2:
                table.start_deal(1)
                table.wake()
        case "withdraw":
            table.withdraw(seat)
        case "continue" | "fold":
            table.decides(seat, what)
        case "wait":
            due = table.due
            table.now = max(table.now, due if due is not None else table.now + number % 1000)
            table.wake()
        case "wake":
            table.wait(number % 30_000)
        case "leave":
            table.leave(seat)
        case "sit" if seat not in table.state.seats and table.state.status == "open":
            if table.take(seat, 10_000, player=f"p{seat}") is None:
                table.confirm()
        case "void":
            table.void()
        case "outage" | "long outage":
            table.now += 60_000 if what == "outage" else 500_000
            table.wake(outage=True)
        case "pause":
            table.send(staff, PauseTable(reason="check"))
        case "resume":
            table.send(staff, ResumeTable())
        case "offline":
            gateway = Principal("policy", "gateway")
            table.send(gateway, ReportConnection(player=f"p{seat}", connected=bool(number % 2)))
        case "close" if number % 5 == 0:
            table.send(staff, CloseTable(reason="night"))


def _check_books(table: NoDraw) -> None:
    """By the events' own amounts, beside the check that every fold makes."""
    staked: dict[int, int] = {}
    paid: set[int] = set()
    for event in table.told:
        if isinstance(event, AntePlaced | SecondBetPlaced):
            staked[event.round] = staked.get(event.round, 0) + event.amount
        elif isinstance(event, AnteWithdrawn):
            staked[event.round] -= event.amount
        elif isinstance(event, RoundSettled):
            assert event.round not in paid
            paid.add(event.round)
            assert sum(result.staked for result in event.results) == staked[event.round]
            assert staked[event.round] == sum(result.credited for result in event.results) + event.house
            for result in event.results:
                assert result.net == result.credited - result.staked
                assert sum(area.credited for area in result.bets) == result.credited
                assert sum(area.staked for area in result.bets) == result.staked
        elif isinstance(event, RoundVoided):
            assert event.round not in paid
            paid.add(event.round)
            assert sum(refund.amount for refund in event.refunds) == staked[event.round]
    running = table.state.round
    for number, amount in staked.items():
        if number not in paid:
            in_play = table.state.in_play if running is not None and running.number == number else 0
            assert amount == in_play


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(STEP, min_size=20, max_size=60))
def test_the_journal_alone_gives_the_same_table(steps: list[tuple[str, int, int, int]]) -> None:
    table = NoDraw()
    table.seat(1, 2, 5).wake()
    for step in steps:
        _take(table, *step)
    again: Table = Table(table="t1")
    for event, deck in zip(table.told, table.decks, strict=True):
        again = refolded(again, decode_fact(*encode_fact(event)), deck)
        assert isinstance(again, NoDrawTable)
        assert again.bank >= 0
    assert again == table.state
