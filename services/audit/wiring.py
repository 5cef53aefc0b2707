"""What the audit service is made of, and how its parts are kept running."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import asyncpg
from aiokafka.errors import KafkaConnectionError, KafkaError, NodeNotReadyError, RequestTimedOutError

from libs.contracts.banked_rounds import BankedRoundSettled, BankedRoundVoided
from libs.contracts.groups import group_of
from libs.contracts.house import HouseCreated
from libs.contracts.poker_events import HandEnded, HandVoided
from libs.contracts.topics import TOPICS, topic
from libs.identity.reads import of_audit, of_wallet
from libs.journal.commit import Commit
from libs.journal.house import house_at
from libs.journal.kafka_group import KafkaGroup
from libs.journal.kafka_log import KafkaLog, silence
from libs.journal.log import LogRewritten, LogUnavailable
from libs.journal.machine import journal_name
from libs.journal.mark_keys import marks_in
from libs.journal.marks import Marking
from libs.projecting import (
    KafkaSource,
    Pool,
    Projection,
    Projector,
    Share,
    books_log,
    keep_ahead,
    open_current,
)
from libs.projecting.acceptance import Accepted
from libs.projecting.projector import PASSING
from libs.projecting.row_marks import Marks
from libs.sealing.kek_file import KeyringFile
from libs.telemetry import get_logger, joined
from libs.telemetry.keks import told
from services.audit import metrics
from services.audit.checkpoints import Checkpoints, read_key
from services.audit.foreign import Foreigners, ToldSource
from services.audit.integrity import checks
from services.audit.integrity.cases import Case
from services.audit.journal_audit import JournalAudit
from services.audit.projections.histories import BY_MONTH, Histories
from services.audit.projections.live_checks import LiveChecks
from services.audit.projections.record_marks import check_marks, writings_of
from services.audit.projections.signals import Signals, read_forbidden
from services.audit.reconciling import Reconciliation
from services.audit.record_watch import RecordWatch
from services.audit.sealed_decks import Inspect, SealedDecks
from services.audit.settings import MIGRATIONS, PROJECTOR, ROLE, SCHEMA, AuditSettings
from services.audit.strangers import GroupWatch
from services.audit.topics import TopicWatch
from services.audit.traffic import Traffic
from services.audit.verifying.checkpoint import public_hex
from services.audit.verifying.findings import Finding
from services.audit.verifying.tournaments import refused_order
from services.audit.watch import Watch

SERVICES = ("table", "wallet", "tournament")
_PAUSE_S = 1.0
JOINING_S = 3.0
"""A dead member keeps the others waiting for its session, and then they join, within a heartbeat or two."""
_SOUND_S = 60.0
"""A part that has run for so long after a fault is held up no more."""
_PACE_MS = 1_000
"""Nobody waits for the auditor: what a second brought is taken at once, or a page."""
_FOREIGN_S = 0.5
_PASSED_OVER_S = 1.0
_PAGE = 2_000
"""Events in one transaction."""
_AWAY = (*PASSING, NodeNotReadyError, KafkaConnectionError, RequestTimedOutError)
"""Broker or database is away: that passes by itself."""
_TRANSIENT = (*_AWAY, LogUnavailable, KafkaError, asyncpg.PostgresError)
_log = get_logger(__name__)


@dataclass(slots=True)
class Ours:
    """What follows this process's partitions: of a service's commands, commits, answers and events one number each, so
    that all that is held against each other is here."""

    projector: Projector
    source: KafkaSource
    journals: list[JournalAudit]
    traffic: Traffic
    reconciled: Mapping[str, Reconciliation]
    rewritten: list[str] = field(default_factory=list)
    caught_up: set[str] = field(default_factory=set)

    def why_not_ready(self) -> str | None:
        if self.rewritten:
            return f"{', '.join(self.rewritten)}: not the log that was read before"
        if not self.projector.progress.following:
            return self.projector.progress.refused or "the public events are not followed yet"
        if len(self.caught_up) < len(self.journals):
            return "the journals are not followed yet"
        return None

    async def close(self) -> None:
        for journal in self.journals:
            await journal.close()
        await self.source.close()


class Audit:
    """The parts. `run` keeps them going until cancelled.

    Partitions are shared among all audit processes by a group. What needs all of them (sums, sittings, checkpoints,
    cases, how topics are kept) is looked at by whoever has the first one; by database and topics, so by anybody.
    """

    def __init__(self, settings: AuditSettings, pool: Pool, marks: Marking, house: HouseCreated) -> None:
        prefix = settings.topic_prefix
        self.settings = settings
        self.pool = pool
        self.marks = marks
        self._house = house
        self.ours: Ours | None = None
        self.stuck: dict[str, str] = {}
        """Parts that a fault of no connection holds up, with its kind."""
        group = group_of(f"{PROJECTOR}-share")
        self.share = Share(
            KafkaGroup(
                *(settings.broker, prefix + group.name, prefix + group.reads.name),
                session_timeout_ms=settings.group_session_ms,
                instance=settings.instance,
                marks=marks,
            ),
            self._work,
            marks,
        )
        self._foreign = Foreigners(pool, marks, found)
        self._log = KafkaLog(
            settings.broker,
            marks,
            client_id="croupier-audit",
            fetch_wait_ms=_PACE_MS,
            fetch_bytes=2**20,
            on_foreign=self._foreign.tell,
        )
        self._events_log = books_log(settings.broker, marks, _PACE_MS, on_foreign=self._foreign.tell)
        watched = [
            (prefix + each.name, number)
            for each in TOPICS
            if each.kind in ("events", "parked")
            for number in range(each.partitions(house.partitions))
        ]
        self._ends = KafkaSource(self._events_log, watched)
        self._watch = Watch(
            *(pool, self._ends, (SCHEMA, settings.ledger_schema), settings.ledger_schema, found, marks),
            settings.most_guaranteed_a_day,
        )
        self._key = read_key(settings.checkpoint_key_file) if settings.checkpoint_key_file else None
        self.checkpoint_key = public_hex(self._key) if self._key else ""
        journals = [(prefix + topic(each, "journal").name, n) for each in SERVICES for n in range(house.partitions)]
        signs = partial(Checkpoints, file=settings.checkpoint_file, journals=journals, marks=marks, on_finding=found)
        self._checkpoints = signs(pool, self._key) if self._key else None
        session_s = settings.group_session_ms / 1000
        self._groups = GroupWatch(self._log, pool, prefix, session_s + JOINING_S, found)
        self._topics = TopicWatch(self._log, pool, house.partitions, prefix, found)
        trails = (of_audit(SCHEMA), of_wallet(settings.ledger_schema))
        self._rows = RecordWatch(pool, marks, found, trails, self.checkpoint_key)
        self._elected = False

    async def run(self) -> None:
        metrics.SET_ASIDE.set_function(lambda: self.ours.projector.progress.set_aside if self.ours else 0)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._again("share", self.share.run))
            group.create_task(self._again("foreign", self._tell_foreign))
            # Whoever it is that has partitions: strangers may have all of them.
            group.create_task(self._again("groups", self._groups.run))
            group.create_task(keep_ahead(self.pool, BY_MONTH))

    async def _work(self, partitions: frozenset[int]) -> None:
        ours = self.ours = self._of(partitions)
        self._elected = 0 in partitions
        self.stuck.clear()
        metrics.JOURNAL_LAG.clear()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._again("projector", ours.projector.run))
                for journal in ours.journals:
                    group.create_task(self._follow(ours, journal))
                group.create_task(self._again("traffic", ours.traffic.run))
                group.create_task(self._again("undecided", partial(self._look_for_passed_over, ours)))
                if self._elected:
                    self._look_at_all(group)
        finally:
            self.ours = None
            await ours.close()

    def _look_at_all(self, group: asyncio.TaskGroup) -> None:
        every_s = self.settings.alarms_every_s
        integrity = partial(checks.run, self.pool, self.settings.integrity_every_s, _opened, self.marks, _failed)
        group.create_task(self._again("integrity", integrity))
        group.create_task(self._again("watch", partial(self._watch.run, every_s)))
        group.create_task(self._again("histories", self._rows.run))
        group.create_task(self._again("writings", self._watch.run_marks))
        group.create_task(self._again("accounts", partial(self._watch.run_all, every_s)))
        group.create_task(self._again("topics", partial(self._topics.run, every_s)))
        if self._checkpoints is not None:
            group.create_task(self._again("checkpoints", partial(self._sign, self._checkpoints)))

    def ready(self) -> str | None:
        """None when everything that is to be followed here is followed."""
        if self.stuck:
            return ", ".join(f"{part} is held up by {fault}" for part, fault in sorted(self.stuck.items()))
        if not self.share.joined:
            return "the group has not said yet what is to be followed"
        if (unowned := self.share.why_not()) is not None:
            return unowned
        if self.ours is None:
            return "the journals are not followed yet" if self.share.partitions else None
        return self.ours.why_not_ready() or silence(self._log, self._events_log)

    def told(self) -> str | None:
        if self.ours is None:
            return None
        said = (self.ours.projector.progress.told(), self.ours.traffic.told())
        return "; ".join(each for each in said if each) or None

    async def last_word(self) -> None:
        """A checkpoint before the lights go out, if database and file can still be written."""
        if self._checkpoints is not None and self._elected:
            try:
                await self._checkpoints.take()
            except _TRANSIENT as wrong:
                _log.warning("no last checkpoint", error=type(wrong).__name__)

    async def close(self) -> None:
        await self._ends.close()
        await self.pool.close()

    async def _follow(self, ours: Ours, journal: JournalAudit) -> None:
        """A rewritten log is an incident that stays: nothing read from it would be evidence."""
        place = f"{journal.topic}/{journal.partition}"
        labels = (journal.topic, str(journal.partition))

        async def follow() -> None:
            await journal.load()
            while True:
                metrics.JOURNAL_RECORDS.labels(*labels).inc(await journal.step())
                metrics.JOURNAL_LAG.labels(*labels).set(journal.behind)
                if journal.caught_up:
                    ours.caught_up.add(place)

        try:
            await self._again(place, follow)
        except LogRewritten as rewritten:
            ours.rewritten.append(place)
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
                if isinstance(wrong, _AWAY):
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
            await self._foreign.write()
            await asyncio.sleep(_FOREIGN_S)

    async def _look_for_passed_over(self, ours: Ours) -> None:
        while True:
            await asyncio.sleep(_PASSED_OVER_S)
            for each in ours.reconciled.values():
                await self._foreign.add(await each.passed_over())

    async def _sign(self, checkpoints: Checkpoints) -> None:
        while True:
            await asyncio.sleep(self.settings.checkpoint_every_s)
            taken = await checkpoints.take()
            metrics.CHECKPOINTS.inc()
            if taken is not None:
                _log.info("checkpoint", number=taken.number, streams=len(taken.heads))

    def _of(self, partitions: frozenset[int]) -> Ours:
        log, pool, settings, prefix = self._log, self.pool, self.settings, self.settings.topic_prefix
        house, of_house = self._house, self._house.partitions
        reconciled = {service: Reconciliation(log, log.marks, pool, service, prefix, house) for service in SERVICES}
        numbers = sorted(partitions)
        events = {prefix + topic(service, "events").name: each for service, each in reconciled.items()}
        source = ToldSource(
            *(self._events_log, [(name, number) for name in events for number in numbers], self._foreign), events
        )
        others = [each for each in TOPICS if each.kind not in ("journal", "events")]
        return Ours(
            Projector(
                *(pool, PROJECTOR, _projections(settings, log.marks), source),
                limit=_PAGE,
                on_batch=_taken,
                writings=writings_of(log.marks),
            ),
            source,
            [
                JournalAudit(
                    *(pool, log, prefix + topic(service, "journal").name, number, of_house),
                    *(journal_name(service), found, _inspector(settings, service), reconciled[service]),
                    *(self._foreign, log.marks),
                )
                for service in SERVICES
                for number in numbers
            ],
            Traffic(*(log, pool, of_house, prefix, others, numbers, reconciled, self._foreign, found), self._key),
            reconciled,
        )


@asynccontextmanager
async def audit(settings: AuditSettings) -> AsyncIterator[Audit]:
    """Builds the parts on a schema that is current; closes them when the block is left."""
    marks = marks_in(settings.marks_file)
    check_marks(marks, settings.marks_file)
    looking = KafkaLog(settings.broker, marks, client_id="croupier-audit-house")
    house = await house_at(looking, settings.topic_prefix)
    pool = await open_current(settings.database_url, SCHEMA, MIGRATIONS, role=ROLE, max_size=6)
    built = Audit(settings, pool, marks, house)
    try:
        yield built
    finally:
        await built.last_word()
        await built.close()


def _projections(settings: AuditSettings, marks: Marks) -> list[Projection]:
    forbidden = read_forbidden(settings.forbidden_programs_file) if settings.forbidden_programs_file else None
    return [Histories(marks), LiveChecks(found, marks), Signals(forbidden, found, marks)]


def _inspector(settings: AuditSettings, service: str) -> Inspect:
    if service != "table":
        return lambda commit: iter(())
    if settings.kek_file is None:
        return refused_order
    decks = SealedDecks(told(KeyringFile(settings.kek_file)))

    def inspect(commit: Commit) -> Iterator[Finding]:
        before = decks.opened
        yield from decks.inspect(commit)
        yield from refused_order(commit)
        metrics.DECKS.inc(decks.opened - before)

    return inspect


def found(finding: Finding) -> None:
    """Counts and logs an incident that is new."""
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


def _failed(wrong: Exception) -> None:
    metrics.SEARCHES_FAILED.inc()
    _log.error("a search for collusion failed; the next one comes when it is due", exc_info=wrong)


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
