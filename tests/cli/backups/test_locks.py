"""A backup and a restore of the same folder: nothing that is read goes, and no half of a house is backed up."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from libs.contracts.topics import INSPECTOR
from libs.journal.log import LogRecord
from libs.journal.mark_keys import Plan, marks_of
from libs.stack import StackError
from services.cli.backups.files import Backup, Part, Writer, read_manifest, records_in, write_manifest
from services.cli.backups.locks import alone, reading, sweep

MARKS = marks_of(INSPECTOR, b"r" * 32, Plan())


def backed_up(folder: Path, at: int) -> bool:
    """One run, whose snapshots are in a file of another name each time; whether what no manifest names is gone."""
    name = "croupier.table.snapshots.v1"
    writer = Writer(folder, Part(name, 0, f"{name}-0.{at}.records", 0, 0))
    writer.add([LogRecord(at, b"table-1", b"state", (), at)])
    made = Backup(at, at, "", (), (), (writer.end(at + 1),))
    write_manifest(folder, made, MARKS)
    return sweep(folder, made.files)


def test_what_a_restore_reads_stays_until_it_has_ended(tmp_path: Path) -> None:
    """Found by an operator: a restore that took longer than the quarter of an hour to the next backup failed."""
    assert backed_up(tmp_path, 1)
    with reading(tmp_path, is_drill=True), reading(tmp_path, is_drill=True) as is_held:
        assert is_held
        held = read_manifest(tmp_path, MARKS)
        assert held is not None
        assert [backed_up(tmp_path, at) for at in (2, 3)] == [False, False], "the house's backups go on meanwhile"
        assert [each.offset for part in held.backup.parts for each in records_in(tmp_path, part)] == [1]
    assert backed_up(tmp_path, 4)
    assert len(list(tmp_path.glob("*.records"))) == 1


def test_no_backup_is_taken_of_a_house_that_is_being_restored(tmp_path: Path) -> None:
    with (
        reading(tmp_path, is_drill=False),
        reading(tmp_path, is_drill=False),
        pytest.raises(StackError, match=r"a house is restored from .*: nothing was written"),
        alone(tmp_path),
    ):
        pass
    with alone(tmp_path), reading(tmp_path, is_drill=True) as is_held:
        assert is_held, "a drill does not wait for a backup, nor hold one up"


def test_a_house_is_not_restored_while_a_backup_writes(tmp_path: Path) -> None:
    with (
        alone(tmp_path),
        pytest.raises(StackError, match=r"a backup writes to .*: suspend"),
        reading(tmp_path, is_drill=False),
    ):
        pass


def test_a_restore_that_was_killed_holds_nothing_up(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from services.cli.backups.locks import reading\n"
        "with reading(Path(sys.argv[1]), is_drill=False): print('here', flush=True); sys.stdin.read()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], text=True, **pipes) as held:  # type: ignore[call-overload]
        assert held.stdout.readline() == "here\n"
        with pytest.raises(StackError, match="is restored"), alone(tmp_path):
            pass
        held.kill()
        held.wait()
    with alone(tmp_path):
        pass


def test_a_restore_empties_no_file_that_a_link_leads_to(tmp_path: Path) -> None:
    victim = tmp_path / "victim.key"
    victim.write_text("secret")
    (tmp_path / ".lock").symlink_to(victim)
    with pytest.raises(StackError, match="can't be locked"), reading(tmp_path, is_drill=False):
        pass
    assert victim.read_text() == "secret"


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """Another way to the folder, by which nothing can be written: as a volume is mounted in the pod of a restore."""
    there = tmp_path / "mounted"
    (tmp_path / "backup").mkdir()
    there.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root mounts a folder to be read alone")
    bound = subprocess.run([mount, "--bind", "-o", "ro", tmp_path / "backup", there], check=False)
    if bound.returncode:
        pytest.skip("nothing can be mounted here")
    yield there
    subprocess.run(["umount", there], check=True)


def test_a_volume_that_can_only_be_read_is_locked_by_what_a_backup_has_left(tmp_path: Path, read_only: Path) -> None:
    with reading(read_only, is_drill=False) as is_held:
        assert not is_held, "no backup has left a file to lock"
    with alone(tmp_path / "backup"):
        assert backed_up(tmp_path / "backup", 1)
    with reading(read_only, is_drill=False) as is_held:
        assert is_held
        assert not backed_up(tmp_path / "backup", 2)
        with pytest.raises(StackError, match="is restored"), alone(tmp_path / "backup"):
            pass
