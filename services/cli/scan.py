"""`croupier scan`: looks through topics, tables, logs and metrics for anything that should never be readable."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import httpx
import msgspec
import typer
from rich.console import Console
from rich.table import Table

from libs.contracts.topics import INSPECTOR, TABLE_PRIVATE, topic
from libs.journal.log import Log
from libs.sealing.kek_file import Keks, keyring_of, read_keks
from libs.sealing.key_files import BadKey, hex_key
from libs.stack import default_home
from services.cli.journals import books
from services.cli.secrecy.cards import HiddenCards
from services.cli.secrecy.hands import Hand, hands_of
from services.cli.secrecy.needles import Hit, Needles
from services.cli.secrecy.order import PrivateDeals, ShowingOrder
from services.cli.secrecy.places import Text, all_lines, all_records, all_rows, record_texts
from services.cli.surroundings import Home, Json, Tell, end, key_in_one_line, silent, surroundings, told

_BATCH = 4 * 1024 * 1024
TABLE_EVENTS = topic("table", "events").name


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
    topics: Searched = msgspec.field(default_factory=Searched)
    rows: Searched = msgspec.field(default_factory=Searched)
    lines: Searched = msgspec.field(default_factory=Searched)
    events_in_order: int = 0
    deals_opened: int = 0
    findings: list[Found] = []
    seconds: float = 0.0


@dataclass(slots=True)
class Secrets:
    """What is looked for."""

    needles: Needles = field(default_factory=Needles)
    hands: dict[tuple[str, int], Hand] = field(default_factory=dict)
    """Everything that was dealt from a deck or shoe of its own."""
    lost: set[tuple[str, int]] = field(default_factory=set)
    cards: HiddenCards = field(init=False)

    def __post_init__(self) -> None:
        self.cards = HiddenCards(self.needles)


def scan(
    files: Annotated[list[Path] | None, typer.Argument(help="Logs, folders, metrics dumps to search too.")] = None,
    metrics: Annotated[list[str] | None, typer.Option(help="Addresses of /metrics to fetch and search.")] = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Search every topic, table, log and metric for unseen cards, decks, salts and keys; exit 0 if there are none.

    Of a deck that does not open nothing can be looked for: then it is 1, too. Without FILES the logs in the home's
    `logs` folder are searched.
    """
    at = surroundings(home)
    logs = files or [(home or default_home()) / "logs"]
    # Needs these and the gateway's key; others are looked for where they are known.
    with key_in_one_line():
        keks = read_keks(at.key("kek"))
    keys = {name: key for name in at.keys if name != "kek" and (key := _key(at.keys[name])) is not None}
    opener, of_house = at.secret("gateway_key"), at.house().partitions
    with told("opening the decks") as tell:
        pages = [Text(each, httpx.get(each).raise_for_status().text.encode()) for each in metrics or []]
        rows = at.stack.database(INSPECTOR)
        search = scan_log(at.log("scan"), of_house, keks, keys, opener, rows, logs, pages, at.topic_prefix, tell)
        report = asyncio.run(search)
    end(report, not report.findings and not report.lost, as_json, show)


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
    """The whole search, over any log, in a house of so many partitions. `keys`: what else is looked for.

    On a house at play cards are dealt and shown while it is searched. So what is found is looked for again, with the
    journals as they are then: what is not found any more had been dealt or shown meanwhile.
    """
    began = time.monotonic()
    report = await _search(log, of_house, keks, keys, gateway_key, database_url, files, pages, prefix, tell)
    if report.findings:
        first = {(each.place, each.what) for each in report.findings}
        report = await _search(log, of_house, keks, keys, gateway_key, database_url, files, pages, prefix, tell)
        report.findings = [each for each in report.findings if (each.place, each.what) in first]
    report.seconds = round(time.monotonic() - began, 2)
    return report


async def _search(
    log: Log,
    of_house: int,
    keks: Keks,
    keys: dict[str, bytes],
    gateway_key: bytes,
    database_url: str | None,
    files: Sequence[Path],
    pages: Sequence[Text],
    prefix: str,
    tell: Tell,
) -> Report:
    secrets = await _secrets(log, of_house, keks, keys, prefix)
    report = Report(
        hands=len(secrets.hands),
        lost=len(secrets.lost),
        hidden_holes=sum(len(hands) for hands in secrets.cards.holes.values()),
        words=len(secrets.needles.owners),
    )
    await _topics(log, of_house, secrets, gateway_key, prefix, report, tell)
    if database_url is not None:
        search = _Search(secrets, report, report.rows)
        async for text in all_rows(database_url):
            search.take(text)
            if search.place.texts % 1000 == 0:
                tell(f"rows searched: {search.place.texts:,}")
                await asyncio.sleep(0)
        search.flush()
    search = _Search(secrets, report, report.lines)
    for text in (*pages, *all_lines(files)):
        search.take(text)
    search.flush()
    return report


async def _secrets(log: Log, of_house: int, keks: Keks, keys: dict[str, bytes], prefix: str) -> Secrets:
    secrets = Secrets()
    table = books(keyring_of(keks), of_house)[0]
    async for hand in hands_of(log, table, prefix, secrets.lost):
        secrets.hands[hand.table, hand.number] = hand
        secrets.needles.add_hand(hand)
        secrets.cards.add(hand)
    for name, key in {**keys, **{each.id: each.key.reveal() for each in keks.versions}}.items():
        secrets.needles.add_key(name, key)
    return secrets


async def _topics(
    log: Log, of_house: int, secrets: Secrets, opener: bytes, prefix: str, report: Report, tell: Tell
) -> None:
    order = ShowingOrder(secrets.hands, secrets.lost)
    deals = PrivateDeals(secrets.hands, opener, secrets.lost)
    search = _Search(secrets, report, report.topics)
    async for name, partition, record in all_records(log, of_house, prefix):
        for text in record_texts(name, partition, record):
            search.take(text)
        place = f"{name}/{partition}@{record.offset}"
        if name == TABLE_EVENTS:
            report.findings += [Found(place, what) for what in order.take(record)]
        if name == TABLE_PRIVATE.name:
            report.findings += [Found(place, what) for what in deals.take(record)]
        if search.place.texts % 1000 == 0:
            tell(f"records searched: {search.place.texts:,}")
            await asyncio.sleep(0)
    search.flush()
    report.events_in_order, report.deals_opened = order.events, deals.opened


class _Search:
    """Looks for cards text by text, and for bytes in large pieces, since every piece costs eight passes."""

    def __init__(self, secrets: Secrets, report: Report, place: Searched) -> None:
        self.place = place
        self._secrets = secrets
        self._report = report
        self._batch: list[Text] = []
        self._size = 0
        self._told: set[tuple[str, str]] = set()

    def take(self, text: Text) -> None:
        self.place.texts += 1
        self.place.bytes += len(text.content)
        self._tell(text.place, self._secrets.cards.find(text.content))
        self._batch.append(text)
        self._size += len(text.content)
        if self._size >= _BATCH:
            self.flush()

    def flush(self) -> None:
        hits = self._secrets.needles.find(b"\n".join(text.content for text in self._batch))
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


def _key(file: Path) -> bytes | None:
    try:
        return hex_key(file)
    except BadKey:
        return None
