"""`croupier backup`: journals and whatever else can't be made anew, copied to a folder while the house plays."""

import asyncio
import os
import time
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import typer
from rich.console import Console

from libs.contracts.house import HouseCreated
from libs.contracts.topics import INSPECTOR
from libs.journal.kafka_log import KafkaLog
from libs.journal.marks import RETIRED, Marking
from libs.stack import Progress, StackError
from services.cli.backups.evidence import copy_rows
from services.cli.backups.files import Backup, Damaged, Part, Position, Rows, read_manifest, write_manifest
from services.cli.backups.judging import check, standing
from services.cli.backups.locks import alone, sweep
from services.cli.backups.log import Copying, Everything, positions, stages
from services.cli.surroundings import Home, Json, Surroundings, end, in_one_line, shown, surroundings

Folder = Annotated[Path, typer.Argument(help="Folder of the backup.")]


class Report(msgspec.Struct):
    """What this run did, and what the backup holds now."""

    copied: int
    """Records of this run."""
    records: int
    bytes: int
    journals: dict[str, int]
    """Where each partition of a journal ends: the event behind it is the first that is not in the backup."""
    rows: int
    groups: int
    taken_at: int
    sha256: str
    """Digest of the manifest: keep it where nobody can write who writes the backup."""
    seconds: float
    swept: bool = True
    """False: a restore reads the folder, so what only an older manifest names lies there until the next run."""
    anew: bool = False
    """The manifest that was there bears a retired key's mark, so that all was copied once more."""
    left_out: list[str] = []
    """Of groups' positions: a line for each that leads nowhere."""


def backup(folder: Folder, as_json: Json = False, home: Home = None) -> None:
    """Copy what can't be made anew into a folder, while the house plays; a second run copies only what is new.

    Keys are not in it. See docs/restore.md for what must be kept beside it, and `croupier restore`.
    """
    at = surroundings(home)
    os.umask(0o077)  # who looked at whom is not for every login of this machine
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with shown(Console(stderr=True)) as tell, in_one_line(), alone(folder):
        try:
            report = asyncio.run(back_up(at, at.house(), folder, tell))
        except Damaged as wrong:
            raise StackError(f"{wrong}: begin in another folder") from None
    end(report, True, as_json, show)


async def back_up(at: Surroundings, house: HouseCreated, folder: Path, tell: Progress) -> Report:
    began, began_at, partitions = time.monotonic(), _now(), house.partitions
    marks = at.marks()
    before = copied_before(folder, marks, at.topic_prefix)
    broker = at.stack.broker(INSPECTOR)
    # Groups first: whatever they have passed has left its effect in what is read after.
    groups: list[Position] = await positions(broker, at.topic_prefix)
    rows: list[Rows] = await copy_rows(at.stack.database(INSPECTOR), folder, began_at, before.rows)
    whole = KafkaLog(broker, Everything(), client_id="croupier-backup", on_foreign=lambda _: None)
    copying = Copying(folder, at.log("backup", lambda _: None), whole, at.topic_prefix, partitions, began_at, tell)
    parts = [part for topics in stages() for part in await copying.stage(topics, before.parts)]
    stand = standing(groups, parts, at.topic_prefix)
    made = Backup(
        began_at, _now(), at.topic_prefix, stand.good, tuple(rows), tuple(parts), partitions=partitions, house=house
    )
    judge(made, at.topic_prefix)
    digest = write_manifest(folder, made, marks)
    swept = sweep(folder, made.files)
    return Report(
        copied=copying.copied,
        records=sum(each.records for each in parts),
        bytes=sum(each.bytes for each in parts),
        journals=journals(made),
        rows=sum(each.rows for each in rows),
        groups=len({each.group for each in stand.good}),
        left_out=stand.left_out,
        taken_at=made.taken_at,
        sha256=digest,
        seconds=round(time.monotonic() - began, 2),
        swept=swept,
        anew=before.anew,
    )


def judge(made: Backup, prefix: str) -> None:
    """As `croupier restore` will, without reading the bytes again: their digests were made as they were written.

    Raises StackError: whoever learns it from the restore has lost the house.
    """
    try:
        check(made, prefix)
    except (Damaged, StackError) as wrong:
        raise StackError(f"what was copied could not be restored, so the backup before it stays: {wrong}") from None


class Before(NamedTuple):
    """What a run may go on from."""

    parts: dict[tuple[str, int], Part]
    """By topic and partition."""
    rows: tuple[Rows, ...]
    anew: bool
    """There is something that it may not go on from."""


def copied_before(folder: Path, marks: Marking, prefix: str) -> Before:
    """What lies in the folder.

    What is added would be marked as ours. So after a rotation of marks nothing that lies there is believed: all is
    copied once more beside it. Whoever had the old key gains nothing by it, and nobody has to see to it. Raises
    `Damaged`, and StackError for another house's.
    """
    held = read_manifest(folder, marks)
    if held is None:
        return Before({}, (), False)
    if held.backup.prefix != prefix:
        raise StackError(f"this folder holds the house with the topic prefix {held.backup.prefix!r}")
    if held.foreign not in (None, RETIRED):
        raise Damaged(f"the backup in {folder} is not of this house ({held.foreign})")
    if held.foreign is not None:
        return Before({}, (), True)
    return Before({each.place: each for each in held.backup.parts}, held.backup.rows, False)


def journals(made: Backup) -> dict[str, int]:
    return {f"{each.topic}/{each.partition}": each.end for each in made.parts if each.topic.endswith(".journal.v1")}


def show(report: Report, console: Console) -> None:
    if report.anew:
        console.print("marks were rotated since the backup that was here: all of it is copied anew", highlight=False)
    if not report.swept:
        console.print("a restore reads this folder: what only it needs is removed by the next run", highlight=False)
    for each in report.left_out:
        console.print(f"left out: {each}", highlight=False, markup=False)
    for place, head in report.journals.items():
        console.print(f"{place}: up to offset {head:,}", highlight=False)
    console.print(
        f"backup: {report.copied:,} records copied, {report.records:,} in it ({report.bytes / 1e6:,.1f} MB),"
        f" {report.rows:,} rows, {report.groups} groups, {report.seconds:.1f} s\nsha256 {report.sha256}",
        highlight=False,
    )


def _now() -> int:
    return time.time_ns() // 1_000_000
