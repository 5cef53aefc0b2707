"""`croupier scan`: looks through topics, tables, logs and metrics for anything that should never be readable."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import httpx
import msgspec
import typer
from rich.console import Console
from rich.table import Table

from libs.contracts.topics import INSPECTOR, TABLE_PRIVATE, topic
from libs.journal.log import Log
from libs.projecting.connecting import connect
from libs.sealing.kek_file import Keks, keyring_of, read_keks
from libs.sealing.key_files import BadKey, hex_key
from libs.stack import StackError, default_home
from services.cli.given import regular, whole
from services.cli.journals import books
from services.cli.pace import Pace
from services.cli.secrecy.cards import HiddenCards
from services.cli.secrecy.dealt import Dealt, NotOpened, Window
from services.cli.secrecy.hands import hands_of
from services.cli.secrecy.needles import BETWEEN, Hit, Needles
from services.cli.secrecy.order import PrivateDeals, ShowingOrder
from services.cli.secrecy.places import Lines, Partition, Rows, Text, partitions, record_texts
from services.cli.secrecy.places import files as files_in
from services.cli.secrecy.undated import Undated
from services.cli.surroundings import Home, Json, Tell, end, key_in_one_line, silent, surroundings, told

_BATCH = 4 * 1024 * 1024
_MOST_KEPT = 2**20
TABLE_EVENTS = topic("table", "events").name


BEFORE_MS = 86_400_000
"""What was dealt so long before the first text that is searched is looked for in it, too."""


@dataclass(slots=True)
class Secrets:
    """What is looked for in one window."""

    needles: Needles
    cards: HiddenCards


class Searched(msgspec.Struct):
    """One kind of place: how many texts and bytes were searched there."""

    texts: int = 0
    bytes: int = 0


class Found(msgspec.Struct):
    place: str
    what: str


class Report(msgspec.Struct):
    """`findings` name the hand and what kind of thing lies there, never the thing."""

    hands: int = 0
    lost: int = 0
    """Hands, rounds and shoes whose cards do not open: nothing of them was looked for."""
    hidden_holes: int = 0
    words: int = 0
    """Eight-byte beginnings of secrets that were looked for."""
    windows: int = 0
    """So many times what was dealt in a while was looked for in what was written then."""
    topics: Searched = msgspec.field(default_factory=Searched)
    rows: Searched = msgspec.field(default_factory=Searched)
    lines: Searched = msgspec.field(default_factory=Searched)
    events_in_order: int = 0
    deals_opened: int = 0
    findings: list[Found] = []
    since: int = 0
    """What was written before was not searched; milliseconds since the epoch."""
    until: int = 0
    """Where the next scan may go on."""
    seconds: float = 0.0


class Kept(msgspec.Struct):
    """What a scan leaves for the next one."""

    until: int


def scan(
    files: Annotated[list[Path] | None, typer.Argument(help="Logs, folders, metrics dumps to search too.")] = None,
    metrics: Annotated[list[str] | None, typer.Option(help="Addresses of /metrics to fetch and search.")] = None,
    since: Annotated[
        datetime | None, typer.Option(help="Search what was written from then on (UTC); default: all.")
    ] = None,
    place: Annotated[
        Path | None,
        typer.Option(help="File that keeps how far scans have found nothing: go on from there. Overruled by --since."),
    ] = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Search every topic, table, log and metric for unseen cards, decks, salts and keys; exit 0 if there are none.

    Of a deck that does not open nothing can be looked for: then it is 1, too. Without FILES the logs in the home's
    `logs` folder are searched. A hand is looked for in all that was written while it ran, a minute longer and while the
    next five hundred hands began, and in all that names it or tells no time.
    """
    at = surroundings(home)
    logs = _named(files) if files else [(home or default_home()) / "logs"]
    # Needs these and the gateway's key; others are looked for where they are known.
    with key_in_one_line():
        keks = read_keks(at.key("kek"))
    keys = {name: key for name in at.keys if name != "kek" and (key := _key(at.keys[name])) is not None}
    opener, of_house = at.secret("gateway_key"), at.house().partitions
    begins = _ms(since) if since else _kept(place)
    with told("opening the decks") as tell:
        pages = [Text(each, httpx.get(each).raise_for_status().text.encode()) for each in metrics or []]
        where = Where(at.log("scan"), of_house, at.stack.database(INSPECTOR), logs, pages, at.topic_prefix)
        report = asyncio.run(scan_house(where, keks, keys, opener, tell, begins, place))
    end(report, not report.findings and not report.lost, as_json, show)


@dataclass(frozen=True, slots=True)
class Where:
    """All that is searched, in a house of so many partitions."""

    log: Log
    of_house: int
    database_url: str | None = field(repr=False)
    files: Sequence[Path] = ()
    pages: Sequence[Text] = ()
    prefix: str = ""


