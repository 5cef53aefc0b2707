"""What the wallet gives nobody although a tournament told so is an incident as soon as it is in the journal."""

from libs.contracts.wallet_commands import AccountReason
from libs.journal.commit import Commit
from services.audit.verifying.findings import Kind
from services.audit.verifying.refused_returns import refused_return


def commit(reason: str | None) -> Commit:
    return Commit(
        stream="account-ann-EUR", base=3, prev=bytes(32), command_id=bytes(16), source="wallet-commands.1/0",
        command_offset=7, command_time=1_767_225_600_000, verdict="rejected" if reason else "accepted", reason=reason,
        rule=None, detail="", events=(), writer="w", generation=1, principal="policy:wallet.when_payment_returned",
    )  # fmt: skip


def test_a_return_of_what_was_not_paid_is_told() -> None:
    [finding] = refused_return(commit(AccountReason.NOT_PAID))
    assert (finding.kind, finding.severity) == (Kind.RESERVE, "critical")
    assert (finding.stream, finding.version) == ("account-ann-EUR", 3)
    assert "wallet.when_payment_returned" in finding.detail


def test_of_all_else_that_an_account_refuses_or_takes_nothing_is_said() -> None:
    others = [None, *(reason for reason in AccountReason if reason != AccountReason.NOT_PAID)]
    assert [finding for reason in others for finding in refused_return(commit(reason))] == []
