"""One sample of every event and its frozen bytes: `python -m tests.contracts.samples` writes those that are missing."""

from pathlib import Path
from typing import Any

from libs.contracts import escrow_events as escrow
from libs.contracts import pool_events as pool
from libs.contracts import wallet_events as w
from libs.contracts.escrow_events import HomeClaim
from libs.contracts.facts import Fact, WalletEvent
from libs.contracts.pool_events import Claim, Terms
from libs.contracts.registry import encode_fact
from libs.contracts.tournaments import Payout, Price
from tests.table.samples import sample_events
from tests.tournament.samples import tournament_samples

GOLDEN = Path(__file__).parents[1] / "golden" / "events"
_HEAD: dict[str, Any] = {"account": "account-ann-EUR", "player": "ann", "currency": "EUR"}


def sample_facts() -> list[Fact]:
    return [*sample_events(), *_wallet(), *tournament_samples()]


def _wallet() -> list[WalletEvent]:
    return [
        w.AccountOpened(**_HEAD, kind="real", by="operator:acme"),
        w.ReferenceClaimed(**_HEAD, reference="r1", purpose="deposit", amount=10_000, by="operator:acme"),
        w.FundsDeposited(**_HEAD, reference="r1", amount=10_000, available=10_000, reserved=0, by="operator:acme"),
        w.CashCounted(
            **_HEAD, reference="c1", purpose="deposit", amount=900, moved=1_900, at=1_767_225_600_000, by="staff:bo"
        ),
        w.CashRequested(**_HEAD, reference="c2", purpose="withdrawal", amount=5_000_000, by="staff:bo"),
        w.CashDeclined(
            **_HEAD,
            reference="c2",
            purpose="withdrawal",
            amount=5_000_000,
            requested_by="staff:bo",
            by="staff:cy",
            reason="not today",
        ),
        w.FundsWithdrawn(**_HEAD, reference="w1", amount=2_500, available=7_500, reserved=0, by="staff:bo"),
        w.WithdrawalRefused(
            **_HEAD, reference="w2", amount=99_999, available=7_500, reason="insufficient_funds", by="operator:acme"
        ),
        w.FundsReserved(
            **_HEAD, reserve="s1", sitting="s1", table="table-7", amount=4_000, available=3_500, reserved=4_000
        ),
        w.ReserveRefused(
            **_HEAD,
            reserve="s2",
            sitting="s2",
            table="table-8",
            amount=4_000,
            available=3_500,
            reason="insufficient_funds",
        ),
        w.FundsReleased(
            **_HEAD,
            reserve="t1",
            sitting="s1",
            table="table-7",
            amount=1_000,
            available=3_500,
            reserved=4_000,
            reason="left",
        ),
        w.SittingSettled(
            **_HEAD, sitting="s1", table="table-7", brought=4_000, returned=5_120, available=8_620, reserved=0
        ),
        w.FeeCharged(
            **_HEAD,
            fee="t1-1-ann",
            table="t1",
            rulebook="pt-217-2007-holdem",
            amount=2_000,
            available=6_620,
            reserved=0,
        ),
        w.FeeRefused(**_HEAD, fee="t1-2-ann", table="t1", amount=2_000, available=500, reason="insufficient_funds"),
        w.TournamentPaid(**_HEAD, payment="entry-ann", tournament="t-1", amount=2_200, available=4_420, reserved=0),
        w.TournamentPaymentRefused(
            **_HEAD, payment="entry-2", tournament="t-2", amount=9_900, available=4_420, reason="insufficient_funds"
        ),
        w.TournamentCredited(
            **_HEAD,
            credit="entry-ann.refund",
            tournament="t-1",
            amount=2_200,
            why="refund",
            available=6_620,
            reserved=0,
        ),
        *_pool(),
        *_escrow(),
        w.HomeAsked(**_HEAD, sitting="s1", table="t1", amount=5_120, settlement="t1/9"),
        w.SittingsForgotten(**_HEAD, at=1_767_225_600_000, before=1_759_449_600_001),
        w.ReferencesForgotten(**_HEAD, at=1_767_225_600_000, before=1_732_665_600_001),
        w.SignalReported(**_HEAD, report="n1", kind="device", value="5f" * 16, by="operator:acme"),
    ]


def _pool() -> list[WalletEvent]:
    head: dict[str, Any] = {"account": "pool-t-1", "player": "ann", "currency": "EUR", "tournament": "t-1"}
    entry = Price(amount=2_200, prize=2_000, fee=200)
    terms = Terms(
        "EUR", 1_768_161_600_000, 100, entry, [entry], [Payout(entries=2, shares=[6_500, 3_500])], 50_000, 2_200, "t-2"
    )
    prize = Claim("entry-ann.prize", "entry-ann", "ann", "prize", "EUR", prize=6_500)
    back = Claim("entry-ann", "entry-ann", "ann", "return", "EUR", whole=2_200)
    return [
        pool.TermsNoted(**{**head, "player": ""}, terms=terms),
        pool.PaymentNoted(**head, payment="entry-ann", amount=2_200),
        pool.TicketNoted(**head, ticket="t-0.1", amount=2_200, satellite="t-0"),
        pool.CancellationNoted(**{**head, "player": ""}),
        pool.CreditNoted(**head, credit="entry-ann.refund", amount=2_200),
        pool.CreditHeld(**head, claim=prize, lacks="too_early"),
        pool.CreditCovered(**head, claim=back),
    ]


def _escrow() -> list[WalletEvent]:
    head: dict[str, Any] = {"account": "escrow-t1", "player": "ann", "currency": "EUR", "table": "t1"}
    of_bank = {**head, "player": ""}
    chips = HomeClaim("ann", "EUR", "s1", 5_120, settlement="t1/9")
    unplayed = HomeClaim("ann", "EUR", "s1", 500, reserve="u1", reason="left")
    return [
        escrow.ReserveNoted(**head, reserve="s1", amount=4_000, left=4_000),
        escrow.RiskNoted(**of_bank, amount=500_000, alone_up_to=100_000, left=504_000),
        escrow.BankNoted(**of_bank, change="c1", direction="top_up", amount=900, alone=False, left=504_900),
        escrow.CoverNoted(**of_bank, amount=300, left=504_900),
        escrow.BankReturned(**of_bank, amount=5_000, left=200),
        escrow.HomeHeld(**head, claim=chips, since=1_767_225_600_000, left=500),
        escrow.HomeCovered(**head, claim=unplayed, left=0),
        escrow.HomeStruck(**head, claim=chips, left=0),
    ]


def freeze_missing() -> list[str]:
    """Writes the samples that are not frozen yet; what is there is never touched."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    added = []
    for name, data in map(encode_fact, sample_facts()):
        if not (GOLDEN / f"{name}.json").exists():
            (GOLDEN / f"{name}.json").write_bytes(data)
            added.append(name)
    return added


if __name__ == "__main__":
    print("\n".join(freeze_missing()) or "nothing missing")