async def scan_log(
    log: Log,
    of_house: int,
    keks: Keks,
    keys: dict[str, bytes],
    gateway_key: bytes,
    database_url: str | None,
    files: Sequence[Path] = (),
    pages: Sequence[Text] = (),
    prefix: str = "",
    tell: Tell = silent,
) -> Report:
    """The whole search, over any log. `keys`: what else is looked for."""
    return await scan_house(Where(log, of_house, database_url, files, pages, prefix), keks, keys, gateway_key, tell)


async def scan_house(
    where: Where,
    keks: Keks,
    keys: dict[str, bytes],
    gateway_key: bytes,
    tell: Tell = silent,
    since: int = 0,
    place: Path | None = None,
) -> Report:
    """The search of what was written from `since` on. `place`: keeps how far nothing was found.

    On a house at play cards are dealt and shown while it is searched. So what is found is looked for again, with the
    journals as they are then: what is not found any more had been dealt or shown meanwhile.
    """
    began = time.monotonic()
    report = await _Scan(where, keks, keys, gateway_key, tell, since, place).run()
    if report.findings:
        first = {(each.place, each.what) for each in report.findings}
        report = await _Scan(where, keks, keys, gateway_key, tell, since, None).run()
        report.findings = [each for each in report.findings if (each.place, each.what) in first]
    if place is not None and not report.findings:
        _keep(place, report.until)
    report.seconds = round(time.monotonic() - began, 2)
    return report


