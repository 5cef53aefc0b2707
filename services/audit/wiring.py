"""What the audit service is made of, and how its parts are kept running."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import asyncpg
from aiokafka.errors import KafkaError

from libs.contracts.banked_rounds import BankedRoundSettled, BankedRoundVoided
from libs.contracts.poker_events import HandEnded, HandVoided
from libs.contracts.topics import TOPICS, Topic, topic
from libs.journal.commit import Commit
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRewritten, LogUnavailable
from libs.journal.machine import journal_name
from libs.journal.mark_keys import marks_in
from libs.projecting import (
    KafkaSource,
    Partition,
    Pool,
    PositionLost,
    Projection,
    Projector,
    SourceAway,
    books_log,
    open_current,
)
from libs.projecting.acceptance import Accepted
from libs.projecting.projector import PASSING
from libs.sealing.key_files import hex_key
from libs.sealing.sealed import Keyring
from libs.telemetry import get_logger, joined
from services.audit import metrics
from services.audit.checkpoints import Checkpoints, read_key
from services.audit.foreign import Foreigners, ToldSource
from services.audit.integrity import checks
from services.audit.integrity.cases import Case
from services.audit.journal_audit import JournalAudit
from services.audit.projections.histories import Histories
from services.audit.projections.live_checks import LiveChecks
from services.audit.projections.signals import Signals, read_forbidden
from services.audit.reconciling import Reconciliation
from services.audit.sealed_decks import Inspect, SealedDecks
from services.audit.settings import MIGRATIONS, PROJECTOR, ROLE, SCHEMA, AuditSettings
from services.audit.topics import TopicWatch
from services.audit.traffic import Traffic
from services.audit.verifying.findings import Finding
from services.audit.verifying.tournaments import refused_order
from services.audit.watch import Watch

SERVICES = ("table", "wallet", "tournament")
KEK_ID = "kek-1"
"""Under this name the table service keeps its one key-encryption key."""
_PAUSE_S = 1.0
_SOUND_S = 60.0
"""A part that has run for so long after a fault is held up no more."""
_PACE_MS = 1_000
"""Nobody waits for the auditor: what a second brought is taken at once, or a page."""
_FOREIGN_S = 0.5
_PAGE = 2_000
"""Events in one transaction."""
_TRANSIENT = (
    LogUnavailable,
    PositionLost,
    SourceAway,
    KafkaError,
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
)
_log = get_logger(__name__)


@dataclass(slots=True)
class Audit:
    """The parts. `run` keeps them going until cancelled."""

    settings: AuditSettings
    pool: Pool
    projector: Projector
    source: KafkaSource
    journals: list[JournalAudit]
    watch: Watch
    ends: KafkaSource
    checkpoints: Checkpoints | None
    traffic: Traffic
    topics: TopicWatch
    foreign: Foreigners
    rewritten: list[str] = field(default_factory=list)
    caught_up: set[str] = field(default_factory=set)
    stuck: dict[str, str] = field(default_factory=dict)
    """Parts that a fault of no connection holds up, with its kind."""

    async def run(self) -> None:
        metrics.SET_ASIDE.set_function(lambda: self.projector.progress.set_aside)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._again("projector", self.projector.run))
            for journal in self.journals:
                group.create_task(self._follow(journal))
            every_s = self.settings.integrity_every_s
            group.create_task(self._again("integrity", lambda: checks.run(self.pool, every_s, _opened)))
            group.create_task(self._again("watch", lambda: self.watch.run(self.settings.alarms_every_s)))
            group.create_task(self._again("accounts", lambda: self.watch.run_all(self.settings.alarms_every_s)))
            group.create_task(self._again("traffic", self.traffic.run))
            group.create_task(self._again("topics", lambda: self.topics.run(self.settings.alarms_every_s)))
            group.create_task(self._again("foreign", self._tell_foreign))
            if self.checkpoints is not None:
                group.create_task(self._again("checkpoints", self._sign))

    def ready(self) -> str | None:
        """None when everything that is to be followed is followed."""
        if self.rewritten:
            return f"{', '.join(self.rewritten)}: not the log that was read before"
        if self.stuck:
            return ", ".join(f"{part} is held up by {fault}" for part, fault in sorted(self.stuck.items()))
        if not self.projector.progress.following:
            return "the public events are not followed yet"
        if len(self.caught_up) < len(self.journals):
            return "the journals are not followed yet"
        return None

    async def last_word(self) -> None:
        """A checkpoint before the lights go out, if database and file can still be written."""
        if self.checkpoints is not None:
            try:
                await self.checkpoints.take()
            except _TRANSIENT as wrong:
                _log.warning("no last checkpoint", error=type(wrong).__name__)

    async def close(self) -> None:
        for journal in self.journals:
            await journal.close()
        await self.source.close()
        await self.ends.close()
        await self.pool.close()

    async def _follow(self, journal: JournalAudit) -> None:
        """A rewritten log is an incident that stays: nothing read from it would be evidence."""
        place = f"{journal.topic}/{journal.partition}"
        labels = (journal.topic, str(journal.partition))

        async def follow() -> None:
            await journal.load()
            while True:
                metrics.JOURNAL_RECORDS.labels(*labels).inc(await journal.step())
                metrics.JOURNAL_LAG.labels(*labels).set(journal.behind)
                if journal.caught_up:
                    self.caught_up.add(place)

        try:
            await self._again(place, follow)
        except LogRewritten as rewritten:
            self.rewritten.append(place)
            journal.give_up()
            metrics.CHAIN_FAILURES.labels(*labels).inc()
            _log.error("journal rewritten", place=place, reason=str(rewritten))

    async def _again(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Runs `work` again after what passes by itself; anything else is raised.

        Of what the database says only that it is away or another was faster passes; the rest is told by `ready`.
        """
        loop = asyncio.get_running_loop()
        while True:
            sound = loop.call_later(_SOUND_S, self.stuck.pop, name, None)
            try:
                return await work()
            except _TRANSIENT as wrong:
                if isinstance(wrong, PASSING):
                    _log.warning("starts over", part=name, error=type(wrong).__name__)
                else:
                    self.stuck[name] = type(wrong).__name__
                    _log.error("held up", part=name, error=type(wrong).__name__)
                await asyncio.sleep(_PAUSE_S)
            finally:
                sound.cancel()

    async def _tell_foreign(self) -> None:
        """Also where nothing but foreign records come, and no position moves."""
        while True:
            await self.foreign.write()
            await asyncio.sleep(_FOREIGN_S)

    async def _sign(self) -> None:
        assert self.checkpoints is not None
        while True:
            await asyncio.sleep(self.settings.checkpoint_every_s)
            taken = await self.checkpoints.take()
            metrics.CHECKPOINTS.inc()
            if taken is not None:
                _log.info("checkpoint", number=taken.number, streams=len(taken.heads))


