"""A backup that is torn or altered is refused by file and record; one that was ended halfway is the one before."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts.topics import INSPECTOR
from libs.journal.log import LogRecord
from libs.journal.mark_keys import PROCESSES, Plan, marks_of
from libs.journal.marks import MayNotWrite
from libs.stack import StackError
from services.cli.backups.evidence import EVIDENCE, why_not_evidence
from services.cli.backups.files import (
    MANIFEST,
    Backup,
    Damaged,
    Part,
    Rows,
    Writer,
    digest_of,
    read_manifest,
    records_in,
    rows_in,
    write_manifest,
)
from services.cli.backups.locks import alone, sweep

MARKS = marks_of(INSPECTOR, b"r" * 32, Plan())
FIRST = Part("croupier.wallet.journal.v1", 2, "croupier.wallet.journal.v1-2.7.records", 0, 0)


def record(offset: int) -> LogRecord:
    return LogRecord(offset, b"alice", b"x" * 100 + b"%d" % offset, (("mark", b"m"), ("other", b"")), 1_000 + offset)


def written(folder: Path, part: Part, *offsets: int) -> Part:
    writer = Writer(folder, part)
    writer.add([record(each) for each in offsets])
    return writer.end(offsets[-1] + 1 if offsets else part.end)


def manifest(folder: Path, *parts: Part, rows: tuple[Rows, ...] = ()) -> str:
    made = Backup(1, 2, "", (), rows, parts)
    digest = write_manifest(folder, made, MARKS)
    assert sweep(folder, made.files)
    return digest


def test_records_come_back_with_offset_time_key_value_and_headers(tmp_path: Path) -> None:
    part = written(tmp_path, FIRST, 0, 1, 5)  # a batch that nobody could read leaves a gap
    assert list(records_in(tmp_path, part)) == [record(0), record(1), record(5)]
    assert (part.records, part.end) == (3, 6)
    more = written(tmp_path, part, 6, 7)
    assert [each.offset for each in records_in(tmp_path, more)] == [0, 1, 5, 6, 7]


def test_what_a_killed_run_has_left_counts_for_nothing_and_the_next_one_goes_on(tmp_path: Path) -> None:
    part = written(tmp_path, FIRST, 0, 1)
    manifest(tmp_path, part)
    killed = Writer(tmp_path, part)
    killed.add([record(2), record(3)])
    killed.drop()  # never ended: no manifest names what it wrote
    left = tmp_path / "croupier.sessions.v1-0.7.records"
    left.touch()
    held = read_manifest(tmp_path, MARKS)
    assert held is not None
    assert [each.offset for each in records_in(tmp_path, held.backup.parts[0])] == [0, 1]
    manifest(tmp_path, written(tmp_path, held.backup.parts[0], 2))
    again = read_manifest(tmp_path, MARKS)
    assert again is not None
    assert list(records_in(tmp_path, again.backup.parts[0])) == [record(0), record(1), record(2)]
    assert not left.exists()


def _flip(at: int) -> Callable[[bytes], bytes]:
    return lambda raw: raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]


SIZE = 154
"""Bytes of one record here, with its length and digest."""


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_flip(SIZE + 40), "record 2 of 3 (behind offset 0)"),  # a byte of a value
        (_flip(2 * SIZE - 1), "record 2 of 3"),  # of its digest
        (_flip(2 * SIZE), "record 3 of 3 (behind offset 1)"),  # of a length
        (lambda raw: raw[:-1], "torn"),
        (lambda raw: raw[:SIZE] + raw[2 * SIZE :] + raw[SIZE : 2 * SIZE], "record 2 of 3"),  # in another order
        (lambda raw: raw[SIZE:] + raw[:SIZE], "record 1 of 3 (the first)"),
    ],
)
def test_an_altered_file_is_refused_by_file_and_record(
    tmp_path: Path, change: Callable[[bytes], bytes], says: str
) -> None:
    part = written(tmp_path, FIRST, 0, 1, 2)
    file = tmp_path / part.file
    assert file.stat().st_size == 3 * SIZE
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(Damaged) as refused:
        list(records_in(tmp_path, part))
    assert part.file in str(refused.value)
    assert says in str(refused.value)


def test_a_file_of_another_partition_or_of_fewer_records_is_refused(tmp_path: Path) -> None:
    part = written(tmp_path, FIRST, 0, 1, 2)
    other = written(tmp_path, replace(FIRST, file="other"), 0, 1)
    for wrong in (
        replace(part, partition=3),  # moved
        replace(part, records=2),
        replace(part, digest=other.digest),
        replace(part, file=other.file, bytes=other.bytes, records=other.records),  # an older copy in its place
    ):
        with pytest.raises(Damaged):
            list(records_in(tmp_path, wrong))
    (tmp_path / part.file).unlink()
    with pytest.raises(Damaged, match="is missing"):
        list(records_in(tmp_path, part))


def test_an_altered_manifest_is_refused(tmp_path: Path) -> None:
    digest = manifest(tmp_path, written(tmp_path, FIRST, 0))
    held = read_manifest(tmp_path, MARKS)
    assert held is not None
    assert held.digest == digest
    file = tmp_path / MANIFEST
    whole = file.read_bytes()
    for changed in (whole.replace(b'"end":1', b'"end":2'), whole[:-20], b""):
        assert changed != whole
        file.write_bytes(changed)
        with pytest.raises(Damaged, match=MANIFEST):
            read_manifest(tmp_path, MARKS)


def test_a_manifest_of_somebody_else_is_foreign(tmp_path: Path) -> None:
    """SHA-256 has no key: whoever writes the folder makes it anew over what they like."""
    part = written(tmp_path, FIRST, 0)
    manifest(tmp_path, part)
    held = read_manifest(tmp_path, MARKS)
    assert held is not None
    assert held.foreign is None
    file = tmp_path / MANIFEST
    forged = msgspec.json.encode(replace(held.backup, taken_at=3))
    whole = msgspec.json.decode(file.read_bytes(), type=dict[str, msgspec.Raw])
    whole |= {"backup": msgspec.Raw(forged), "sha256": msgspec.Raw(msgspec.json.encode(digest_of(forged)))}
    for marks, why in ((whole["marks"], "a wrong mark"), (msgspec.Raw(b"[]"), "no mark")):
        file.write_bytes(msgspec.json.encode(whole | {"marks": marks}))
        found = read_manifest(tmp_path, MARKS)
        assert found is not None
        assert found.foreign == why
    other = marks_of(INSPECTOR, b"s" * 32, Plan())
    write_manifest(tmp_path, held.backup, other)
    found = read_manifest(tmp_path, MARKS)
    assert found is not None
    assert found.foreign == "a wrong mark"


@pytest.mark.parametrize("process", [each for each in PROCESSES if each != INSPECTOR])
def test_nobody_but_the_inspector_marks_a_manifest(tmp_path: Path, process: str) -> None:
    with pytest.raises(MayNotWrite):
        write_manifest(tmp_path, Backup(1, 2, "", (), (), ()), marks_of(process, b"r" * 32, Plan()))


def test_altered_rows_are_refused_by_file_and_table(tmp_path: Path) -> None:
    file = tmp_path / "audit.reads.1.rows"
    file.write_bytes(b"1\tsupervisor\n")
    rows = Rows("audit", "reads", ("id", "principal"), file.name, 1, digest_of(file.read_bytes()))
    with rows_in(tmp_path, rows) as judged:
        assert judged.read() == b"1\tsupervisor\n"
    file.write_bytes(b"1\tsomebody\n")
    with pytest.raises(Damaged, match=r"audit\.reads"), rows_in(tmp_path, rows):
        pass


def test_no_backup_that_came_to_its_end_is_none(tmp_path: Path) -> None:
    written(tmp_path, FIRST, 0)
    assert read_manifest(tmp_path, MARKS) is None


@pytest.mark.parametrize(
    "name", ["../victim.key", "/etc/passwd", "croupier.wallet.journal.v1-2.7.records/../x", "other-2.7.records", ""]
)
def test_a_file_that_no_backup_would_write_is_not_opened(tmp_path: Path, name: str) -> None:
    """The next backup would open it for writing, as root."""
    manifest(tmp_path, replace(written(tmp_path, FIRST, 0), file=name))
    with pytest.raises(Damaged, match="no backup would write"):
        read_manifest(tmp_path, MARKS)
    rows = Rows("audit", "reads", ("id",), name, 1, digest_of(b""))
    manifest(tmp_path, rows=(rows,))
    with pytest.raises(Damaged, match="no backup would write"):
        read_manifest(tmp_path, MARKS)


def test_a_link_leads_nowhere_and_files_are_the_owners_alone(tmp_path: Path) -> None:
    victim = tmp_path / "victim.key"
    victim.write_text("secret")
    part = written(tmp_path, FIRST, 0)
    names = FIRST.file, f".{MANIFEST}", MANIFEST
    for make in (Path.symlink_to, Path.hardlink_to):
        for name in names:
            (tmp_path / name).unlink(missing_ok=True)
            make(tmp_path / name, victim)
        if make is Path.symlink_to:
            with pytest.raises(OSError, match="symbolic links"):
                Writer(tmp_path, part)
        manifest(tmp_path, written(tmp_path, FIRST, 0))
        assert victim.read_text() == "secret"
        assert {(tmp_path / name).is_symlink() for name in names} == {False}
        assert read_manifest(tmp_path, MARKS) is not None
    assert {(tmp_path / name).stat().st_mode & 0o077 for name in (FIRST.file, MANIFEST)} == {0}


def test_who_takes_the_lock_of_a_folder_empties_nothing(tmp_path: Path) -> None:
    """Found by an attacker: with the rights of who backs up, any file of the machine."""
    victim, lock = tmp_path / "victim.key", tmp_path / ".lock"
    victim.write_text("secret")
    lock.symlink_to(victim)
    with pytest.raises(OSError, match="symbolic links"), alone(tmp_path):
        pass
    lock.unlink()
    lock.hardlink_to(victim)
    with alone(tmp_path), pytest.raises(StackError, match="another process"), alone(tmp_path):
        pass
    assert victim.read_text() == "secret"


def test_no_other_rows_than_those_of_a_backup_go_in_as_the_owner() -> None:
    held = [Rows(schema, table, ("id",), f"{schema}.{table}.1.rows", 0, "") for schema, table in EVIDENCE]
    assert why_not_evidence(held) is None
    forged = Rows("wallet", "transfers", ("id",), "wallet.transfers.1.rows", 1, "")
    for other in ([*held, forged], held[1:], [*held, held[0]], [forged, *held[1:]]):
        assert why_not_evidence(other) is not None


def piece(since: int | None, below: int | None, table: str = "checkpoints") -> Rows:
    return Rows("audit", table, ("number",), "", 1, "", since, below)


@pytest.mark.parametrize(
    "ends",
    [
        [(None, 11), (21, None)],  # one is gone
        [(None, 11), (5, None)],  # two hold the same
        [(11, None)],
        [(None, 11)],
        [(None, 11), (11, 5), (5, None)],
        [(None, None), (None, None)],
        [(11, None), (None, 11)],
        [],
    ],
)
def test_pieces_with_a_gap_or_twice_are_no_backup(ends: list[tuple[int | None, int | None]]) -> None:
    others = [Rows(*each, ("id",), "", 0, "") for each in EVIDENCE if each != ("audit", "checkpoints")]
    whole = [*others, *(piece(*each) for each in ((None, 11), (11, 21), (21, None)))]
    assert why_not_evidence(whole) is None
    assert why_not_evidence([*others, *(piece(*each) for each in ends)]) is not None
    cut = [replace(others[0], below=11), replace(others[0], since=11)]
    assert why_not_evidence([*whole[1:], *cut]) is not None, "what is copied whole has one file"
