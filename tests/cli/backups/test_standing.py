"""Groups' positions that lead nowhere: left out with a line by backup and restore, and no reason to restore nothing."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from libs.broker import Broker
from libs.contracts.house import HouseCreated
from libs.contracts.topics import INSPECTOR, Topic
from libs.journal.mark_keys import Plan, hand_out, marks_of
from libs.stack import Stack, StackError
from services.cli import backup, restore
from services.cli.backups import evidence
from services.cli.backups.files import MANIFEST, Backup, Part, Position, Rows, Writer, read_manifest, write_manifest
from services.cli.backups.judging import standing
from services.cli.backups.log import Copying, stages
from services.cli.surroundings import Surroundings

ROOT = b"r" * 32
PARTITIONS = 1
EVENTS = "croupier.table.events.v1"
FAR = 10**15
MARKS = marks_of(INSPECTOR, ROOT, Plan())
PLATFORM, OWN = Position("platform-acme-1", EVENTS, 0, 0, ""), Position("wallet-policies", EVENTS, 0, 0, "as it was")
FAR_OFF = (
    Position("platform-acme-2", EVENTS, 0, FAR, ""),
    Position("platform-acme-3", EVENTS, 0, -7, ""),
    Position("platform-acme-4", EVENTS, 1, 0, ""),
    Position("wallet-policies", EVENTS, 0, FAR, "nobody's"),
)


class Servers:
    database_url = ""

    def broker(self, login: str) -> Broker:
        return Broker("127.0.0.1:1")

    def database(self, login: str) -> str:
        return ""


@pytest.fixture
def at(tmp_path: Path) -> Surroundings:
    return Surroundings(cast(Stack, Servers()), marks_file=hand_out(tmp_path / "marks", ROOT, Plan())[INSPECTOR])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (there := tmp_path / "backup").mkdir()
    return there


def parts(folder: Path, topics: Sequence[Topic]) -> list[Part]:
    """Empty ones."""
    every = [(each.name, n) for each in topics for n in range(each.partitions(PARTITIONS))]
    return [Writer(folder, Part(name, n, f"{name}-{n}.1.records", 0, 0)).end(0) for name, n in every]


def rows(folder: Path) -> list[Rows]:
    made = []
    for schema, table in evidence.EVIDENCE:
        (folder / f"{schema}.{table}.1.rows").write_bytes(b"")
        made.append(Rows(schema, table, (), f"{schema}.{table}.1.rows", 0, evidence._Held(None).digest.hexdigest()))
    return made


def nothing(what: str, done: int, total: int) -> None:
    """Nobody is watching."""


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> list[Position]:
    """A house where nothing was played; what groups say of themselves, to be filled in."""
    said: list[Position] = []

    async def positions(broker: Broker, prefix: str) -> list[Position]:
        return said

    async def copy_rows(database: str, folder: Path, at: int, before: Sequence[Rows]) -> list[Rows]:
        return rows(folder)

    async def stage(self: Copying, topics: Sequence[Topic], before: object) -> list[Part]:
        return parts(self._folder, topics)

    monkeypatch.setattr(backup, "positions", positions)
    monkeypatch.setattr(backup, "copy_rows", copy_rows)
    monkeypatch.setattr(Copying, "stage", stage)
    return said


HOUSE = HouseCreated("a-house", 1, PARTITIONS, 1)


async def test_whatever_a_platform_commits_the_backup_is_one_that_is_restored(
    at: Surroundings, folder: Path, running: list[Position]
) -> None:
    """Found by an attacker: one commit through the door, and no backup from then on could be restored."""
    running += [PLATFORM, OWN, *FAR_OFF]
    report = await backup.back_up(at, HOUSE, folder, nothing)
    assert [line.partition(" is at ")[0] for line in report.left_out] == [each.group for each in FAR_OFF]
    assert f"is at {FAR} of {EVENTS}/0, which ends at 0: it begins where its client says" in report.left_out[0]
    assert "its service begins without one" in report.left_out[3]
    assert restore.checked(at, folder, None, False, nothing).positions == (PLATFORM, OWN)


async def test_a_backup_of_before_is_restored_without_them(at: Surroundings, folder: Path) -> None:
    every = [each for topics in stages() for each in topics]
    made = Backup(1, 1, "", (PLATFORM, *FAR_OFF), tuple(rows(folder)), tuple(parts(folder, every)), partitions=1)
    write_manifest(folder, made, MARKS)
    found = restore.checked(at, folder, None, False, nothing)
    stand = standing(found.positions, found.parts, "")
    assert (stand.good, len(stand.left_out)) == ((PLATFORM,), 4)


async def test_what_could_not_be_restored_takes_no_backups_place(
    at: Surroundings, folder: Path, running: list[Position], monkeypatch: pytest.MonkeyPatch
) -> None:
    await backup.back_up(at, HOUSE, folder, nothing)
    before = (folder / MANIFEST).read_bytes()

    async def too_few(database: str, folder: Path, at: int, before: Sequence[Rows]) -> list[Rows]:
        return rows(folder)[1:]

    monkeypatch.setattr(backup, "copy_rows", too_few)
    with pytest.raises(StackError, match="could not be restored, so the backup before it stays: its rows are not"):
        await backup.back_up(at, HOUSE, folder, nothing)
    assert (folder / MANIFEST).read_bytes() == before
    assert (held := read_manifest(folder, MARKS)) is not None
    assert held.backup.rows == restore.checked(at, folder, None, False, nothing).rows
