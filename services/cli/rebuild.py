"""`croupier rebuild --compare`: the read models made anew from the journals, beside the live ones, and compared."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any
from uuid import uuid4

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from libs.contracts.messages import PublicEvent
from libs.journal.log import Log
from libs.journal.tail import end_of
from libs.projecting import Arrived, Partition, Pool, Projector, drop_schema, migrate, open_pool
from libs.projecting.connecting import connect, is_there
from libs.projecting.row_marks import Marks
from libs.projecting.writings import Writings
from services.audit.verifying.kept import Store
from services.cli.comparing import MODELS, Difference, Model, compared
from services.cli.journals import Book, books, journal_ends
from services.cli.pace import Pace
from services.cli.surroundings import Home, Json, Tell, end, silent, surroundings, told
from services.cli.walking import Walk
from services.wallet import projections as wallet

_PAGE = 1_000
PATIENCE_S = 60.0


class Report(msgspec.Struct):
    tables: list[Difference] = []
    events: int = 0
    set_aside: int = 0
    """Events of the journals that could not be written: their streams are not in the rebuilt read models."""
    journal_findings: int = 0
    """What the walk over the journals did not like; `croupier verify` tells which."""
    problem: str = ""
    """Why nothing could be compared, in one sentence."""
    kept: list[str] = []
    """Rebuilt schemas that are still there."""
    seconds: float = 0.0

    @property
    def differences(self) -> int:
        return sum(each.rows for each in self.tables)

    @property
    def good(self) -> bool:
        return not (self.differences or self.set_aside or self.journal_findings or self.problem)


def rebuild(
    compare: Annotated[bool, typer.Option("--compare", help="Compare with the live read models.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the rebuilt schemas in place.")] = False,
    as_json: Json = False,
    patience: Annotated[float, typer.Option(help="Seconds to wait for the live read models.")] = PATIENCE_S,
    resume: Annotated[
        str, typer.Option(help="Go on with the schemas that an interrupted rebuild has left, named by their ending.")
    ] = "",
    home: Home = None,
) -> None:
    """Rebuild ledger, rake accounts, statements and hand histories from the journals; exit 0 if nothing differs.

    Play may go on meanwhile: both sides are compared as of one and the same event.
    """
    if not compare and not keep:
        raise typer.BadParameter("say --compare (and drop the rebuilt schemas), or --keep, or both")
    if not re.fullmatch("[0-9a-f]{0,8}", resume):
        raise typer.BadParameter("--resume takes the eight characters that an interrupted rebuild has told")
    at = surroundings(home)
    suffix = resume or uuid4().hex[:8]
    with told("reading the journals") as tell:
        house = books(at.keyring(), at.house().partitions)
        asked = Asked(
            at.stack.database_url, at.topic_prefix, keep, patience, suffix, at.marks_of("audit"), at.marks_of("wallet")
        )
        try:
            report = asyncio.run(rebuild_house(at.log("rebuild"), house, asked, tell))
        except BaseException:
            typer.echo(f"croupier rebuild: interrupted; go on with --resume {suffix}", err=True)
            raise
    end(report, report.good, as_json, show)


@dataclass(frozen=True, slots=True)
class Asked:
    """How a rebuild is done. `suffix`: ends the names of the rebuilt schemas; those that are there are gone on with."""

    database_url: str = field(repr=False)
    prefix: str = ""
    keep: bool = False
    patience_s: float = PATIENCE_S
    suffix: str = field(default_factory=lambda: uuid4().hex[:8])
    marks: Marks | None = None
    """The auditor's: rows that are made with them may take the place of live ones."""
    wallet_marks: Marks | None = None
    """So that a schema that is made with them may take the place of the live one."""

    def writings(self, model: Model) -> Writings | None:
        marks = self.wallet_marks if model.schema == wallet.SCHEMA else self.marks
        return None if marks is None else model.writings(marks)


async def rebuild_log(
    log: Log,
    house: Callable[[], Sequence[Book]],
    database_url: str,
    prefix: str = "",
    keep: bool = False,
    patience_s: float = PATIENCE_S,
    tell: Tell = silent,
) -> Report:
    """Rebuilds from the log into the house's own database and compares."""
    return await rebuild_house(log, house(), Asked(database_url, prefix, keep, patience_s), tell)