@asynccontextmanager
async def audit(settings: AuditSettings) -> AsyncIterator[Audit]:
    """Builds the parts on a schema that is current; closes them when the block is left."""
    pool = await open_current(settings.database_url, SCHEMA, MIGRATIONS, role=ROLE, max_size=6)
    built = _build(settings, pool)
    try:
        yield built
    finally:
        await built.last_word()
        await built.close()


def _build(settings: AuditSettings, pool: Pool) -> Audit:
    prefix, marks, foreign = settings.topic_prefix, marks_in(settings.marks_file), Foreigners(pool, _found)
    log = KafkaLog(
        settings.broker,
        marks,
        client_id="croupier-audit",
        fetch_wait_ms=_PACE_MS,
        fetch_bytes=2**20,
        on_foreign=foreign.tell,
    )
    events_log = books_log(settings.broker, marks, _PACE_MS, on_foreign=foreign.tell)
    reconciled = {service: Reconciliation(log, log.marks, pool, service, prefix) for service in SERVICES}
    others = [each for each in TOPICS if each.kind not in ("journal", "events")]
    events = [place for service in SERVICES for place in _partitions(topic(service, "events"), prefix)]
    watched = [place for each in TOPICS if each.kind in ("events", "parked") for place in _partitions(each, prefix)]
    source = ToldSource(
        *(events_log, events, foreign),
        {prefix + topic(service, "events").name: each for service, each in reconciled.items()},
    )
    ends = KafkaSource(events_log, watched)
    return Audit(
        settings=settings,
        pool=pool,
        projector=Projector(pool, PROJECTOR, _projections(settings), source, limit=_PAGE, on_batch=_taken),
        source=source,
        journals=[
            JournalAudit(
                *(pool, log, name, partition, journal_name(service), _found, _inspector(settings, service)),
                *(reconciled[service], foreign),
            )
            for service in SERVICES
            for name, partition in _partitions(topic(service, "journal"), prefix)
        ],
        watch=Watch(pool, ends, (SCHEMA, settings.ledger_schema), settings.ledger_schema, _found),
        ends=ends,
        checkpoints=_checkpoints(settings, pool),
        traffic=Traffic(
            *(log, pool, prefix, others, reconciled, foreign, _found),
            read_key(settings.checkpoint_key_file) if settings.checkpoint_key_file else None,
        ),
        topics=TopicWatch(log, pool, prefix, _found),
        foreign=foreign,
    )


