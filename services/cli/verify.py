"""`croupier verify`: walks the journals from offset 0 and says whether chains, decks, money and publication hold."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import asyncpg
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from rich.console import Console
from rich.table import Table

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.contracts.topics import INSPECTOR
from libs.journal.foreign import Foreign
from libs.journal.log import Log, LogRecord
from libs.journal.tail import end_of
from libs.projecting import Partition
from services.audit import settings as audit
from services.audit.checkpoints import disagreements, last_in_file, lines_of
from services.audit.verifying.chain import Counts
from services.audit.verifying.checkpoint import Checkpoint, StreamHead, check_checkpoints, public_hex
from services.audit.verifying.facts import FactChecks
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.kept import Kept
from services.audit.verifying.publication import Publication
from services.cli.journals import Book, Decks, Met, books, journal_ends, records
from services.cli.pace import Pace
from services.cli.surroundings import Home, Json, Surroundings, Tell, end, silent, surroundings, told
from services.cli.walking import Walk

POLICY_MS = 5_000
"""What a policy may take from one journal to the other before its silence is a failure."""


class ServiceReport(Counts):
    streams: int = 0


class Report(msgspec.Struct):
    """What was looked at and what did not agree; `failures` is the number of findings."""

    services: dict[str, ServiceReport] = {}
    hands: int = 0
    hands_ended: int = 0
    hands_voided: int = 0
    rounds_settled: int = 0
    rounds_voided: int = 0
    decks_opened: int = 0
    cards_proved: int = 0
    decks: dict[str, Decks] = {}
    """By the key that they are sealed under."""
    accounts: int = 0
    sittings: int = 0
    published: int = 0
    checkpoints: int = 0
    checkpoint_heads: int = 0
    foreign: int = 0
    """Records of journals and public topics that nobody of the house wrote. They count for nothing here."""
    findings: list[dict[str, Any]] = []
    seconds: float = 0.0

    @property
    def failures(self) -> int:
        return len(self.findings)


def verify(
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Walk all journals: chains, deck commitments, conservation, publication, checkpoints. Exit 0 only if all hold."""
    at = surroundings(home)
    house = books(at.keyring(), at.house().partitions)
    last, checkpoints, key = outside(at)
    # Before the log is walked, which takes its time: the auditor goes on writing both.
    also = asyncio.run(_in_database(at.stack.database(INSPECTOR), last))
    with told("reading the journals") as tell:
        foreign: set[Foreign] = set()
        log = at.log("verify", foreign.add)
        report = asyncio.run(verify_log(log, house, checkpoints, key, at.topic_prefix, tell))
        report.foreign = sum(each.count for each in foreign)
        report.findings = [*report.findings, *map(_line, also)]
    end(report, not report.failures, as_json, show)


def outside(at: Surroundings) -> tuple[Checkpoint | None, Iterable[Checkpoint], str]:
    """The checkpoints outside the database, the last one first, and the public key that they must be signed under."""
    last = last_in_file(at.checkpoint_file)
    lines = lines_of(at.checkpoint_file) if at.checkpoint_file else ()
    return last, lines, public_hex(Ed25519PrivateKey.from_private_bytes(at.secret("checkpoint_key"))) if last else ""


async def verify_log(
    log: Log,
    house: Sequence[Book],
    checkpoints: Iterable[Checkpoint] = (),
    public_key: str = "",
    prefix: str = "",
    tell: Tell = silent,
    stood_still: int | None = None,
) -> Report:
    """The whole check, read straight from the log. Checkpoints must be signed under `public_key` (hex).

    `stood_still`: since when nobody has written, milliseconds since the epoch; what was due by then counts. A restored
    log that no service has gone on with is as it was when its backup was taken.
    """
    began = time.monotonic()
    walked = _Walked()
    signed = list(check_checkpoints(walked.due(checkpoints), public_key))
    # Where the public topics end before where the journals do: whatever they hold there has been in the journals
    # before. What they lack is judged by that time, and so are the journals: a house at play goes on meanwhile.
    read_at = stood_still or _now()
    published_ends = {place: await end_of(log, *place) for book in house for place in book.events(prefix)}
    walked_at = stood_still or _now()
    ends = await journal_ends(log, house, prefix)
    pace = Pace(sum(ends.values()) + sum(published_ends.values()), tell)
    for book in house:
        for place, published in zip(book.journal(prefix), book.events(prefix), strict=True):
            publication = Publication()
            walk = Walk(book, place)
            async for met in walk.to(log, ends[place]):
                walked.take(met, publication)
                await pace.step(f"{place[0]}/{place[1]}")
            walk.close()
            walked.partition_over()
            async for record in records(log, *published, published_ends[published]):
                walked.published(record, published, publication)
                await pace.step(f"{published[0]}/{published[1]}")
            walked.not_published += publication.end(read_at)
    findings = [*walked.findings, *walked.facts.end(walked_at, POLICY_MS), *walked.not_published]
    return walked.report(house, [*findings, *signed, *walked.missing_heads()], time.monotonic() - began)


async def _in_database(url: str, last: Checkpoint | None) -> list[Finding]:
    connection = await asyncpg.connect(url, server_settings={"search_path": audit.SCHEMA})
    try:
        return await disagreements(connection, last)
    except asyncpg.UndefinedTableError:
        return []  # no auditor has been here
    finally:
        await connection.close()


