"""The sender of a refused withdrawal reads a no, though the refusal is an event."""

from services.wallet.domain.account import events
from services.wallet.machine import refusal_in


def test_a_refused_withdrawal_or_hold_has_its_reason_in_the_reply() -> None:
    assert refusal_in([events.WithdrawalRefused("w1", 20_000, 10_000, "insufficient_funds", "operator:acme")]) == (
        "insufficient_funds"
    )
    assert refusal_in([events.HoldRefused("h1", "h1", "t1", 20_000, 10_000, "insufficient_funds")]) == (
        "insufficient_funds"
    )


def test_a_deed_has_none() -> None:
    assert refusal_in([events.FundsDeposited("r1", 500, 500, 0, "operator:acme")]) is None
    assert refusal_in([]) is None
