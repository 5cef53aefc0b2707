"""What the books make of all that a table told: each account's balance, by the wallet's own bookkeeping."""

from collections import Counter
from collections.abc import Iterable

from libs.contracts.facts import Fact
from services.wallet.projections import chart
from services.wallet.projections.transfers import transfers_of


def booked(told: Iterable[Fact]) -> Counter[str]:
    balances: Counter[str] = Counter()
    for fact in told:
        for each in transfers_of(fact, "real"):
            balances[each.debit] -= each.amount
            balances[each.credit] += each.amount
    return balances


def stacks_booked(table: str, told: Iterable[Fact], *seats: int) -> dict[int, int]:
    """Of the players p1, p2 and so on, by seat."""
    balances = booked(told)
    return {seat: balances[chart.stack(table, f"p{seat}")] for seat in seats}