class _Walked:
    """What the walk has gathered so far; what grows with history lies on disk."""

    def __init__(self) -> None:
        self.facts = FactChecks()
        self.findings: list[Finding] = []
        self.not_published: list[Finding] = []
        self.services: dict[str, dict[int, Counts]] = {}
        self.sums: Counter[str] = Counter()
        self._due: Kept[str, StreamHead] = Kept(StreamHead)
        """Signed heads that the walk has not come to."""

    def due(self, checkpoints: Iterable[Checkpoint]) -> Iterator[Checkpoint]:
        """Notes what each of them signs."""
        for each in checkpoints:
            self._due.update((_place_of(head.topic, head.partition, head.offset), head) for head in each.heads)
            self.sums["checkpoints"] += 1
            yield each
        self.sums["checkpoint_heads"] = len(self._due)

    def take(self, met: Met, publication: Publication) -> None:
        self.findings += met.findings
        self.services.setdefault(met.book.service, {})[met.check.fold.partition] = met.check.counts
        place = (met.check.topic, met.check.fold.partition, met.record.offset)
        head = self._due.get(_place_of(*place)) if self.sums["checkpoint_heads"] else None
        if head is not None and met.valid and met.check.fold.position.digest.hex() == head.digest:
            del self._due[_place_of(*place)]
        for each in met.told:
            publication.decide(each.event)
            for finding in self.facts.take(each.event, each.fact, each.deck):
                topic, partition, offset = place
                self.findings.append(replace(finding, topic=topic, partition=partition, offset=offset))

    def published(self, record: LogRecord, partition: Partition, publication: Publication) -> None:
        place = (*partition, record.offset)
        try:
            event = from_record(record.key, record.value, record.headers)
        except NotAPublicEvent:
            detail = "a public record that is no event of ours"
            self.not_published.append(Finding(Kind.PUBLICATION, "", detail, None, *place))
            return
        self.sums["published"] += 1
        self.not_published += publication.publish(event, place)

    def partition_over(self) -> None:
        for name in ("hands", "decks_opened", "cards_proved"):
            self.sums[name] += sum(getattr(each, name) for each in self.facts.decks.values())
        for name in ("hands_ended", "hands_voided", "rounds_settled", "rounds_voided"):
            self.sums[name] += sum(getattr(each, name) for each in self.facts.chips.values())
        self.sums["accounts"] += len(self.facts.accounts)
        self.findings += self.facts.partition_over()

    def missing_heads(self) -> list[Finding]:
        """Heads that were signed once and are not in the log now: cut off, changed or written anew (SEC-3)."""
        return [
            Finding(
                Kind.CHECKPOINT,
                head.stream,
                "a signed head is not in the log",
                head.version,
                *(head.topic, head.partition, head.offset),
            )
            for head in self._due.values()
        ]

    def report(self, house: Sequence[Book], findings: Sequence[Finding], seconds: float) -> Report:
        return Report(
            services={book.service: self._service(book) for book in house},
            **self.sums,
            sittings=len(self.facts.sittings),
            decks={key: decks for book in house for key, decks in sorted(book.decks.items())},
            findings=[_line(finding) for finding in findings],
            seconds=round(seconds, 2),
        )

    def _service(self, book: Book) -> ServiceReport:
        report = ServiceReport(streams=book.streams)
        for counts in self.services.get(book.service, {}).values():
            for name in Counts.__struct_fields__:
                setattr(report, name, getattr(report, name) + getattr(counts, name))
        return report


def show(report: Report, console: Console) -> None:
    """Tables for people."""
    services = Table("journal", "records", "valid", "void", "undecodable", "rejections", "events", "streams", box=None)
    for name, each in report.services.items():
        services.add_row(name, *(f"{getattr(each, field):,}" for field in each.__struct_fields__))
    console.print(services)
    console.print(
        f"hands {report.hands:,} ({report.hands_ended:,} ended, {report.hands_voided:,} void)   "
        f"rounds against the house {report.rounds_settled:,} settled, {report.rounds_voided:,} void\n"
        f"decks opened {report.decks_opened:,}   cards proved {report.cards_proved:,}\n"
        f"accounts {report.accounts:,}   sittings {report.sittings:,}   public events compared {report.published:,}   "
        f"checkpoints {report.checkpoints:,} over {report.checkpoint_heads:,} heads",
        highlight=False,
    )
    for key, decks in report.decks.items():
        console.print(
            f"decks under {key or 'no key'}: {decks.sealed:,} ({decks.lost:,} do not open), {decks.in_play:,} in play",
            highlight=False,
        )
    if report.foreign:
        console.print(f"foreign records passed by: {report.foreign:,}; incidents name them", highlight=False)
    for finding in report.findings[:20]:
        place = f"{finding['topic']}/{finding['partition']}@{finding['offset']}" if finding["topic"] else ""
        console.print(f"  {finding['kind']}  {finding['stream']}  {finding['detail']}  {place}", highlight=False)
    if report.failures > 20:
        console.print(f"  … and {report.failures - 20:,} more (--json lists them all)")
    console.print(f"verify: {report.failures:,} failures, {report.seconds:.1f} s", highlight=False)


def _place_of(topic: str, partition: int, offset: int) -> str:
    return f"{topic}/{partition}@{offset}"


def _now() -> int:
    return int(time.time() * 1000)


def _line(finding: Finding) -> dict[str, Any]:
    return {**asdict(finding), "kind": finding.kind.value, "severity": finding.severity}
