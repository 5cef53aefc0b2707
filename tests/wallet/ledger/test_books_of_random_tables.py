"""The real table's events, however it is played, in the books: no floor broken, every stated figure confirmed."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from libs.contracts import poker_events as poker
from libs.contracts import table_events as contract
from libs.contracts.facts import TableEvent
from services.wallet.projections.chart import has_floor
from services.wallet.projections.transfers import stated_balances, transfers_of
from tests.table.play import TableUnderTest
from tests.table.test_whole_tables import STEPS, _step, tables


def booked(events: Iterable[TableEvent]) -> dict[str, int]:
    """Balances after the events; asserts floors and stated figures at every one."""
    balances: dict[str, int] = defaultdict(int)
    for event in events:
        for transfer in transfers_of(event, "real"):
            balances[transfer.debit] -= transfer.amount
            balances[transfer.credit] += transfer.amount
            assert balances[transfer.debit] >= 0 or not has_floor(transfer.debit), (event, transfer)
        for account, stated in stated_balances(event):
            assert balances[account] == stated, (type(event).__name__, account)
    return balances


def check_sittings(events: Sequence[TableEvent], running: frozenset[str]) -> None:
    """Of every sitting that is over: returned = brought - commission - staked + won, whatever happened in it."""
    should_have: dict[str, int] = defaultdict(int)
    returned: dict[str, int] = defaultdict(int)
    for event in events:
        match event:
            case contract.PlayerSeated() | contract.TopUpAdded():
                should_have[event.reservation] += event.amount - event.commission
            case poker.HandEnded():
                for result in event.results:
                    should_have[result.reservation] += result.won - result.staked
            case contract.PlayerLeft():
                returned[event.reservation] += event.stack
            case contract.RefundSent():
                returned[event.reservation] += event.amount
    for reservation in set(returned) - running:
        assert returned[reservation] == should_have[reservation], reservation


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(tables(), STEPS)
def test_whatever_is_played_the_books_agree(table: TableUnderTest, steps: list[tuple[int, int]]) -> None:
    for kind, pick in steps:
        _step(table, kind, pick)
    events = list(table.told)

    balances = booked(events)

    hand = table.state.hand
    check_sittings(events, frozenset(dealt.reservation for dealt in hand.players.values()) if hand else frozenset())
    assert sum(balances.values()) == 0
    in_play = sum(balance for name, balance in balances.items() if name.startswith(("stack/", "pot/")))
    taken = sum(balance for name, balance in balances.items() if name.startswith(("rake/", "commission/")))
    assert in_play == sum(table.stacks.values()) + (hand.pot if hand is not None else 0)
    assert taken == table.state.books.raked


def test_a_failed_check_would_show() -> None:
    """The check itself notices one unit too many."""
    table = TableUnderTest().seat(1, 2).deal()
    events = list(table.told)
    at = next(i for i, event in enumerate(events) if isinstance(event, poker.BlindPosted))
    events[at] = replace(events[at], stack=events[at].stack + 1)
    with pytest.raises(AssertionError, match="BlindPosted"):
        booked(events)
