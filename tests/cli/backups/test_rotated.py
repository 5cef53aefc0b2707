"""A backup after its house's marks were rotated: taken anew, never refused, never built on what an old key says."""

from pathlib import Path

import pytest

from libs.contracts.topics import INSPECTOR
from libs.journal.log import LogRecord
from libs.journal.mark_keys import Plan, marks_of
from libs.stack import StackError
from services.cli.backup import Before, copied_before
from services.cli.backups.files import Backup, Damaged, Part, Writer, write_manifest

ROOT = b"r" * 32
FIRST = marks_of(INSPECTOR, ROOT, Plan())
BOTH = marks_of(INSPECTOR, ROOT, Plan(accepted=(1, 2), writes=2))
ROTATED = marks_of(INSPECTOR, ROOT, Plan(accepted=(1, 2), writes=2, retired={1: {}}, said_at={1: 1}))
NAME = "croupier.table.journal.v1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    writer = Writer(tmp_path, Part(NAME, 0, f"{NAME}-0.1.records", 0, 0))
    writer.add([LogRecord(0, b"table-1", b"commit", (), 1)])
    write_manifest(tmp_path, Backup(1, 1, "", (), (), (writer.end(1),)), FIRST)
    return tmp_path


def test_it_goes_on_from_what_its_own_keys_say(folder: Path) -> None:
    for marks in (FIRST, BOTH):
        before = copied_before(folder, marks, "")
        assert (list(before.parts), before.anew) == ([(NAME, 0)], False)


def test_under_a_retired_key_it_begins_anew_and_is_taken(folder: Path) -> None:
    """Found in a cluster: from the last step of a rotation on every backup failed, and nothing told so."""
    assert copied_before(folder, ROTATED, "") == Before({}, (), True)


def test_what_is_no_houses_or_another_ones_is_refused(folder: Path) -> None:
    with pytest.raises(Damaged, match="not of this house"):
        copied_before(folder, marks_of(INSPECTOR, b"s" * 32, Plan()), "")
    with pytest.raises(StackError, match="topic prefix"):
        copied_before(folder, ROTATED, "other.")
