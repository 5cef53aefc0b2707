"""The short form of `make chaos`: the faults that matter most, once each, in one house in play.

More of them by `make test-long`; the others are fired by the long form only.
"""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from libs.stack import Stack, up
from libs.stack.home import jars_folder
from tests.chaos.faults import FAULTS
from tests.chaos.results import Book
from tests.chaos.rounds import CLOSING, campaign

SHORT = (
    "table dies: verdict folded, not answered",
    "wallet dies: books written, not committed",
    "poison in commands and replies",
    "all at once",
)
MORE = (*SHORT, "gateway killed", "table hears nobody", "database killed", "broker killed", "offsets reset to zero")


@pytest.fixture
def own_stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stack]:
    """A broker and a database that nobody else's tests run on, since they are killed.

    Not below pytest's folder: the next session that starts closes that to the database's own user.
    """
    if os.environ.get("KAFKA_BOOTSTRAP_SERVERS") or os.environ.get("DATABASE_URL"):
        pytest.skip("a given broker or database is not ours to kill")
    monkeypatch.setenv("CROUPIER_JARS", str(jars_folder()))
    with TemporaryDirectory(prefix="croupier-", ignore_cleanup_errors=True) as home:
        stack = up(Path(home) / "stack", doors=("table", "wallet", "gateway"))
        try:
            yield stack
        finally:
            stack.down(wipe=True)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("names", [SHORT, pytest.param(MORE, marks=pytest.mark.long)], ids=["short", "more"])
def test_nothing_is_lost_or_doubled_whatever_is_broken(
    own_stack: Stack, tmp_path: Path, names: tuple[str, ...]
) -> None:
    faults = [FAULTS[name] for name in names]
    book = Book()
    gone = asyncio.run(campaign(own_stack, tmp_path / "house", dict.fromkeys(faults, 1), book, "short form", print))

    assert gone.problems == []
    # Poison carries no mark: it is nowhere to be found but among the auditor's incidents.
    assert gone.checks == {"rebuild": "ok", "verify": "ok", "scan": "ok"}
    assert book.through() == {**dict.fromkeys(names, 1), CLOSING: 1}
    assert all(line[what] == 0 for line in rounds_of(book) for what in ("lost", "doubled", "voided", "ledger_sum"))
    assert sum(line["acknowledged"] for line in rounds_of(book)) > 10 * len(names)


def rounds_of(book: Book) -> list[dict[str, Any]]:
    return [line for line in book.lines if line["kind"] == "round"]


def test_every_fault_says_what_it_does() -> None:
    assert all(fault.why.endswith(".") for fault in FAULTS.values())
    assert {fault.counted_from for fault in FAULTS.values()} == {"fault", "mended"}
