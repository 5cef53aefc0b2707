"""The charge of a casino hand in the books: the real table's events, booked once, on the house's account (7.a, 9.c)."""

from collections import defaultdict

import pytest

from services.table.public import public_event
from services.wallet.projections.transfers import transfers_of
from tests.table.casino.play import h6, to_flop


def rule(ref: str, *refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-217-2007", ref, *refs)


@rule("9.c", "7.a", "1")
def test_the_charge_is_one_entry_of_the_hand_when_it_is_paid() -> None:
    table = to_flop(h6(rake_bp=500, rake_cap=500), 1, 2, 3, 4, 5, 6)
    table.plays("1 bet 1800", "2 call", "3 call", "4 call", "5 call", "6 call").checks_down()
    events = [public_event(event) for event in table.told]
    transfers = [transfer for event in events for transfer in transfers_of(event, "real")]
    charged = [transfer for transfer in transfers if transfer.credit.startswith("rake/")]
    assert [(transfer.amount, transfer.reference) for transfer in charged] == [(500, f"t1/{table.state.hands}/main")]
    balances: dict[str, int] = defaultdict(int)
    for transfer in transfers:
        balances[transfer.debit] -= transfer.amount
        balances[transfer.credit] += transfer.amount
    stacks = {seat: balances[f"stack/t1/p{seat}"] for seat in table.stacks}
    assert stacks == table.stacks
    assert sum(stacks.values()) == 120_000 - 500