class _Scan:
    """One search. What it holds does not grow with the house: it goes through all that was written in the order of
    time, with the hands that were dealt then in memory and all others on disk."""

    def __init__(
        self, where: Where, keks: Keks, keys: dict[str, bytes], gateway_key: bytes, tell: Tell, since: int,
        place: Path | None,
    ) -> None:  # fmt: skip
        self._where, self._tell = where, tell
        self._keyring = keyring_of(keks)
        self._keys = {**keys, **{each.id: each.key.reveal() for each in keks.versions}}
        self._since, self._place = since, place
        self._dealt = Dealt()
        self._lost = NotOpened()
        self._order = ShowingOrder(self._dealt, self._lost)
        self._deals = PrivateDeals(self._dealt, gateway_key, self._lost)
        self._report = Report(since=since, until=time.time_ns() // 1_000_000)
        self._told: set[tuple[str, str]] = set()
        self._undated = Undated()

    async def run(self) -> Report:
        where, report = self._where, self._report
        table = books(self._keyring, where.of_house)[0]
        async for hand in hands_of(where.log, table, where.prefix, self._lost, max(0, self._since - BEFORE_MS)):
            self._dealt.add(hand)
            if len(self._dealt) % 500 == 0:
                self._tell(f"decks opened: {len(self._dealt):,}")
        report.hands, report.lost = len(self._dealt), len(self._lost)
        async with AsyncExitStack() as stack:
            rows = None
            if where.database_url is not None:
                connection = await connect(where.database_url)
                stack.push_async_callback(connection.close)
                await stack.enter_async_context(connection.transaction(readonly=True))
                rows = Rows(connection, self._since)
                await rows.find()
            parts = partitions(where.log, where.of_house, where.prefix, self._since)
            for each in parts:
                stack.push_async_callback(each.close)
            pace = Pace(sum([await each.open() for each in parts]), self._tell)
            lines = [Lines(each, self._since) for each in files_in(where.files)]
            for window in self._dealt.windows(self._since):
                secrets = self._secrets(window)
                await self._topics(secrets, parts, window.until, pace)
                await self._rows(secrets, rows, window.until)
                self._lines(secrets, lines, window.until)
                if report.windows:
                    self._again(secrets)
                report.windows += 1
                if self._place is not None and not report.findings and window.until < report.until:
                    _keep(self._place, window.until)
        report.events_in_order, report.deals_opened = self._order.events, self._deals.opened
        return report

    def _secrets(self, window: Window) -> Secrets:
        needles = Needles()
        secrets = Secrets(needles, HiddenCards(needles, self._dealt, self._dealt.is_table))
        for hand, is_new in self._dealt.looked_for(window):
            words = needles.add_hand(hand, is_new)
            secrets.cards.add(hand)
            if is_new:
                self._report.words += words
                self._report.hidden_holes += 0 if hand.of_shoe else len(set(map(frozenset, hand.hidden_holes())))
        for name, key in self._keys.items():
            needles.add_key(name, key)
        return secrets

    def _search(self, secrets: Secrets, place: Searched) -> "_Search":
        return _Search(secrets, self._report, place, self._told)

    async def _topics(self, secrets: Secrets, parts: Sequence[Partition], until: int, pace: Pace) -> None:
        search, report = self._search(secrets, self._report.topics), self._report
        for part in parts:
            async for record in part.below(until):
                for text in record_texts(part.name, part.partition, record):
                    search.take(text)
                place = f"{part.name}/{part.partition}@{record.offset}"
                if part.name == TABLE_EVENTS:
                    report.findings += [Found(place, what) for what in self._order.take(record)]
                if part.name == TABLE_PRIVATE.name:
                    report.findings += [Found(place, what) for what in self._deals.take(record)]
                await pace.step(f"{part.name}/{part.partition}")
        search.flush()

    async def _rows(self, secrets: Secrets, rows: Rows | None, until: int) -> None:
        if rows is None:
            return
        search = self._search(secrets, self._report.rows)
        async for text in rows.below(until):
            search.take(text)
        if not self._report.windows:
            async for text in rows.undated():
                search.take(text)
                self._undated.add(text, secrets.needles)
        search.flush()

    def _lines(self, secrets: Secrets, files: Sequence[Lines], until: int) -> None:
        search = self._search(secrets, self._report.lines)
        for text in (text for each in files for text in each.below(until)):
            search.take(text)
        if not self._report.windows:
            for text in (*self._where.pages, *(text for each in files for text in each.undated())):
                search.take(text)
                self._undated.add(text, secrets.needles)
        search.flush()

    def _again(self, secrets: Secrets) -> None:
        """What tells no time, for what was dealt later than what it was searched for before."""
        search = self._search(secrets, Searched())
        for text in self._undated.that_may_hold(secrets.needles):
            search.take(text)
        search.flush()


class _Search:
    """Looks for cards text by text, and for bytes in large pieces, since every piece costs eight passes."""

    def __init__(self, secrets: Secrets, report: Report, place: Searched, said: set[tuple[str, str]]) -> None:
        """`said`: findings that were told already."""
        self.place = place
        self._secrets = secrets
        self._report = report
        self._batch: list[Text] = []
        self._size = 0
        self._told = said

    def take(self, text: Text) -> None:
        self.place.texts += 1
        self.place.bytes += len(text.content)
        self._tell(text.place, self._secrets.cards.find(text.content))
        if parts := self._secrets.needles.parts(text.content):
            self._batch.append(Text(text.place, parts))
            self._size += len(parts)
        if self._size >= _BATCH:
            self.flush()

    def flush(self) -> None:
        hits = self._secrets.needles.find(BETWEEN.join(text.content for text in self._batch))
        for hit in hits:
            self._tell(self._place_of(hit.offset), [hit])
        self._batch, self._size = [], 0

    def _place_of(self, offset: int) -> str:
        start = 0
        for text in self._batch:
            start += len(text.content) + 1
            if offset < start:
                return text.place
        return "?"

    def _tell(self, place: str, hits: Iterable[Hit]) -> None:
        for hit in hits:
            found = Found(place, hit.what)
            if (found.place, found.what) not in self._told:
                self._told.add((found.place, found.what))
                self._report.findings.append(found)


def show(report: Report, console: Console) -> None:
    """A table for people."""
    table = Table("searched", "texts", "bytes", box=None)
    for name, each in (("topics", report.topics), ("database rows", report.rows), ("logs and metrics", report.lines)):
        table.add_row(name, f"{each.texts:,}", f"{each.bytes:,}")
    console.print(table)
    console.print(
        f"decks opened {report.hands:,}   hole cards never shown {report.hidden_holes:,}   "
        f"beginnings of secrets looked for {report.words:,}\n"
        f"public events in order of showing {report.events_in_order:,}   private deals opened {report.deals_opened:,}",
        highlight=False,
    )
    if report.lost:
        console.print(f"decks that do not open, of which nothing was looked for: {report.lost:,}", highlight=False)
    for found in report.findings[:20]:
        console.print(f"  {found.place}: {found.what}", highlight=False)
    if len(report.findings) > 20:
        console.print(f"  … and {len(report.findings) - 20:,} more (--json lists them all)")
    console.print(f"scan: {len(report.findings):,} findings, {report.seconds:.1f} s", highlight=False)


def _ms(at: datetime) -> int:
    return int(at.replace(tzinfo=UTC).timestamp() * 1000)


def _named(files: list[Path]) -> list[Path]:
    for each in files:
        try:
            if not each.is_dir():
                regular(each)
        except OSError as wrong:
            raise StackError(f"{each}: {wrong.strerror}") from None
    return files


def _kept(place: Path | None) -> int:
    """How far scans with this file have come; 0 where there is none yet."""
    if place is None or not place.exists():
        return 0
    try:
        return msgspec.json.decode(whole(place, _MOST_KEPT), type=Kept).until
    except OSError as wrong:
        raise StackError(f"{place}: {wrong.strerror}") from None
    except msgspec.DecodeError as wrong:
        raise StackError(f"{place} is not what a scan has kept: {wrong}") from None


def _keep(place: Path, until: int) -> None:
    fresh = place.with_name(f".{place.name}")
    fresh.write_bytes(msgspec.json.encode(Kept(until)))
    fresh.replace(place)


def _key(file: Path) -> bytes | None:
    try:
        return hex_key(file)
    except BadKey:
        return None