async def rebuild_house(log: Log, house: Sequence[Book], asked: Asked, tell: Tell = silent) -> Report:
    """One walk over the journals for all models, up to where they end now. Then each model goes on to the very event
    that the live one has come to, and both are compared. Interrupted, the rebuilt schemas stay."""
    began = time.monotonic()
    report = Report()
    rebuilt = [await Rebuilt.opened(model, house, asked) for model in MODELS]
    report.kept = [each.schema for each in rebuilt]
    lies = Store()
    walks = [Walk(book, place, shared=lies) for book in house for place in book.journal(asked.prefix)]
    try:
        feeding = _Feeding(log, rebuilt, walks, asked.prefix, report, tell)
        await feeding.to(await journal_ends(log, house, asked.prefix))
        async with AsyncExitStack() as stack:
            for each in rebuilt:
                tell(f"waiting for the live {each.model.schema} read models")
                report.problem = report.problem or await _wait(each, asked)
            if not report.problem:
                live = [await stack.enter_async_context(_as_of_now(each, asked)) for each in rebuilt]
                await feeding.to({walk.place: await end_of(log, *walk.place) for walk in walks})
                for each, connection in zip(rebuilt, live, strict=True):
                    tell(f"comparing {each.model.schema}")
                    report.tables += await compared(each.model, each.schema, connection, asked.database_url)
        report.events, report.set_aside = rebuilt[0].given, sum(each.projector.progress.set_aside for each in rebuilt)
    finally:
        for each in rebuilt:
            await each.pool.close()
    for walk in walks:
        walk.close()
    lies.close()
    if not asked.keep:
        for schema in report.kept:
            await drop_schema(asked.database_url, schema)
        report.kept = []
    report.seconds = round(time.monotonic() - began, 2)
    return report


class Fed:
    """A source that somebody feeds: what a page holds is taken at once."""

    def __init__(self, partitions: Sequence[Partition]) -> None:
        self.partitions = partitions
        self.given = dict.fromkeys(partitions, 0)
        self.limits: Mapping[Partition, int] | None = None
        """So many events of each and no more; None: all."""
        self.page: list[Arrived] = []
        self._has: Mapping[Partition, int] = {}

    def give(self, place: Partition, event: PublicEvent) -> None:
        """The next event of a partition. What the model has already is passed over, and what it is not to have."""
        number = self.given[place]
        if self.limits is not None and number >= self.limits.get(place, 0):
            return
        self.given[place] = number + 1
        if number >= self._has.get(place, 0):
            self.page.append(Arrived(*place, number, event))

    async def seek(self, positions: Mapping[Partition, int]) -> None:
        self._has = positions

    async def batch(self, limit: int) -> Sequence[Arrived]:
        page, self.page = self.page, []
        return page

    def wants(self, place: Partition) -> bool:
        """Whether it is to have any more of a partition."""
        return self.limits is None or self.given[place] < self.limits.get(place, 0)

    async def ends(self) -> Mapping[Partition, int]:
        return self.given

    async def close(self) -> None:
        return None


@dataclass(slots=True)
class Rebuilt:
    """One model, made anew in a schema of its own by its own projections."""

    model: Model
    schema: str
    pool: Pool
    source: Fed
    projector: Projector

    @classmethod
    async def opened(cls, model: Model, house: Sequence[Book], asked: Asked) -> "Rebuilt":
        schema = f"{model.schema}_rebuilt_{asked.suffix}"
        await migrate(asked.database_url, schema, model.migrations, at_once=True)
        pool = await open_pool(asked.database_url, schema, role=model.role, max_size=1)
        source = Fed([place for book in house for place in book.events(asked.prefix)])
        projector = Projector(
            pool, model.projector, model.projections(asked.marks), source, writings=asked.writings(model)
        )
        await projector.load()
        return cls(model, schema, pool, source, projector)

    @property
    def given(self) -> int:
        return sum(self.source.given.values())

    async def write(self) -> None:
        if self.source.page:
            await self.projector.step()


