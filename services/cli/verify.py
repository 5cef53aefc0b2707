"""`croupier verify`: walks the journals from offset 0 and says whether chains, decks, money and publication hold."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import Log
from libs.sealing.sealed import Keyring
from services.audit.checkpoints import read_file
from services.audit.verifying.chain import Counts
from services.audit.verifying.checkpoint import Checkpoint, check_checkpoints, public_hex
from services.audit.verifying.facts import FactChecks
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.publication import Publication
from services.cli.evidence import Met, walk
from services.cli.journals import KEK_ID, Book, books, records
from services.cli.surroundings import Surroundings, in_one_line, surroundings

POLICY_MS = 5_000
"""What a policy may take from one journal to the other before its silence is a failure."""
Tell = Callable[[str, int], None]
"""(what, how many so far)."""


class ServiceReport(msgspec.Struct):
    records: int = 0
    valid: int = 0
    void: int = 0
    undecodable: int = 0
    rejections: int = 0
    events: int = 0
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
    findings: list[dict[str, Any]] = []
    seconds: float = 0.0

    @property
    def failures(self) -> int:
        return len(self.findings)


def verify(
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    home: Annotated[Path | None, typer.Option(help="Home of the stack; default: CROUPIER_HOME or .croupier.")] = None,
) -> None:
    """Walk all journals: chains, deck commitments, conservation, publication, checkpoints. Exit 0 only if all hold."""
    at = surroundings(home)
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar, in_one_line():
        task = bar.add_task("reading the journals")
        report = asyncio.run(verify_house(at, lambda what, n: bar.update(task, description=f"{what}: {n:,}")))
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        show(report, Console())
    raise typer.Exit(1 if report.failures else 0)


async def verify_house(at: Surroundings, tell: Tell = lambda what, n: None) -> Report:
    """The whole check, read straight from Kafka. Needs the KEK, and the checkpoint key if there is a file of them."""
    log = KafkaLog(at.bootstrap, client_id=f"croupier-verify-{os.getpid()}")
    keyring = Keyring({KEK_ID: at.secret("kek")}, KEK_ID)
    checkpoints = read_file(at.checkpoint_file) if at.checkpoint_file else []
    public_key = public_hex(Ed25519PrivateKey.from_private_bytes(at.secret("checkpoint_key"))) if checkpoints else ""
    return await verify_log(log, books(keyring), checkpoints, public_key, at.topic_prefix, tell)


async def verify_log(
    log: Log,
    house: Sequence[Book],
    checkpoints: Sequence[Checkpoint] = (),
    public_key: str = "",
    prefix: str = "",
    tell: Tell = lambda what, n: None,
) -> Report:
    """The same over any log. `public_key` (hex) is the one that the checkpoints must be signed under."""
    began = time.monotonic()
    # The public topics first: whatever they hold by now has been in the journals before.
    published = [each async for each in _published(log, house, prefix)]
    walked = _Walked(checkpoints)
    seen = 0
    async for met in walk(log, house, prefix):
        walked.take(met)
        seen += 1
        if seen % 500 == 0:
            tell(f"{met.check.topic}/{met.check.fold.partition}, records judged", seen)
            await asyncio.sleep(0)
    now = int(time.time() * 1000)
    findings = [*walked.findings, *walked.facts.end(now, POLICY_MS)]
    for event, place in published:
        findings += walked.publication.publish(event, place) if event else [_unreadable(place)]
    findings += walked.publication.end(now)
    findings += check_checkpoints(checkpoints, public_key) if checkpoints else []
    findings += walked.missing_heads()
    return walked.report(house, findings, time.monotonic() - began)


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
        for told in met.told:
            self.publication.decide(told.event)
            for finding in self.facts.take(told.event, told.fact, told.deck):
                self.findings.append(_placed(finding, place))

    def missing_heads(self) -> list[Finding]:
        """Heads that were signed once and are not in the log now: cut off, changed or written anew (SEC-3)."""
        return [
            Finding(Kind.CHECKPOINT, head.stream, "a signed head is not in the log", head.version, *place)
            for place, head in self._due.items()
            if place not in self._found
        ]

    def report(self, house: Sequence[Book], findings: Sequence[Finding], seconds: float) -> Report:
        chips, decks = self.facts.chips.values(), self.facts.decks.values()
        return Report(
            services={book.service: self._service(book) for book in house},
            hands=sum(each.hands for each in decks),
            hands_ended=sum(each.hands_ended for each in chips),
            hands_voided=sum(each.hands_voided for each in chips),
            rounds_settled=sum(each.rounds_settled for each in chips),
            rounds_voided=sum(each.rounds_voided for each in chips),
            decks_opened=sum(each.decks_opened for each in decks),
            cards_proved=sum(each.cards_proved for each in decks),
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
            for name in ("records", "valid", "void", "undecodable", "rejections", "events"):
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


def _unreadable(place: tuple[str, int, int]) -> Finding:
    return Finding(Kind.PUBLICATION, "", "a public record that is no event of ours", None, *place)


def _placed(finding: Finding, place: tuple[str, int, int]) -> Finding:
    return Finding(finding.kind, finding.stream, finding.detail, finding.version, *place)


def _line(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind.value,
        "severity": finding.severity,
        "stream": finding.stream,
        "version": finding.version,
        "topic": finding.topic,
        "partition": finding.partition,
        "offset": finding.offset,
        "detail": finding.detail,
    }
