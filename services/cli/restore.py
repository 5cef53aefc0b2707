"""`croupier restore`: a backup into an empty cluster and an empty database, up to the last event that it holds."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from rich.console import Console

from libs.broker import Broker
from libs.broker.administration import administering
from libs.contracts.house import HouseClosed, HouseCreated
from libs.contracts.topics import HOUSE
from libs.journal.house import is_half
from libs.journal.kafka_cluster import Cluster
from libs.journal.kafka_log import KafkaLog
from libs.stack import Progress, StackError
from libs.stack.house import records_at, say
from libs.stack.provision import TopicState, inspect
from services.audit.verifying.checkpoint import public_hex
from services.cli.backup import Folder, journals
from services.cli.backups import evidence
from services.cli.backups.files import Backup, Damaged, read_manifest, records_in, rows_in
from services.cli.backups.judging import check, standing
from services.cli.backups.locks import reading
from services.cli.backups.log import (
    Everything,
    Restoring,
    check_empty,
    compacted,
    cut,
    differs,
    places,
    put_positions,
)
from services.cli.journals import books
from services.cli.surroundings import Home, Json, Surroundings, end, in_one_line, shown, surroundings
from services.cli.verify import Report as Verified
from services.cli.verify import outside, verify_log

_TIMESTAMPS = "message.timestamp.type"
_SETTLE_S = 2.0
"""The broker shows a new setting of a topic a moment before it goes by it; what is read back afterwards says so."""
_LAST: tuple[str, ...] = ("journal",)
"""A house whose public events are there and whose journals are not does not start (journal 17), whatever its first
record says."""


class Report(msgspec.Struct):
    records: int = 0
    journals: dict[str, int] = {}
    """Where each partition of a journal ends: as in the backup."""
    rows: int = 0
    taken_at: int = 0
    """When the backup was taken, milliseconds since the epoch."""
    left_out: list[str] = []
    """Of groups' positions: a line for each that leads nowhere. A backup leaves them out, one of before it did not."""
    differences: list[str] = []
    verified: Verified | None = None
    checked_s: float = 0.0
    opened: bool = False
    """Whether services start here; False where somebody else opens it (`croupier house move`)."""
    written_s: float = 0.0
    verified_s: float = 0.0

    @property
    def good(self) -> bool:
        return not self.differences and not (self.verified and self.verified.failures)