class _Feeding:
    """The one walk: what the journals tell, to every model."""

    def __init__(
        self, log: Log, rebuilt: Sequence[Rebuilt], walks: Sequence[Walk], prefix: str, report: Report, tell: Tell
    ) -> None:
        self._log, self._rebuilt, self._walks, self._prefix = log, rebuilt, walks, prefix
        self._report, self._tell = report, tell

    async def to(self, ends: Mapping[Partition, int]) -> None:
        """On from where it is, as far as anybody wants it."""
        pace = Pace(sum(ends[each.place] - each.check.fold.position.next for each in self._walks), self._tell)
        for walk in self._walks:
            topic = walk.book.events(self._prefix)[walk.place[1]]
            if not any(each.source.wants(topic) for each in self._rebuilt):
                continue
            async with aclosing(walk.to(self._log, ends[walk.place])) as records:
                async for met in records:
                    self._report.journal_findings += len(met.findings)
                    for fact in met.told:
                        for each in self._rebuilt:
                            each.source.give(topic, fact.event)
                    if max(len(each.source.page) for each in self._rebuilt) >= _PAGE:
                        await self._write()
                        if not any(each.source.wants(topic) for each in self._rebuilt):
                            break
                    await pace.step(f"{walk.place[0]}/{walk.place[1]}")
            walk.rest()
        await self._write()

    async def _write(self) -> None:
        await asyncio.gather(*(each.write() for each in self._rebuilt))


async def _wait(rebuilt: Rebuilt, asked: Asked) -> str:
    """Until the live read models have taken in what the journals held; otherwise one sentence saying what is amiss."""
    model, give_up = rebuilt.model, time.monotonic() + asked.patience_s
    connection = await connect(asked.database_url)
    try:
        if not await is_there(connection, f"{model.schema}.positions"):
            return f"there is no live schema {model.schema}: start the services first"
        wanted = await _accepted(connection, rebuilt.schema, model.projector)
        while True:
            live = await _accepted(connection, model.schema, model.projector)
            behind = {place: count for place, count in wanted.items() if live.get(place, 0) < count}
            if not behind:
                return ""
            if time.monotonic() > give_up:
                (topic, partition), count = next(iter(behind.items()))
                has, waited = live.get((topic, partition), 0), asked.patience_s
                return f"after {waited:.0f} s {model.projector} has {has} of {count} events of {topic}/{partition}"
            await asyncio.sleep(0.2)
    finally:
        await connection.close()


async def _accepted(connection: Any, schema: str, projector: str) -> dict[Partition, int]:
    rows = await connection.fetch(
        f'select topic, partition, accepted from "{schema}".positions where projection = $1', projector
    )
    return {(row["topic"], row["partition"]): row["accepted"] for row in rows}


@asynccontextmanager
async def _as_of_now(rebuilt: Rebuilt, asked: Asked) -> AsyncIterator[Any]:
    """A connection that sees the live read models as they are now, and goes on seeing them so; what they hold is what
    the rebuilt ones are to get."""
    connection = await connect(asked.database_url)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            rebuilt.source.limits = await _accepted(connection, rebuilt.model.schema, rebuilt.model.projector)
            yield connection
    finally:
        await connection.close()


def show(report: Report, console: Console) -> None:
    """A table for people, then the rows that differ."""
    table = Table("read model", "table", "live", "rebuilt", "only live", "only rebuilt", box=None)
    for each in report.tables:
        counts = (each.live, each.rebuilt, each.only_live, each.only_rebuilt)
        table.add_row(each.schema, each.table, *(f"{count:,}" for count in counts))
    console.print(table)
    for each in report.tables:
        for side, rows in (("live", each.sample_live), ("rebuilt", each.sample_rebuilt)):
            for row in rows:
                console.print(f"  only {side}: {each.schema}.{each.table} {row}", highlight=False)
    if report.problem:
        console.print(f"not compared: {report.problem}", highlight=False)
    if report.set_aside:
        console.print(f"not written: {report.set_aside:,} events, whose streams were set aside", highlight=False)
    if report.journal_findings:
        console.print(f"the journals themselves have {report.journal_findings} findings: `croupier verify`")
    for name in report.kept:
        console.print(f"kept: schema {name}", highlight=False)
    console.print(
        f"rebuild: {report.events:,} events, {report.differences:,} differences, {report.seconds:.1f} s",
        highlight=False,
    )
