"""`croupier house move`: a closed house into other topics, with another number of partitions (ADR 15)."""

import asyncio
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from aiokafka.errors import UnknownTopicOrPartitionError
from rich.console import Console

from libs.broker.administration import administering
from libs.contracts.house import HouseClosed, HouseCreated
from libs.contracts.topics import HOUSE, HOUSES, TOPICS
from libs.journal.house import HALF, is_half
from libs.journal.kafka_cluster import Cluster
from libs.journal.mark_keys import keys_of, marks_of, plan_in
from libs.journal.marks import ASKED, Marking, Marks
from libs.journal.seal_keys import seals_of
from libs.stack import Progress, StackError, provision, remove
from libs.stack.house import records_at, say
from libs.stack.provision import TopicState, inspect
from services.cli.backup import back_up
from services.cli.backups.files import Backup, Damaged, Held, read_manifest
from services.cli.journals import books
from services.cli.marks import Keys, keys_folder
from services.cli.migrate import migrated
from services.cli.moving.repartition import Different, Repartition, Target
from services.cli.restore import restore_into
from services.cli.surroundings import MARKS, Home, Json, Surroundings, end, in_one_line, mark_root, shown, surroundings

house = typer.Typer(help="The house as a whole.", no_args_is_help=True)

_MOST_BYTES = "max.message.bytes"
_NOTHING = "0"
"""No record is so small: the broker takes none, from anybody."""
_DEFAULT_BYTES = "1048588"
"""Kafka's own, for topics of which the table says nothing."""
_SETTLE_S = 2.0
"""The broker shows a new setting of a topic a moment before it goes by it."""
_PATIENCE = 100
_PAUSE_S = 0.2
Ends = Mapping[tuple[str, int], int]


class Report(msgspec.Struct):
    before: int
    partitions: int
    prefix: str
    opened: bool = False
    records: int = 0
    closed_s: float = 0.0
    copied_s: float = 0.0
    made_s: float = 0.0
    written_s: float = 0.0


@house.callback()
def _named() -> None:
    """The house as a whole."""