def restore(
    folder: Folder,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read everything back, then walk the journals as `croupier verify`.")
    ] = False,
    digest: Annotated[str | None, typer.Option(help="Digest of the manifest, as `croupier backup` told it.")] = None,
    unproved: Annotated[
        bool,
        typer.Option("--unproved", help="Restore what has no mark of this house, and whoever wrote it may have made."),
    ] = False,
    drill: Annotated[
        bool, typer.Option("--drill", help="Into a cluster of its own: the house's backups go on in this folder.")
    ] = False,
    open_again: Annotated[
        bool,
        typer.Option("--open", help="Write nothing: open what a restore left closed, once all of it is read back."),
    ] = False,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Restore a backup into an empty cluster and database, as `croupier up` makes them; start the services after it.

    Refuses a cluster that is not empty, and a backup that is torn or altered. Read models are made by the services.
    Until everything is there the house is closed: no service starts in it, and no backup is taken of it. It stays so
    where something differs, or --verify finds anything: what it finds may be of before the backup, and who has read it
    opens the house by --open.
    No backup is taken into this folder meanwhile: one of a house that is restored by half would take the place of this
    one.
    """
    at = surroundings(home)
    with shown(Console(stderr=True)) as tell, in_one_line(), reading(folder, is_drill=drill) as is_held:
        if not is_held:
            typer.echo(f"nothing can be locked in {folder}: see to it that no backup runs meanwhile", err=True)
        try:
            if open_again:
                report = asyncio.run(open_restored(at, folder, digest, unproved, tell))
            else:
                house = at.house()
                report = asyncio.run(restore_into(at, house.partitions, folder, verify, digest, unproved, tell, house))
        except Damaged as wrong:
            done = "opened" if open_again else "restored"
            raise StackError(f"nothing was {done}, the backup is damaged: {wrong}") from None
    end(report, report.good, as_json, show)


async def restore_into(
    at: Surroundings,
    partitions: int,
    folder: Path,
    verify: bool,
    digest: str | None,
    unproved: bool,
    tell: Progress,
    house: HouseCreated | None = None,
) -> Report:
    """`house`: what is here, empty; it is closed until everything is written. None: it is its mover's, who has it
    closed and opens it; rows may be there from a run of his that was ended."""
    began = time.monotonic()
    made = checked(at, folder, digest, unproved, tell)
    if made.partitions != partitions:
        had = f"the backup is of a house of {made.partitions} partitions, this one was created with {partitions}"
        raise StackError(f"{had}: create it anew with CROUPIER_PARTITIONS={made.partitions}")
    stand = standing(made.positions, made.parts, made.prefix)
    report = Report(journals=journals(made), taken_at=made.taken_at, left_out=stand.left_out, checked_s=_since(began))
    began = time.monotonic()
    cluster = Cluster(at.stack.admin, "croupier-restore", 30_000)
    await cluster.join()
    try:
        await check_empty(at.stack.admin, cluster, partitions, at.topic_prefix)
        await evidence.check_empty(at.stack.database_url, again=house is None)
        if house is not None:
            house = await _close(at, house, made)
        # What a journal cannot tell first: should this end anywhere, nothing looks like a house that has lost it.
        for rows in made.rows:
            await evidence.put_rows(at.stack.database_url, folder, rows)
            report.rows += rows.rows
        if at.checkpoint_file is not None:
            key = _public_key(at)
            await evidence.write_checkpoints(at.stack.database_url, at.checkpoint_file, key)
        await put_positions(at.stack.admin, stand.good)
        report.records = await _write(at.stack.admin, cluster, folder, made, tell)
    finally:
        cluster.leave()
    states = await _drift(at, report)
    report.written_s = _since(began)
    if verify:
        began = time.monotonic()
        await _read_back(at, folder, made, report, tell)
        await _walk(at, made, report, tell)
        report.verified_s = _since(began)
    if house is not None and report.good:
        await _open(at, house, states)
        report.opened = True
    return report


async def open_restored(at: Surroundings, folder: Path, digest: str | None, unproved: bool, tell: Progress) -> Report:
    """What a restore of this backup has left closed, when the log holds all of it. Raises StackError for another house,
    `Damaged`."""
    began = time.monotonic()
    made = checked(at, folder, digest, unproved, tell)
    report = Report(journals=journals(made), taken_at=made.taken_at, checked_s=_since(began))
    house, closed = await records_at(at.stack.admin, at.marks_of(HOUSE), at.topic_prefix)
    if house is None or not is_half(closed, at.topic_prefix):
        raise StackError("no house here that a restore has left closed")
    if made.partitions != house.partitions:
        raise StackError(f"the backup is of a house of {made.partitions} partitions, this one has {house.partitions}")
    began = time.monotonic()
    await _cut(at.stack.admin, made)  # a restore may have been killed before it
    states = await _drift(at, report)
    await _read_back(at, folder, made, report, tell)
    report.verified_s = _since(began)
    if report.good:
        await _open(at, house, states)
        report.opened = True
    return report


async def _drift(at: Surroundings, report: Report) -> list[TopicState]:
    states = list(await inspect(at.stack.admin, at.topic_prefix))
    for state in states:
        report.differences += [f"{state.name}: {key} is {pair[1]}" for key, pair in state.drift.items()]
    return states


async def _close(at: Surroundings, house: HouseCreated, made: Backup) -> HouseCreated:
    """Says that nobody starts here, and gives the house that it is from now on."""
    await _say_closed(at, house, True)
    if made.house is not None and made.house.incarnation > 1:
        # Where its commands lie, and from where on they are its own, goes by this (journal 14). It stays closed
        # (`house_records`); said once more, for a build that took this for opened.
        house = made.house
        await say(at.stack.admin, at.marks_of(HOUSE), at.topic_prefix, house)
        await _say_closed(at, house, True)
    return house


async def _open(at: Surroundings, house: HouseCreated, states: Sequence[TopicState]) -> None:
    """The last act of a restore. Raises StackError where a topic would take the times of its records from who writes
    them: retired keys, expiry and retention go by it."""
    wrong = [each.name for each in states if _TIMESTAMPS in each.drift]
    if wrong:
        raise StackError(f"the house stays closed: {wrong[0]} does not take the broker's time ({_TIMESTAMPS})")
    await _say_closed(at, house, False)


async def _say_closed(at: Surroundings, house: HouseCreated, is_closed: bool) -> None:
    closed = HouseClosed(house.house, is_closed, at.topic_prefix, time.time_ns() // 1_000_000)
    await say(at.stack.admin, at.marks_of(HOUSE), at.topic_prefix, closed)


def checked(at: Surroundings, folder: Path, digest: str | None, unproved: bool, tell: Progress) -> Backup:
    """The backup, every byte of it read. Raises `Damaged`, or StackError for one that is not for this house."""
    held = read_manifest(folder, at.marks())
    if held is None:
        raise StackError(f"{folder} holds no backup that has come to its end")
    made = held.backup
    if digest is not None and digest != held.digest:
        raise Damaged(f"its manifest's digest is {held.digest}")
    if held.foreign and digest is None and not unproved:
        raise StackError(
            f"is it a backup of this house? Its manifest has {held.foreign}. --digest says so, as `croupier backup`"
            " told it; --unproved believes the folder: rows, positions, sessions and snapshots as they are"
        )
    check(made, at.topic_prefix)
    for number, part in enumerate(made.parts):
        tell("checking the backup", number, len(made.parts))
        for _ in records_in(folder, part):
            pass
    for rows in made.rows:
        with rows_in(folder, rows):
            pass
    tell("checking the backup", len(made.parts), len(made.parts))
    return made


async def _write(broker: Broker, cluster: Cluster, folder: Path, made: Backup, tell: Progress) -> int:
    known = places(made.prefix, made.partitions)
    names = sorted({each.topic for each in made.parts})
    restoring = Restoring(folder, cluster, tell)
    async with administering(broker) as admin:
        # Records keep the broker's time at which they came: retired keys, expiry and retention go by it.
        await admin.set_topics(names, _TIMESTAMPS, "CreateTime")
        await asyncio.sleep(_SETTLE_S)
        for part in sorted(made.parts, key=lambda each: known[each.place].kind in _LAST):
            await restoring.write(part, known[part.place])
        await admin.set_topics(names, _TIMESTAMPS, "LogAppendTime")
        await asyncio.sleep(_SETTLE_S)
    await _cut(broker, made)
    return restoring.written


async def _cut(broker: Broker, made: Backup) -> None:
    known = places(made.prefix, made.partitions)
    first = {each.place: each.first for each in made.parts if each.first and not compacted(known[each.place])}
    await cut(broker, first)


async def _read_back(at: Surroundings, folder: Path, made: Backup, report: Report, tell: Progress) -> None:
    known = places(made.prefix, made.partitions)
    everything = KafkaLog(at.stack.admin, Everything(), client_id="croupier-restore", on_foreign=lambda _: None)
    for number, part in enumerate(made.parts):
        tell("reading back", number, len(made.parts))
        different = await differs(folder, everything, part, known[part.place])
        report.differences += [different] if different else []
    tell("reading back", len(made.parts), len(made.parts))


async def _walk(at: Surroundings, made: Backup, report: Report, tell: Progress) -> None:
    tell("walking the journals", 0, 1)
    _, checkpoints, key = outside(at)
    log = at.log("restore", lambda _: None)
    # Public events were read before journals were: what was decided since the backup began may lack its events.
    report.verified = await verify_log(
        log,
        books(at.keyring(), made.partitions),
        checkpoints,
        key,
        at.topic_prefix,
        stood_still=made.began_at,
    )
    tell("walking the journals", 1, 1)


def _public_key(at: Surroundings) -> str:
    """Of checkpoints; none in a house whose auditor signs nothing."""
    file = at.keys.get("checkpoint_key")
    if file is None or not file.exists():
        return ""
    return public_hex(Ed25519PrivateKey.from_private_bytes(at.secret("checkpoint_key")))


def _since(began: float) -> float:
    return round(time.monotonic() - began, 2)


def show(report: Report, console: Console) -> None:
    for place, head in report.journals.items():
        console.print(f"{place}: up to offset {head:,}", highlight=False)
    for each in report.left_out:
        console.print(f"left out: {each}", highlight=False, markup=False)
    for each in report.differences:
        console.print(f"differs: {each}", highlight=False)
    if report.verified is not None:
        for finding in report.verified.findings:
            console.print(f"failure: {finding}", highlight=False)
        console.print(
            f"verify: {report.verified.hands:,} hands, {report.verified.failures:,} failures", highlight=False
        )
    console.print(
        f"restore: {report.records:,} records, {report.rows:,} rows; checked in {report.checked_s:.1f} s,"
        f" written in {report.written_s:.1f} s, verified in {report.verified_s:.1f} s",
        highlight=False,
    )
    if report.differences:
        console.print("the house stays closed: it is not as its backup; wipe it and restore it once more")
    elif not report.opened:
        console.print("the house stays closed: read what was found, then `croupier restore … --open`")
