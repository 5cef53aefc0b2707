"""One sample of every event of a bank, for the frozen records."""

from libs.contracts.bank_events import (
    BankAlarmRaised,
    BankChangeDeclined,
    BankChangeRequested,
    BankClosed,
    BankCovered,
    BankDropped,
    BankOpened,
    BankToppedUp,
)
from libs.contracts.facts import TableEvent

_AT, _TABLE, _EUR = 1_700_000_000_000, "t1", "EUR"


def bank_samples() -> list[TableEvent]:
    return [
        BankOpened(
            at=_AT, table=_TABLE, amount=500_000, bank=500_000, risk_limit=400_000, currency=_EUR, kind="real", by="s1"
        ),
        BankChangeRequested(
            at=_AT, table=_TABLE, change="c1", direction="top_up", amount=100, currency=_EUR, by="s1", reason="evening"
        ),
        BankToppedUp(
            at=_AT,
            table=_TABLE,
            change="c1",
            amount=100,
            bank=500_100,
            currency=_EUR,
            kind="real",
            requested_by="s1",
            by="s2",
        ),
        BankDropped(
            at=_AT,
            table=_TABLE,
            change="c2",
            amount=100,
            bank=500_000,
            currency=_EUR,
            kind="real",
            requested_by="s1",
            by="s2",
        ),
        BankChangeDeclined(
            at=_AT,
            table=_TABLE,
            change="c3",
            direction="drop",
            amount=100,
            currency=_EUR,
            requested_by="s1",
            by="s2",
            reason="not now",
        ),
        BankAlarmRaised(
            at=_AT,
            table=_TABLE,
            bank=500_000,
            exposure=800_000,
            currency=_EUR,
            cause="the round may cost more than the bank has",
        ),
        BankCovered(
            at=_AT,
            table=_TABLE,
            amount=300_000,
            bank=800_000,
            currency=_EUR,
            kind="real",
            cause="a lawful win above the bank",
        ),
        BankClosed(at=_AT, table=_TABLE, amount=0, currency=_EUR, kind="real"),
    ]
