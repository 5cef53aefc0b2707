"""`croupier verify`: walks the journals from offset 0 and says whether chains, decks, money and publication hold."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import asyncpg
import msgspec
import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from rich.console import Console
from rich.table import Table

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.contracts.house import HouseCreated
from libs.contracts.topics import INSPECTOR, topic
from libs.identity.reads import of_audit, of_wallet
from libs.journal.commit import Commit
from libs.journal.foreign import Foreign
from libs.journal.log import Log, LogRecord
from libs.journal.marks import ASKED, Marking
from libs.journal.tail import Tail, end_of
from libs.projecting import Partition
from libs.projecting.connecting import connect
from libs.projecting.row_marks import Marks
from libs.stack_error import StackError
from services.audit import settings as audit
from services.audit.checkpoints import Lines, disagreements, last_in_file
from services.audit.trail_watch import trails
from services.audit.verifying.chain import Counts
from services.audit.verifying.checkpoint import Checkpoint, StreamHead, check_checkpoints, link, public_hex
from services.audit.verifying.commands import AGAIN, Commands
from services.audit.verifying.facts import FactChecks
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.kept import Kept
from services.audit.verifying.publication import Publication
from services.cli.journals import Book, Decks, Met, books, journal_ends, records
from services.cli.pace import Pace
from services.cli.surroundings import Home, Json, Surroundings, Tell, end, silent, surroundings, told
from services.cli.verified import Point, name_of
from services.cli.walking import Walk
from services.table.domain.games.registry import game_of
from services.wallet import projections as wallet

_COMMANDS_PAGE = 2_000
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
    since: int | None = None
    """Where it went on from an earlier walk: when that one began, milliseconds since the epoch. What is counted is of
    this walk alone."""

    @property
    def failures(self) -> int:
        return len(self.findings)


def verify(
    as_json: Json = False,
    point: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Go on from where the last walk that left this file has ended, and leave it anew if all holds.",
        ),
    ] = None,
    home: Home = None,
) -> None:
    """Walk all journals: chains, commands, decks, conservation, publication, checkpoints. Exit 0 only if all hold."""
    at = surroundings(home)
    created = at.house()
    house = books(at.keyring(), created.partitions)
    gateway = at.marks_of("gateway")
    secret = at.secret("checkpoint_key") if point else b""
    with Point(point, secret, f"{created.house} {at.topic_prefix}") if point else nullcontext() as goes_on:
        last, checkpoints, key = outside(at)
        # Before the log is walked, which takes its time: the auditor goes on writing both.
        also = asyncio.run(_in_database(at.stack.database(INSPECTOR), last, key, at.marks(), goes_on))
        with told("reading the journals") as tell:
            foreign: set[Foreign] = set()
            log = at.log("verify", foreign.add)
            commands = commands_of(log, gateway, at.topic_prefix, created, house)
            report = asyncio.run(
                verify_log(log, house, checkpoints, key, at.topic_prefix, tell, None, goes_on, also, commands)
            )
        report.foreign = sum(each.count for each in foreign)
    end(report, not report.failures, as_json, show)


def commands_of(
    log: Log, marks: Marking, prefix: str, created: HouseCreated, house: Sequence[Book]
) -> dict[str, Commands]:
    """Commands that commits are held against, by service. Raises StackError where `marks` are not of who knows what
    gateways ask: whatever a person asked would look forged."""
    for book in house:
        place = (prefix + topic(book.service, "commands").name, 0)
        if all(name != ASKED for name, _ in marks.marked(place, b"", b"", ())):
            raise StackError(f"there is no key of {place[0]}/{ASKED}: run `croupier marks hand-out`")
    return {each.service: Commands(log, marks, each.service, prefix, created, _COMMANDS_PAGE) for each in house}


def outside(at: Surroundings) -> tuple[Checkpoint | None, Iterable[Checkpoint], str]:
    """The checkpoints outside the database, the last one first, and the public key that they must be signed under."""
    last = last_in_file(at.checkpoint_file)
    lines = Lines(at.checkpoint_file) if at.checkpoint_file else ()
    return last, lines, public_hex(Ed25519PrivateKey.from_private_bytes(at.secret("checkpoint_key"))) if last else ""


async def verify_log(
    log: Log,
    house: Sequence[Book],
    checkpoints: Iterable[Checkpoint] = (),
    public_key: str = "",
    prefix: str = "",
    tell: Tell = silent,
    stood_still: int | None = None,
    point: Point | None = None,
    also: Sequence[Finding] = (),
    commands: Mapping[str, Commands] | None = None,
) -> Report:
    """The whole check, read straight from the log. Checkpoints must be signed under `public_key` (hex).

    `stood_still`: since when nobody has written, milliseconds since the epoch; what was due by then counts. A restored
    log that no service has gone on with is as it was when its backup was taken. `point`: where an earlier walk has
    ended; this one goes on from there, and where nothing is found, `also` included, leaves the point where it ends.
    `commands`: by service, what its commits are held against, as far as the broker still has it; None: nothing.
    """
    began, began_at = time.monotonic(), stood_still or _now()
    walked = _Walked(point)
    checkpoints, before = walked.newer(checkpoints)
    signed = list(check_checkpoints(walked.due(checkpoints), public_key, before))
    # Where the public topics end before where the journals do: whatever they hold there has been in the journals
    # before. What they lack is judged by that time, and so are the journals: a house at play goes on meanwhile.
    read_at = stood_still or _now()
    published_ends = {place: await end_of(log, *place) for book in house for place in book.events(prefix)}
    walked_at = stood_still or _now()
    ends = await journal_ends(log, house, prefix)
    pace = Pace(sum(ends.values()) + sum(published_ends.values()), tell)
    for book in house:
        for place, published in zip(book.journal(prefix), book.events(prefix), strict=True):
            publication, walk, since = walked.begin(book, place, published)
            await _look(log, walk)
            async for met in walk.to(log, ends[place]):
                walked.take(met, publication)
                if commands is not None and met.commit is not None:
                    await walked.hold(met, met.commit, commands[book.service])
                await pace.step(f"{place[0]}/{place[1]}")
            walk.close()
            walked.partition_over()
            async for record in records(log, *published, published_ends[published], since):
                walked.published(record, published, publication)
                await pace.step(f"{published[0]}/{published[1]}")
            walked.not_published += publication.end(read_at)
    findings = [*walked.findings, *walked.facts.end(walked_at, POLICY_MS), *walked.not_published]
    findings += [*signed, *walked.missing_heads(), *also]
    report = walked.report(house, findings, time.monotonic() - began)
    if point is not None and not findings:
        walked.facts.forget_what_is_over()
        ends_at = {_place_of(*place): end for place, end in published_ends.items()}
        point.keep(began_at, walked.last, ends_at, walked.begins)
    return report


async def _look(log: Log, walk: Walk) -> None:
    """Raises `LogRewritten` where the journal is not the one that the earlier walk has read (journal 21)."""
    if (position := walk.check.fold.position).next:
        tail = await Tail.open(log, *walk.place)
        try:
            await tail.verify(position)
        finally:
            await tail.close()


async def _in_database(
    url: str, last: Checkpoint | None, key: str, marks: Marks, point: Point | None = None
) -> list[Finding]:
    """Moves `point` on, to where the trails end."""
    connection = await connect(url, audit.SCHEMA)
    kept = of_audit(audit.SCHEMA), of_wallet(wallet.SCHEMA)
    try:
        found = await disagreements(connection, last, key)
        return found + await trails(connection, kept, marks, point.trails if point else None)
    except asyncpg.UndefinedTableError:
        return []  # no auditor has been here
    finally:
        await connection.close()


class _Walked:
    """What the walk has gathered so far; what grows with history lies on disk."""

    def __init__(self, point: Point | None = None) -> None:
        self._point = point
        self._place = point.place if point else None
        self._reached = {place[:2]: place[2] for place in self._place.reached} if self._place else {}
        self.last: Checkpoint | None = None
        """Of the checkpoints that were met."""
        self.facts = FactChecks(point.store if point else None)
        self.findings: list[Finding] = []
        self.not_published: list[Finding] = []
        self.services: dict[str, dict[int, Counts]] = {}
        self.sums: Counter[str] = Counter()
        self._asked: Kept[bytes, int] = Kept(int)
        """Streams with the ids of the commands that this walk has met there, to the offset of their commit; of one
        partition."""
        self._file: Lines | None = None
        """Where the checkpoints come from."""
        self._due: Kept[str, StreamHead] = Kept(StreamHead)
        """Signed heads that the walk has not come to."""

    def newer(self, checkpoints: Iterable[Checkpoint]) -> tuple[Iterator[Checkpoint], Checkpoint | None]:
        """Those that the earlier walk has not met, and the last one that it has. Raises StackError where that one is
        not there as it was: then nobody knows what was signed since."""
        self._file = checkpoints if isinstance(checkpoints, Lines) else None
        rest = iter(checkpoints)
        if self._place is None:
            return rest, None
        if not self._place.checkpoint:
            if next(rest, None) is None:
                return rest, None
            raise StackError("there are checkpoints now, and the earlier walk had none: verify from the start")
        near = self._file.since(self._place.begins) if self._file is not None else iter(())
        for lines, most in ((near, 1), (rest, None)):
            for each in islice(lines, most):
                if (each.number, link(each)) == (self._place.checkpoint, self._place.link):
                    return lines, each
        raise StackError(
            f"checkpoint {self._place.checkpoint} is not there as the earlier walk has met it: verify from the start"
        )

    @property
    def begins(self) -> int:
        """At which byte of its file the line of the last checkpoint begins that was met."""
        return self._file.begins if self._file is not None else 0

    def due(self, checkpoints: Iterable[Checkpoint]) -> Iterator[Checkpoint]:
        """Notes what each of them signs."""
        for each in checkpoints:
            for head in each.heads:
                name = name_of(head.topic, head.partition, head.offset)
                if self._point is None or self._point.uncovered.get(name) != head.digest:
                    self._due[name] = head
            self.sums["checkpoints"] += 1
            self.last = each
            self._reached = {place[:2]: place[2] for place in each.reached}
            yield each
        self.sums["checkpoint_heads"] = len(self._due)

    def begin(self, book: Book, place: Partition, published: Partition) -> tuple[Publication, Walk, int]:
        """What walks a partition, and where its public topic is read from."""
        store = self._point.store if self._point else None
        of_streams = partial(self._woken, book.service), partial(self.facts.put_by, book.service)
        since = self._place.published[_place_of(*published)] if self._place else 0
        return Publication(store, _place_of(*published)), Walk(book, place, store, *of_streams), since

    def _woken(self, service: str, stream: str, version: int, state: Any) -> None:
        dealt = service == "table" and state.configuration is not None
        self.facts.wake(service, stream, version, game_of(state.configuration).deck_of(state) if dealt else None)

    def take(self, met: Met, publication: Publication) -> None:
        self.findings += met.findings
        self.services.setdefault(met.book.service, {})[met.check.fold.partition] = met.check.counts
        place = (met.check.topic, met.check.fold.partition, met.record.offset)
        digest = met.check.fold.position.digest.hex()
        head = self._due.get(name_of(*place)) if self.sums["checkpoint_heads"] else None
        if head is not None and met.valid and digest == head.digest:
            del self._due[name_of(*place)]
        if self._point is not None and self._reached and met.valid and place[2] > self._reached.get(place[:2], -1):
            self._point.uncovered[name_of(*place)] = digest
        for each in met.told:
            publication.decide(each.event)
            for finding in self.facts.take(each.event, each.fact, each.deck, met.record.timestamp):
                topic, partition, offset = place
                self.findings.append(replace(finding, topic=topic, partition=partition, offset=offset))

    async def hold(self, met: Met, commit: Commit, commands: Commands) -> None:
        """A valid one against its command: an auditor that was kept from seeing it hides it for no longer than that."""
        partition, offset = met.check.fold.partition, met.record.offset
        wrong = await commands.check(partition, offset, met.record.timestamp, commit, met.stream_time)
        self.findings += [wrong] if wrong is not None else []
        asked = commit.stream.encode() + commit.command_id
        if asked in self._asked and not commands.was_carried(partition, offset):
            place = (met.check.topic, partition, offset)
            detail = AGAIN.format(self._asked[asked])
            self.findings.append(Finding(Kind.COMMAND, commit.stream, detail, commit.version, *place))
        else:
            self._asked[asked] = offset

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
        self._asked.clear()
        for name in ("hands", "decks_opened", "cards_proved"):
            self.sums[name] += self.facts.decks.counted(name)
        for name in ("hands_ended", "hands_voided", "rounds_settled", "rounds_voided"):
            self.sums[name] += self.facts.chips.counted(name)
        self.sums["accounts"] += self.facts.accounts.met()
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
            since=self._place.at if self._place else None,
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
    since = (
        f", of what came after {datetime.fromtimestamp(report.since / 1000, UTC):%Y-%m-%d %H:%M}"
        if report.since
        else ""
    )
    console.print(f"verify{since}: {report.failures:,} failures, {report.seconds:.1f} s", highlight=False)


def _place_of(topic: str, partition: int) -> str:
    return f"{topic}/{partition}"


def _now() -> int:
    return int(time.time() * 1000)


def _line(finding: Finding) -> dict[str, Any]:
    return {**asdict(finding), "kind": finding.kind.value, "severity": finding.severity}
