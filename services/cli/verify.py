"""`croupier verify`: walks the journals from offset 0 and says whether chains, decks, money and publication hold."""

import asyncio
import time
from collections.abc import Sequence
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
from libs.journal.log import Log
from services.audit import settings as audit
from services.audit.checkpoints import disagreements, read_file
from services.audit.verifying.chain import Counts
from services.audit.verifying.checkpoint import Checkpoint, check_checkpoints, public_hex
from services.audit.verifying.facts import FactChecks
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.publication import Publication
from services.cli.journals import Book, Met, books, records, walk
from services.cli.surroundings import Home, Json, Tell, end, silent, surroundings, told

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
    house = books(at.keyring())
    checkpoints = read_file(at.checkpoint_file) if at.checkpoint_file else []
    key = public_hex(Ed25519PrivateKey.from_private_bytes(at.secret("checkpoint_key"))) if checkpoints else ""
    # Before the log is walked, which takes its time: the auditor goes on writing both.
    also = asyncio.run(_in_database(at.stack.database(INSPECTOR), checkpoints))
    with told("reading the journals") as tell:
        foreign: set[Foreign] = set()
        log = at.log("verify", foreign.add)
        report = asyncio.run(verify_log(log, house, checkpoints, key, at.topic_prefix, tell))
        report.foreign = sum(each.count for each in foreign)
        report.findings = [*report.findings, *map(_line, also)]
    end(report, not report.failures, as_json, show)


async def verify_log(
    log: Log,
    house: Sequence[Book],
    checkpoints: Sequence[Checkpoint] = (),
    public_key: str = "",
    prefix: str = "",
    tell: Tell = silent,
) -> Report:
    """The whole check, read straight from the log. Checkpoints must be signed under `public_key` (hex)."""
    began = time.monotonic()
    # The public topics first: whatever they hold by now has been in the journals before. What they lack is judged by
    # the time at which they were read, and so are the journals: a house at play goes on meanwhile.
    read_at = _now()
    published = [each async for each in _published(log, house, prefix)]
    walked = _Walked(checkpoints)
    walked_at, seen = _now(), 0
    async for met in walk(log, house, prefix):
        walked.take(met)
        seen += 1
        if seen % 500 == 0:
            tell(f"{met.check.topic}/{met.check.fold.partition}, records judged: {seen:,}")
            await asyncio.sleep(0)
    findings = [*walked.findings, *walked.facts.end(walked_at, POLICY_MS)]
    for event, place in published:
        unreadable = Finding(Kind.PUBLICATION, "", "a public record that is no event of ours", None, *place)
        findings += walked.publication.publish(event, place) if event else [unreadable]
    findings += walked.publication.end(read_at)
    findings += check_checkpoints(checkpoints, public_key) if checkpoints else []
    findings += walked.missing_heads()
    return walked.report(house, findings, time.monotonic() - began)


async def _in_database(url: str, checkpoints: Sequence[Checkpoint]) -> list[Finding]:
    connection = await asyncpg.connect(url, server_settings={"search_path": audit.SCHEMA})
    try:
        return await disagreements(connection, checkpoints)
    except asyncpg.UndefinedTableError:
        return []  # no auditor has been here
    finally:
        await connection.close()


class _Walked:
    """What the walk has gathered so far."""

    def __init__(self, checkpoints: Sequence[Checkpoint]) -> None:
        self.facts = FactChecks()
        self.publication = Publication()
        self.findings: list[Finding] = []
        self.services: dict[str, dict[int, Counts]] = {}
        self._checkpoints = checkpoints
        self._due = {(head.topic, head.partition, head.offset): head for each in checkpoints for head in each.heads}
        self._found: set[tuple[str, int, int]] = set()

    def take(self, met: Met) -> None:
        self.findings += met.findings
        self.services.setdefault(met.book.service, {})[met.check.fold.partition] = met.check.counts
        place = (met.check.topic, met.check.fold.partition, met.record.offset)
        head = self._due.get(place)
        if head is not None and met.valid and met.check.fold.position.digest.hex() == head.digest:
            self._found.add(place)
        for each in met.told:
            self.publication.decide(each.event)
            for finding in self.facts.take(each.event, each.fact, each.deck):
                topic, partition, offset = place
                self.findings.append(replace(finding, topic=topic, partition=partition, offset=offset))

    def missing_heads(self) -> list[Finding]:
        """Heads that were signed once and are not in the log now: cut off, changed or written anew (SEC-3)."""
        return [
            Finding(Kind.CHECKPOINT, head.stream, "a signed head is not in the log", head.version, *place)
            for place, head in self._due.items()
            if place not in self._found
        ]

    def report(self, house: Sequence[Book], findings: Sequence[Finding], seconds: float) -> Report:
        chips, decks = list(self.facts.chips.values()), list(self.facts.decks.values())
        sums: list[tuple[list[Any], tuple[str, ...]]] = [
            (decks, ("hands", "decks_opened", "cards_proved")),
            (chips, ("hands_ended", "hands_voided", "rounds_settled", "rounds_voided")),
        ]
        return Report(
            services={book.service: self._service(book) for book in house},
            **{name: sum(getattr(each, name) for each in folds) for folds, names in sums for name in names},
            accounts=len(self.facts.accounts),
            sittings=len(self.facts.sittings),
            published=self.publication.records,
            checkpoints=len(self._checkpoints),
            checkpoint_heads=len(self._due),
            findings=[_line(finding) for finding in findings],
            seconds=round(seconds, 2),
        )

    def _service(self, book: Book) -> ServiceReport:
        report = ServiceReport(streams=len(book.states))
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
    if report.foreign:
        console.print(f"foreign records passed by: {report.foreign:,}; incidents name them", highlight=False)
    for finding in report.findings[:20]:
        place = f"{finding['topic']}/{finding['partition']}@{finding['offset']}" if finding["topic"] else ""
        console.print(f"  {finding['kind']}  {finding['stream']}  {finding['detail']}  {place}", highlight=False)
    if report.failures > 20:
        console.print(f"  … and {report.failures - 20:,} more (--json lists them all)")
    console.print(f"verify: {report.failures:,} failures, {report.seconds:.1f} s", highlight=False)


async def _published(log: Log, house: Sequence[Book], prefix: str) -> Any:
    for book in house:
        for topic, partition in book.events(prefix):
            async for record in records(log, topic, partition):
                place = (topic, partition, record.offset)
                try:
                    yield from_record(record.key, record.value, record.headers), place
                except NotAPublicEvent:
                    yield None, place


def _now() -> int:
    return int(time.time() * 1000)


def _line(finding: Finding) -> dict[str, Any]:
    return {**asdict(finding), "kind": finding.kind.value, "severity": finding.severity}
