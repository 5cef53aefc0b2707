"""What holds whichever game is played: money by public events alone, no bank below zero, the journal as truth."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libs.contracts import bank_events as bank
from libs.contracts import poker_events
from libs.contracts import table_events as public
from libs.contracts.bank_commands import DeclineBankChange, RequestBankChange
from libs.contracts.banked_rounds import BankedRoundSettled
from libs.contracts.messages import Principal
from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.table_commands import CloseTable, ConfirmSeat, LeaveTable, TakeSeat
from libs.sealing.sealed import Keyring
from services.table.domain.games.registry import GAMES
from services.table.domain.table.state import Table
from services.table.domain.table.waking import next_wake
from services.table.journal_format import TableFormat
from tests.table.approving import approval_of
from tests.table.play import TableUnderTest
from tests.table.under_test import refolded

CODEC = TableFormat(Keyring({"k1": bytes(range(32))}, "k1"))
SEATS = (1, 2, 3)
TABLES: dict[str, Callable[[], Any]] = {"poker": lambda: TableUnderTest(big_blind=100, buy_in=10_000)}
for _play in sorted(Path(__file__).parent.glob("*/play.py")):
    TABLES |= getattr(import_module(f"tests.table.{_play.parent.name}.play"), "TABLES", {})
BET, WAKE, LEAVE, SIT, VOID, ASK, APPROVE, DECLINE, CLOSE = range(9)
STEPS = st.lists(
    st.tuples(
        st.sampled_from([BET] * 6 + [WAKE] * 6 + [LEAVE, SIT, VOID, ASK, APPROVE, DECLINE, CLOSE]),
        st.sampled_from(SEATS),
        st.integers(1, 10_000),
    ),
    min_size=5,
    max_size=60,
)


def test_there_is_a_table_of_every_game() -> None:
    assert {name.partition(",")[0] for name in TABLES} == set(GAMES)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(game=st.sampled_from(list(TABLES)), steps=STEPS)
def test_money_in_is_money_there_and_money_out_at_every_event(game: str, steps: list[tuple[int, int, int]]) -> None:
    play_at_random(game, steps)


def play_at_random(game: str, steps: list[tuple[int, int, int]]) -> None:
    """A table of the game through these steps, its money and journal checked."""
    table = TABLES[game]()
    for seat in SEATS:
        _sit(table, seat, f"first-{seat}")
    for number, (what, seat, amount) in enumerate(steps):
        _step(table, what, seat, amount, str(number))
    _check_money(table)
    _check_journal(table)


def _step(table: Any, what: int, seat: int, amount: int, name: str) -> None:
    table.now += 1_000
    if what == BET:
        _bet(table, seat, amount)
    elif what == WAKE:
        table.now = max(table.now, _due(table) or 0)
        table.wake()
    elif what == LEAVE:
        table.send(Principal("player", f"p{seat}"), LeaveTable())
    elif what == SIT:
        _sit(table, seat, name)
    elif what == VOID:
        table.void()
    elif what == CLOSE and amount % 3 == 0:
        table.send(_staff("ana"), CloseTable(reason="night"))
    else:
        _bank_order(table, what, amount, name)


def _bank_order(table: Any, what: int, amount: int, name: str) -> None:
    change = next(iter(table.state.office.pending), "none")
    if what == ASK:
        direction: Any = "drop" if amount % 2 else "top_up"
        table.send(
            _staff("ana"), RequestBankChange(change=f"c{name}", direction=direction, amount=amount, reason="shift")
        )
    elif what == APPROVE:
        table.send(_staff("rui" if amount % 4 else "ana"), approval_of(table.state, change))
    elif what == DECLINE:
        table.send(_staff("rui"), DeclineBankChange(change=change, reason="no"))


def _bet(table: Any, seat: int, amount: int) -> None:
    """Whatever a player can do with money in this game; refusals are answers, too."""
    if isinstance(table, TableUnderTest):
        turn = table.turn
        if turn is not None:
            acts = ("fold", "check", "call", "raise")
            table.act(turn, acts[amount % 4], amount if amount % 4 == 3 else None)
    else:
        table.bet_at_random(seat, amount)


def _sit(table: Any, seat: int, name: str) -> None:
    take = TakeSeat(reservation=f"s-{name}", seat=seat, amount=10_000)
    if table.send(Principal("player", f"p{seat}"), take) is None:
        table.send(Principal("policy", "table"), ConfirmSeat(reservation=f"s-{name}"))


def _due(table: Any) -> int | None:
    return next_wake(table.state)


def _staff(name: str) -> Principal:
    return Principal("staff", name)


def _check_money(table: Any) -> None:
    """Only amounts that were published, beside the check that every fold makes of its own totals."""
    brought = left = raked = banked = 0
    state: Any = Table(table=table.state.table)
    for fact, deck in zip(table.told, table.decks, strict=True):
        state = refolded(state, fact, deck)
        match fact:
            case public.PlayerSeated() | public.TopUpAdded():
                brought += fact.amount
                raked += fact.commission
            case public.PlayerLeft():
                left += fact.stack
            case public.RefundSent():
                left += fact.amount
            case poker_events.PotAwarded():
                raked += fact.rake
            case bank.BankOpened() | bank.BankToppedUp() | bank.BankCovered():
                banked += fact.amount
            case bank.BankDropped() | bank.BankClosed():
                banked -= fact.amount
            case BankedRoundSettled():
                _check_round(fact, state)
        owed = state.books.owed  # a void round's refund to somebody who has gone: on its way in the next event
        stacks = sum(sitter.stack for sitter in state.seats.values())
        assert brought + banked == stacks + state.in_play + state.bank + left + raked + owed
        assert min(state.bank, state.in_play, owed) >= 0
    assert state == table.state


def _check_round(settled: BankedRoundSettled, state: Any) -> None:
    """Stakes in are credits and what the house kept; the bank after it is as told."""
    assert sum(result.staked for result in settled.results) == settled.house + sum(
        result.credited for result in settled.results
    )
    assert all(result.net == result.credited - result.staked for result in settled.results)
    assert settled.bank == state.bank


def _check_journal(table: Any) -> None:
    """The bytes alone give the same table, and so does a snapshot of it."""
    stream = table.state.table
    state: Any = Table(table=stream)
    for event, deck in zip(table.told, table.decks, strict=True):
        state = refolded(state, decode_fact(*encode_fact(event)), deck)
    assert state == table.state
    assert CODEC.decode_state(stream, CODEC.encode_state(stream, table.state)) == table.state
