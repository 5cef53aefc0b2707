"""What the audit service is made of, and how its parts are kept running."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from libs.contracts.banked_rounds import BankedRoundSettled, BankedRoundVoided
from libs.contracts.groups import group_of
from libs.contracts.house import HouseCreated
from libs.contracts.poker_events import HandEnded, HandVoided
from libs.contracts.topics import TOPICS, Topic, topic
from libs.identity.reads import of_audit, of_wallet
from libs.journal.house import house_at
from libs.journal.kafka_group import KafkaGroup
from libs.journal.kafka_log import KafkaLog, silence
from libs.journal.log import LogRewritten
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
from libs.projecting.parts import PATIENCE_S
from libs.projecting.row_marks import Marks
from libs.telemetry import get_logger, joined
from services.audit import metrics
from services.audit.broker_watch import BrokerWatch
from services.audit.checkpoints import Checkpoints, read_key
from services.audit.foreign import Foreigners, ToldSource
from services.audit.inspecting import inspector
from services.audit.integrity import checks
from services.audit.integrity.cases import Case
from services.audit.journal_audit import AtHand, JournalAudit
from services.audit.projections.histories import BY_MONTH, Histories
from services.audit.projections.live_checks import LiveChecks
from services.audit.projections.record_marks import check_marks, writings_of
from services.audit.projections.signals import Signals, read_forbidden
from services.audit.reconciling import QUIET_S, Reconciliation
from services.audit.record_watch import EVERY_S, RecordWatch
from services.audit.settings import MIGRATIONS, PROJECTOR, ROLE, SCHEMA, AuditSettings
from services.audit.strangers import GroupWatch
from services.audit.supervisor import TRANSIENT, Supervisor
from services.audit.topics import TopicWatch
from services.audit.traffic import Traffic
from services.audit.trail_watch import TrailWatch
from services.audit.verifying.checkpoint import public_hex
from services.audit.verifying.findings import Finding
from services.audit.watch import MARKS_EVERY_S, SUMS_S, Watch

SERVICES = ("table", "wallet", "tournament")
DECIDED = ("commands", "replies")
"""What is held against the commits, in the order in which it was written."""
JOINING_S = 3.0
"""A dead member keeps the others waiting for its session, and then they join, within a heartbeat or two."""
_PACE_MS = 1_000
"""Nobody waits for the auditor: what a second brought is taken at once, or a page."""
_FOREIGN_S = 0.5
_PASSED_OVER_S = 1.0
_PARTS, _ANSWERING = 6, 4
"""Connections to the database."""
_PAGE = 2_000
"""Events in one transaction."""
_LOOK_S = 60.0
"""A look at everything may take so long: trails from their beginning, a first checkpoint."""
_WAITS_S = QUIET_S + PATIENCE_S
"""And a step of who holds records against commits, which others may have to judge first."""
_log = get_logger(__name__)


@dataclass(slots=True)
class Ours:
    """What follows this process's partitions: of a service's commands, commits, answers and events one number each, so
    that all that is held against each other is here."""

    projector: Projector
    source: KafkaSource
    journals: list[JournalAudit]
    traffic: Mapping[str, Traffic]
    """Readers of what is no journal and no public event, by what the supervisor calls them."""
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

    def __init__(
        self, settings: AuditSettings, pool: Pool, answering: Pool, marks: Marking, house: HouseCreated
    ) -> None:
        """`answering`: has a connection for questions and foreign records also while all of `pool` wait."""
        prefix = settings.topic_prefix
        self.settings = settings
        self.pool = pool
        self.answering = answering
        self.marks = marks
        self._house = house
        self.ours: Ours | None = None
        self.parts = Supervisor()
        self._sums = Supervisor()
        """What takes hours in a house of many transfers: that is told, and no reason to ask this auditor nothing."""
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
        self._foreign = Foreigners(answering, marks, found)
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
            settings.database_logins,
        )
        self._key = read_key(settings.checkpoint_key_file) if settings.checkpoint_key_file else None
        self.checkpoint_key = public_hex(self._key) if self._key else ""
        journals = [(prefix + topic(each, "journal").name, n) for each in SERVICES for n in range(house.partitions)]
        signs = partial(Checkpoints, file=settings.checkpoint_file, journals=journals, marks=marks, on_finding=found)
        self._checkpoints = signs(pool, self._key) if self._key else None
        session_s = settings.group_session_ms / 1000
        self._groups = GroupWatch(self._log, pool, prefix, session_s + JOINING_S, found)
        self._of_broker: dict[str, TopicWatch | BrokerWatch] = {
            "topics": TopicWatch(self._log, pool, house.partitions, prefix, found),
            "broker": BrokerWatch(self._log, pool, prefix, settings.broker_logins, found),
        }
        trails = (of_audit(SCHEMA), of_wallet(settings.ledger_schema))
        self._rows = RecordWatch(pool, marks, found, trails, self.checkpoint_key)
        self._trails = TrailWatch(pool, trails, marks, found)
        self._elected = False
        self._age_ms = 0.0

    async def run(self) -> None:
        metrics.PROJECTION_LAG.set_function(self._projection_lag_ms)
        metrics.SET_ASIDE.set_function(lambda: self.ours.projector.progress.set_aside if self.ours else 0)
        async with asyncio.TaskGroup() as group:
            group.create_task(self.parts.again("share", self.share.run))
            # Also where nothing but foreign records come, and no position moves.
            group.create_task(self.parts.every("foreign", self._foreign.write, _FOREIGN_S))
            # Whoever it is that has partitions: strangers may have all of them.
            group.create_task(self.parts.again("groups", partial(self._groups.run, self.parts.part("groups"))))
            group.create_task(keep_ahead(self.pool, BY_MONTH))

    def _taken(self, batch: Accepted, seconds: float) -> None:
        if batch.facts:
            self._age_ms = time.time() * 1000 - batch.facts[-1][0].time
        _count(batch, seconds)

    def _projection_lag_ms(self) -> float:
        """Grows while a step does not end: what nobody takes in grows old."""
        return self._age_ms + self.parts.part("projector", _WAITS_S).stands_s * 1000

    async def _work(self, partitions: frozenset[int]) -> None:
        ours = self.ours = self._of(partitions)
        self._elected = 0 in partitions
        metrics.JOURNAL_LAG.clear()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self.parts.again("projector", ours.projector.run))
                for journal in ours.journals:
                    group.create_task(self._follow(ours, journal))
                for name, traffic in ours.traffic.items():
                    group.create_task(self.parts.again(name, traffic.run))
                passed_over = partial(self._look_for_passed_over, ours)
                group.create_task(self.parts.every("undecided", passed_over, _PASSED_OVER_S, _WAITS_S))
                if self._elected:
                    self._look_at_all(group)
        finally:
            self.ours = None
            await ours.close()

    def _look_at_all(self, group: asyncio.TaskGroup) -> None:
        every_s = self.settings.alarms_every_s
        integrity = partial(checks.run, self.pool, self.settings.integrity_every_s, _opened, self.marks, _failed, found)
        group.create_task(self.parts.again("integrity", integrity))
        group.create_task(self.parts.every("watch", self._watch.look, every_s, _LOOK_S))
        group.create_task(self.parts.every("histories", self._rows.look, EVERY_S))
        group.create_task(self.parts.every("writings", self._watch.look_at_marks, MARKS_EVERY_S))
        group.create_task(self.parts.every("trails", self._trails.look, every_s, _LOOK_S))
        group.create_task(self.parts.again("whole trails", self._trails.run_all))
        for name, sums in {"accounts": self._watch.run_all, "sums": self._watch.run_sums}.items():
            group.create_task(self._sums.again(name, partial(sums, every_s, self._sums.part(name, SUMS_S))))
        for name, of_broker in self._of_broker.items():
            group.create_task(self.parts.again(name, partial(of_broker.run, every_s, self.parts.part(name))))
        if self._checkpoints is not None:
            take, pause_s = partial(self._sign, self._checkpoints), self.settings.checkpoint_every_s
            group.create_task(self.parts.every("checkpoints", take, pause_s, _LOOK_S, pause_s))

    def ready(self) -> str | None:
        """None when everything that is to be followed here is followed."""
        if (standing := self.parts.why_not() or self._sums.why_held_up()) is not None:
            return standing
        if not self.share.joined:
            return "the group has not said yet what is to be followed"
        if (unowned := self.share.why_not()) is not None:
            return unowned
        if self.ours is None:
            return "the journals are not followed yet" if self.share.partitions else None
        return self.ours.why_not_ready() or silence(self._log, self._events_log)

    def told(self) -> str | None:
        said = [self._sums.why_not()]
        if self.ours is not None:
            said += [self.ours.projector.progress.told(), *(each.told() for each in self.ours.traffic.values())]
        return "; ".join(each for each in said if each) or None

    async def last_word(self) -> None:
        """A checkpoint before the lights go out, if database and file can still be written."""
        if self._checkpoints is not None and self._elected:
            try:
                await self._checkpoints.take()
            except TRANSIENT as wrong:
                _log.warning("no last checkpoint", error=type(wrong).__name__)

    async def close(self) -> None:
        await self._ends.close()
        await self.pool.close()
        await self.answering.close()

    async def _follow(self, ours: Ours, journal: JournalAudit) -> None:
        """A rewritten log is an incident that stays: nothing read from it would be evidence."""
        place = f"{journal.topic}/{journal.partition}"
        labels = (journal.topic, str(journal.partition))
        part = self.parts.part(place)
        metrics.JOURNAL_LAG.labels(*labels).set_function(lambda: journal.behind)

        async def follow() -> None:
            part.begin()
            await journal.load()
            while True:
                part.begin()
                judged = await journal.step()
                metrics.JOURNAL_RECORDS.labels(*labels).inc(judged)
                if judged or not journal.behind:
                    part.end()  # to read nothing of what is there, after a fault, is no end
                if journal.caught_up:
                    ours.caught_up.add(place)

        try:
            await self.parts.again(place, follow)
        except LogRewritten as rewritten:
            ours.rewritten.append(place)
            journal.give_up()
            metrics.CHAIN_FAILURES.labels(*labels).inc()
            _log.error("journal rewritten", place=place, reason=str(rewritten))

    async def _look_for_passed_over(self, ours: Ours) -> None:
        for each in ours.reconciled.values():
            await self._foreign.add(await each.passed_over())

    async def _sign(self, checkpoints: Checkpoints) -> None:
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

        def traffic(name: str, topics: Sequence[Topic]) -> Traffic:
            part = self.parts.part(name, _WAITS_S)
            return Traffic(*(log, pool, of_house, prefix, topics, numbers, reconciled, self._foreign, found), part)

        return Ours(
            Projector(
                *(pool, PROJECTOR, _projections(settings, log.marks), source),
                limit=_PAGE,
                on_batch=self._taken,
                writings=writings_of(log.marks),
                part=self.parts.part("projector", _WAITS_S),
            ),
            source,
            [
                JournalAudit(
                    *(pool, log, prefix + topic(service, "journal").name, number, of_house),
                    *(journal_name(service), found, inspector(settings.kek_file, service), reconciled[service]),
                    *(self._foreign, log.marks, AtHand.of(len(SERVICES) * len(numbers))),
                )
                for service in SERVICES
                for number in numbers
            ],
            {
                "traffic": traffic("traffic", [each for each in others if each.kind in DECIDED]),
                "notices": traffic("notices", [each for each in others if each.kind not in DECIDED]),
            },
            reconciled,
        )


@asynccontextmanager
async def audit(settings: AuditSettings) -> AsyncIterator[Audit]:
    """Builds the parts on a schema that is current; closes them when the block is left."""
    marks = marks_in(settings.marks_file)
    check_marks(marks, settings.marks_file)
    looking = KafkaLog(settings.broker, marks, client_id="croupier-audit-house")
    house = await house_at(looking, settings.topic_prefix)
    open_ = partial(open_current, settings.database_url, SCHEMA, MIGRATIONS, role=ROLE)
    pool, answering = await open_(max_size=_PARTS), await open_(max_size=_ANSWERING)
    built = Audit(settings, pool, answering, marks, house)
    try:
        yield built
    finally:
        await built.last_word()
        await built.close()


def _projections(settings: AuditSettings, marks: Marks) -> list[Projection]:
    forbidden = read_forbidden(settings.forbidden_programs_file) if settings.forbidden_programs_file else None
    return [Histories(marks), LiveChecks(found, marks, settings.cash), Signals(forbidden, found, marks)]


def found(finding: Finding) -> None:
    """Counts and logs an incident that is new."""
    metrics.FINDINGS.labels(finding.kind.value, finding.severity).inc()
    place = {"topic": finding.topic, "partition": finding.partition, "offset": finding.offset}
    said = {"kind": finding.kind.value, "severity": finding.severity, "stream": finding.stream}
    _log.error("incident", **said, detail=finding.detail, **place)


def _opened(case: Case) -> None:
    metrics.CASES.labels(case.kind).inc()
    _log.warning("case opened", kind=case.kind, players=case.players, hands=len(case.hands))


def _failed(wrong: Exception) -> None:
    metrics.SEARCHES_FAILED.inc()
    _log.error("a search for collusion failed; the next one comes when it is due", exc_info=wrong)


def _count(batch: Accepted, seconds: float) -> None:
    metrics.EVENTS.inc(len(batch.facts))
    for _, fact in batch.facts:
        if isinstance(fact, HandEnded | BankedRoundSettled):
            metrics.PAID.inc()
        elif isinstance(fact, HandVoided | BankedRoundVoided):
            (metrics.VOID_BY_HOUSE if fact.by == "house" else metrics.VOID_BY_STAFF).inc()
    joined("audit", ((event.traceparent, event.id) for event, _ in batch.facts), time.time_ns() - int(seconds * 1e9))