@house.command()
def move(
    folder: Annotated[Path, typer.Argument(help="Folder of this move, with room for the house twice.")],
    partitions: Annotated[int, typer.Option(min=1, max=1_000, help="Of the moved house.")],
    to: Annotated[str, typer.Option(help="Prefix of its topics, such as `m2.`: CROUPIER_TOPIC_PREFIX from then on.")],
    database: Annotated[
        str, typer.Option(envvar="CROUPIER_NEW_DATABASE_URL", help="Its database, empty; under its owner's login.")
    ],
    replication: Annotated[int, typer.Option(min=1, help="Replicas of each topic.")] = 1,
    back: Annotated[bool, typer.Option("--back", help="Open the old house again, if the new one is not open.")] = False,
    keys: Keys = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Close a house whose processes are stopped, and make it anew in other topics with so many partitions.

    Ended halfway, run it again. The old topics and the old database stay as they are, to be verified at any time.
    """
    at = surroundings(home)
    if to == at.topic_prefix or (to and not to.endswith(".")):
        raise StackError("--to is another prefix than the house has, and ends with a dot")
    os.umask(0o077)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with shown(Console(stderr=True)) as tell, in_one_line():
        moving = Moving(at, keys_folder(keys), folder, to, partitions, replication, database, tell)
        try:
            report = asyncio.run(moving.back() if back else moving.run())
        except (Different, Damaged) as wrong:
            raise StackError(f"nothing was opened: {wrong}") from None
    end(report, True, as_json, show)


class Moving:
    """One run. Each step finds out by itself whether it is done."""

    def __init__(
        self, at: Surroundings, keys: Path, folder: Path, to: str, partitions: int, replication: int, database: str,
        tell: Progress,
    ) -> None:  # fmt: skip
        self._replication = replication
        self._at = at
        self._root, self._plan = mark_root(keys), plan_in(keys / MARKS)
        self._folder, self._to, self._partitions, self._tell = folder, to, partitions, tell
        self._there = replace(at, stack=replace(at.stack, database_url=database), topic_prefix=to, checkpoint_file=None)
        self._marks = marks_of(HOUSE, self._root, self._plan)
        self._known: dict[tuple[str, bool], Marking] = {}

    async def run(self) -> Report:
        old, closed = await self._old()
        report = Report(old.partitions, self._partitions, self._to)
        if (await self._new())[0] is not None:
            report.opened = True
            return report
        began = time.monotonic()
        closed_at = await self._close(old, closed)
        report.closed_s, began = _since(began)
        made = await self._copy(old, closed_at)
        report.copied_s, began = _since(began)
        new, digest = await asyncio.to_thread(self._make, made, old)
        report.made_s, began = _since(began)
        await self._clear()
        await self._begin(old)
        await migrated(self._there.stack.database_url)
        restored = await restore_into(
            self._there, self._partitions, self._folder / "new", True, digest, False, self._tell
        )
        if not restored.good:
            wrong = restored.differences or (restored.verified.findings if restored.verified else [])
            raise Different(f"what was written is not what was made: {wrong[0]}")
        report.records = restored.records
        await self._open(old, made, new)
        report.written_s, _ = _since(began)
        report.opened = True
        return report

    async def back(self) -> Report:
        old, closed = await self._old()
        if (await self._new())[0] is not None:
            raise StackError("the new house is open: what was decided there since would be lost")
        await self._clear()
        if closed is not None and closed.closed:
            await self._fence(None)
            await say(self._at.stack.admin, self._marks, self._at.topic_prefix, replace_closed(closed))
        return Report(old.partitions, old.partitions, self._at.topic_prefix, opened=True)

    async def _old(self) -> tuple[HouseCreated, HouseClosed | None]:
        created, closed = await records_at(self._at.stack.admin, self._marks, self._at.topic_prefix)
        if created is None:
            raise StackError("there is no house here: `croupier topics --create` makes its first record")
        if is_half(closed, self._at.topic_prefix):
            raise StackError(HALF)
        if closed is not None and closed.closed and closed.to != self._to:
            raise StackError(f"this house is on its way to the topics that begin with {closed.to!r}")
        return created, closed

    async def _new(self) -> tuple[HouseCreated | None, HouseClosed | None]:
        if not any(state.partitions for state in await self._states() if state.name == self._to + HOUSES.name):
            return None, None
        return await records_at(self._at.stack.admin, self._marks, self._to)

    async def _states(self) -> list[TopicState]:
        return await inspect(self._at.stack.admin, self._to)

    async def _close(self, old: HouseCreated, closed: HouseClosed | None) -> int:
        """From here on no process starts in the old house, and the broker takes no command and no commit there."""
        if closed is None or not closed.closed:
            closed = HouseClosed(old.house, True, self._to, _now())
            await say(self._at.stack.admin, self._marks, self._at.topic_prefix, closed)
        await self._fence(_NOTHING)
        return closed.at

    async def _fence(self, most_bytes: str | None) -> None:
        async with administering(self._at.stack.admin) as admin:
            for each in TOPICS:
                if each.kind in ("commands", "journal"):
                    value = most_bytes or each.config.get(_MOST_BYTES, _DEFAULT_BYTES)
                    await admin.set_topics([self._at.topic_prefix + each.name], _MOST_BYTES, value)
        await asyncio.sleep(_SETTLE_S)

    async def _copy(self, old: HouseCreated, closed_at: int) -> Backup:
        """A backup that was begun after the house was closed, and has everything."""
        (folder := self._folder / "old").mkdir(exist_ok=True)
        held = self._held(folder)
        if held is None or held.backup.began_at < closed_at or await self._changed(held.backup):
            await back_up(self._at, old, folder, self._tell)
            held = self._held(folder)
        assert held is not None
        return held.backup

    def _held(self, folder: Path) -> Held | None:
        held = read_manifest(folder, self._at.marks())
        if held is not None and held.foreign:
            raise Damaged(f"{folder} holds what this house has not written ({held.foreign})")
        return held

    async def _changed(self, made: Backup) -> bool:
        cluster = Cluster(self._at.stack.admin, "croupier-move", 30_000)
        await cluster.join()
        try:
            decided = {
                each.place: each.end for each in made.parts if each.topic.endswith((".journal.v1", ".commands.v1"))
            }
            ends: Ends = await cluster.offsets(list(decided), -1)
        finally:
            cluster.leave()
        return dict(ends) != decided

    def _make(self, made: Backup, old: HouseCreated) -> tuple[Backup, str]:
        (folder := self._folder / "new").mkdir(exist_ok=True)
        wanted = made.taken_at, self._to, self._partitions
        if (held := self._held(folder)) is not None:
            there = held.backup
            if (there.taken_at, there.prefix, there.partitions) == wanted:
                return there, held.digest
        machines = [
            replace(each.machine, seals=seals_of(each.machine.service, self._root, self._plan))
            for each in books(self._at.keyring(), old.partitions)
        ]
        making = Repartition(
            *(self._folder / "old", made, folder),
            Target(self._to, self._partitions),
            marks_of("audit", self._root, self._plan),
            self._marks_of,
            machines,
            self._tell,
        )
        return making.run()

    def _marks_of(self, writer: str, asked: bool) -> Marking:
        if (writer, asked) not in self._known:
            keys = keys_of(writer, self._root, self._plan)
            kept = [each for each in keys if asked or not each.topic.endswith(f"/{ASKED}")]
            self._known[writer, asked] = Marks(writer, kept, self._plan.writes)
        return self._known[writer, asked]

    async def _clear(self) -> None:
        """What a run that was ended left: nobody can have started on it."""
        if not any(state.partitions for state in await self._states()):
            return
        with suppress(UnknownTopicOrPartitionError):  # some were never made
            await remove(self._at.stack.admin, self._to)
        for _ in range(_PATIENCE):
            if not any(state.partitions for state in await self._states()):
                return
            await asyncio.sleep(_PAUSE_S)
        raise StackError(f"the broker does not let go of the topics that begin with {self._to!r}")

    async def _begin(self, old: HouseCreated) -> None:
        admin = self._at.stack.admin
        await provision(admin, 1, self._to, self._replication, only=(HOUSES,))
        await say(admin, self._marks, self._to, HouseClosed(old.house, True, self._to, _now()))
        await provision(admin, self._partitions, self._to, self._replication)

    async def _open(self, old: HouseCreated, made: Backup, new: Backup) -> None:
        """The one step that cannot be taken back."""
        if await self._changed(made):
            raise StackError("the old house has decided something since it was closed: run it again")
        services = [each for each in TOPICS if each.kind == "journal"]
        carried = {
            each.name.split(".")[1]: tuple(
                part.end for n in range(self._partitions) if (part := new.part(self._to + each.name, n)) is not None
            )
            for each in services
        }
        opened = HouseCreated(
            *(old.house, old.incarnation + 1, self._partitions, _now(), self._at.topic_prefix, carried)
        )
        await say(self._at.stack.admin, self._marks, self._to, opened)


def replace_closed(closed: HouseClosed) -> HouseClosed:
    return msgspec.structs.replace(closed, closed=False, at=_now())


def _now() -> int:
    return time.time_ns() // 1_000_000


def _since(began: float) -> tuple[float, float]:
    now = time.monotonic()
    return round(now - began, 2), now


def show(report: Report, console: Console) -> None:
    console.print(
        f"house: {report.partitions} partitions in topics that begin with {report.prefix!r}, open;"
        f" {report.records:,} records\nclosed in {report.closed_s:.1f} s, copied in"
        f" {report.copied_s:.1f} s, made anew in {report.made_s:.1f} s, written in {report.written_s:.1f} s",
        highlight=False,
    )
