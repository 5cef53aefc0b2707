"""The sender of a refused withdrawal reads a no, though the refusal is an event."""

from libs.contracts import wallet_events as events
from services.wallet.machine import refusal_in


def test_a_refused_withdrawal_or_reserve_has_its_reason_in_the_reply() -> None:
    assert refusal_in(
        [
            events.WithdrawalRefused(
                reference="w1", amount=20_000, available=10_000, reason="insufficient_funds", by="operator:acme"
            )
        ]
    ) == ("insufficient_funds")
    assert refusal_in(
        [
            events.ReserveRefused(
                reserve="h1", sitting="h1", table="t1", amount=20_000, available=10_000, reason="insufficient_funds"
            )
        ]
    ) == ("insufficient_funds")


def test_a_deed_has_none() -> None:
    assert (
        refusal_in([events.FundsDeposited(reference="r1", amount=500, available=500, reserved=0, by="operator:acme")])
        is None
    )
    assert refusal_in([]) is None
