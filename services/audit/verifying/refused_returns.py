"""What a tournament told to be given back and the wallet gave nobody: nothing of that kind was paid to it."""

from collections.abc import Iterator

from libs.contracts.wallet_commands import AccountReason
from libs.journal.commit import Commit
from services.audit.verifying.findings import Finding, Kind


def refused_return(commit: Commit) -> Iterator[Finding]:
    """Of the wallet's journal. No true tournament asks it: a return follows the wallet's own word that it was paid."""
    if commit.verdict == "rejected" and commit.reason == AccountReason.NOT_PAID:
        asked = commit.principal.partition(":")[2]
        detail = f"the wallet gives nothing back, asked by {asked}: no such sum was paid, or it has come back before"
        yield Finding(Kind.RESERVE, commit.stream, detail, commit.version)