def _projections(settings: AuditSettings) -> list[Projection]:
    forbidden = read_forbidden(settings.forbidden_programs_file) if settings.forbidden_programs_file else None
    return [Histories(), LiveChecks(_found), Signals(forbidden, _found)]


def _partitions(of: Topic, prefix: str) -> list[Partition]:
    return [(prefix + of.name, partition) for partition in range(of.partitions)]


def _inspector(settings: AuditSettings, service: str) -> Inspect:
    if service != "table":
        return lambda commit: iter(())
    if settings.kek_file is None:
        return refused_order
    decks = SealedDecks(Keyring({KEK_ID: hex_key(settings.kek_file)}, KEK_ID))

    def inspect(commit: Commit) -> Iterator[Finding]:
        before = decks.opened
        yield from decks.inspect(commit)
        yield from refused_order(commit)
        metrics.DECKS.inc(decks.opened - before)

    return inspect


def _checkpoints(settings: AuditSettings, pool: Pool) -> Checkpoints | None:
    if settings.checkpoint_key_file is None:
        return None
    return Checkpoints(pool, read_key(settings.checkpoint_key_file), settings.checkpoint_file)


def _found(finding: Finding) -> None:
    metrics.FINDINGS.labels(finding.kind.value, finding.severity).inc()
    place = {"topic": finding.topic, "partition": finding.partition, "offset": finding.offset}
    _log.error(
        "incident",
        kind=finding.kind.value,
        severity=finding.severity,
        stream=finding.stream,
        detail=finding.detail,
        **place,
    )


def _opened(case: Case) -> None:
    metrics.CASES.labels(case.kind).inc()
    _log.warning("case opened", kind=case.kind, players=case.players, hands=len(case.hands))


def _taken(batch: Accepted, seconds: float) -> None:
    metrics.EVENTS.inc(len(batch.facts))
    for _, fact in batch.facts:
        if isinstance(fact, HandEnded | BankedRoundSettled):
            metrics.PAID.inc()
        elif isinstance(fact, HandVoided | BankedRoundVoided):
            (metrics.VOID_BY_HOUSE if fact.by == "house" else metrics.VOID_BY_STAFF).inc()
    joined("audit", ((event.traceparent, event.id) for event, _ in batch.facts), time.time_ns() - int(seconds * 1e9))
    if batch.facts:
        metrics.PROJECTION_LAG.set(time.time() * 1000 - batch.facts[-1][0].time)
