"""What the auditor looks into in each commit of a journal, beside its links and folds."""

from collections.abc import Iterator
from pathlib import Path

from libs.journal.commit import Commit
from libs.sealing.kek_file import KeyringFile
from libs.telemetry.keks import told
from services.audit import metrics
from services.audit.sealed_decks import Inspect, SealedDecks
from services.audit.verifying.findings import Finding
from services.audit.verifying.refused_returns import refused_return
from services.audit.verifying.tournaments import refused_order


def inspector(kek_file: Path | None, service: str) -> Inspect:
    """Of a service's journal; `kek_file`: without it no deck is opened."""
    if service != "table":
        return refused_return if service == "wallet" else lambda commit: iter(())
    if kek_file is None:
        return refused_order
    decks = SealedDecks(told(KeyringFile(kek_file)))

    def inspect(commit: Commit) -> Iterator[Finding]:
        before = decks.opened
        yield from decks.inspect(commit)
        yield from refused_order(commit)
        metrics.DECKS.inc(decks.opened - before)

    return inspect
