"""The only place of the wallet where anything real is chosen."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from aiokafka.errors import OffsetOutOfRangeError

from libs.contracts.groups import group_of
from libs.contracts.house import HouseCreated
from libs.contracts.topics import topic
from libs.edge.health import Check, inner_app
from libs.edge.serve import Ports, serving_both
from libs.identity.settings import callers_with, provider_client
from libs.journal.house import house_at
from libs.journal.kafka_group import KafkaGroup
from libs.journal.kafka_log import KafkaLog, silence
from libs.journal.log import LogRewritten
from libs.journal.mark_keys import marks_in
from libs.journal.marks import Marking
from libs.journal.observer import Observer
from libs.journal.seal_keys import seals_in
from libs.journal.service import DeciderService
from libs.policies import Policies, first_of, policy_log
from libs.policies.handler import believed
from libs.projecting import KafkaSource, Parts, Pool, Projector, Share, SourceAway, books_log, keep_ahead, open_current
from libs.projecting.writings import Writings
from libs.telemetry.metrics import PrometheusObserver
from services.wallet.http.application import application
from services.wallet.kafka.announcements import Announcements
from services.wallet.kafka.policies import (
    escrow_policies,
    own_policies,
    pool_policies,
    tournament_policies,
    wallet_policies,
)
from services.wallet.kafka.wishes import Wishes
from services.wallet.machine import wallet_machine
from services.wallet.metrics import ProjectionFigures
from services.wallet.policies.pools import LASTS_MS
from services.wallet.projections import BOOKS, BY_MONTH, MIGRATIONS, ROLE, book_topics, books
from services.wallet.publishing import wallet_publisher
from services.wallet.settings import WalletSettings

_LAG_EVERY_S = 1.0


def decider(
    settings: WalletSettings, marks: Marking, house: HouseCreated, observer: Observer | None = None
) -> DeciderService[Any, Any, Any, Any]:
    return DeciderService(
        replace(wallet_machine(bounds=settings.cash), seals=seals_in(settings.seal_file)),
        wallet_publisher(settings.topic_prefix + topic("wallet", "events").name),
        broker=settings.broker,
        marks=marks,
        partitions=house.partitions,
        incarnation=house.incarnation,
        prefix=settings.topic_prefix,
        instance=settings.instance,
        session_timeout_ms=settings.group_session_ms,
        idle=settings.idle_folder,
        observer=observer or PrometheusObserver("wallet"),
    )


def policies(settings: WalletSettings, marks: Marking, partitions: int) -> list[Policies]:
    log = policy_log(settings.broker, marks, f"{settings.instance}-policies")
    announced = Announcements(log, marks, partitions, settings.topic_prefix).why_not
    long_ago = Announcements(log, marks, partitions, settings.topic_prefix, lasts_ms=LASTS_MS).why_not
    wished, bought = (
        Wishes(log, marks, of, partitions, settings.topic_prefix).why_not for of in ("table", "tournament")
    )
    return [
        made(
            log,
            settings.instance,
            topic_prefix=settings.topic_prefix,
            session_ms=settings.group_session_ms,
            why_not=why_not,
        )
        for made, why_not in (
            (wallet_policies, wished),
            (tournament_policies, first_of(announced, bought)),
            (pool_policies, long_ago),
            (own_policies, believed),
            (escrow_policies, believed),
        )
    ]


class BookKeeping:
    """This process's share of the books, with its figures: who asks gets how far it is behind."""

    def __init__(self, settings: WalletSettings, marks: Marking, pool: Pool) -> None:
        self.lag: int | None = None
        self._figures = ProjectionFigures(BOOKS)
        self._topics = book_topics(settings.topic_prefix)
        self.log = books_log(settings.broker, marks)
        self._pool = pool
        self._writings = Writings(marks)
        self._kept: tuple[Projector, KafkaSource] | None = None
        self.parts = Parts()
        name, instance = settings.topic_prefix + group_of(BOOKS).name, settings.instance
        group = KafkaGroup(
            *(settings.broker, name, self._topics[0]),
            session_timeout_ms=settings.group_session_ms,
            instance=instance,
            marks=marks,
        )
        self.share = Share(group, self._keep, marks)

    async def keep(self) -> None:
        """Until cancelled. Raises `LogRewritten` where the log no longer holds what comes next, or ends before it."""
        try:
            await self.share.run()
        except OffsetOutOfRangeError:
            raise LogRewritten("the public events are not those that the books were made of") from None

    async def _keep(self, partitions: frozenset[int]) -> None:
        source = KafkaSource(self.log, [(topic, each) for topic in self._topics for each in sorted(partitions)])
        projector = Projector(
            *(self._pool, BOOKS, books(min(partitions)), source),
            on_gap=self._figures.gap,
            on_batch=self._figures.batch,
            writings=self._writings,
            part=self.parts.part(BOOKS),
        )
        self._kept = projector, source
        try:
            await projector.run()
        finally:
            self._kept = None
            self.parts.forget(BOOKS)
            self._figures.begin_anew()
            await source.close()

    async def measure(self) -> None:
        while True:
            self.lag = await self._behind()
            self._figures.set_aside(self._kept[0].progress.set_aside if self._kept else 0)
            await asyncio.sleep(_LAG_EVERY_S)

    async def _behind(self) -> int | None:
        """What the projector's own fetches tell: only while it is held up is the broker asked."""
        if self.share.joined and not self.share.partitions:
            return 0  # others keep them all
        if self._kept is None or not self._kept[0].progress.following:
            self._figures.stands()
            return None
        projector, source = self._kept
        passed = source.passed()  # where the end of the log is foreign, no event will ever move a position there
        positions = projector.progress.positions
        reached = {place: max(at, positions.get(place, 0)) for place, at in passed.items()}
        try:
            return self._figures.lag(await source.ends(), reached)
        except SourceAway:
            return None

    def told(self) -> str | None:
        return self._kept[0].progress.told() if self._kept else None

    @property
    def refused(self) -> str:
        return self._kept[0].progress.refused if self._kept else ""


@asynccontextmanager
async def running(settings: WalletSettings, observer: Observer | None = None) -> AsyncIterator[Ports]:
    """The whole service until the block is left; yields its ports. A part that fails takes the process along.

    `observer` stands in for Prometheus where a process holds several services.
    """
    async with AsyncExitStack() as stack:
        schema = settings.database_schema
        pool = await open_current(settings.database_url, schema, MIGRATIONS, role=ROLE, max_size=8)
        stack.push_async_callback(pool.close)
        marks = marks_in(settings.marks_file)
        looking = KafkaLog(settings.broker, marks, client_id=f"{settings.instance}-house")
        house = await house_at(looking, settings.topic_prefix)
        service = decider(settings, marks, house, observer)
        keeping = BookKeeping(settings, marks, pool)
        answering = policies(settings, marks, house.partitions)
        told: dict[str, Check] = {"books": keeping.told}
        callers = callers_with(settings, await stack.enter_async_context(provider_client()))
        told["operators"] = callers.operators.told
        inner = inner_app(readiness(settings, service, keeping, answering), told)
        async with asyncio.TaskGroup() as parts:
            tasks = [
                parts.create_task(service.run(), name="decider"),
                parts.create_task(keeping.keep(), name="projector"),
                parts.create_task(keeping.measure(), name="lag"),
                parts.create_task(keep_ahead(pool, BY_MONTH), name="months"),
                *(parts.create_task(each.run(), name="policies") for each in answering),
            ]
            try:
                async with serving_both(
                    application(pool, callers, marks, settings.docs, Writings(marks), lambda: keeping.lag),
                    *(inner, settings),
                ) as ports:
                    yield ports
            finally:
                away = (service.hand_over(), keeping.share.hand_over(), *(each.hand_over() for each in answering))
                await asyncio.gather(*away)
                for task in tasks:
                    task.cancel()


def readiness(
    settings: WalletSettings,
    service: DeciderService[Any, Any, Any, Any],
    keeping: BookKeeping,
    answering: Sequence[Policies],
) -> Mapping[str, Check]:
    """What must hold before commands and questions are sent here."""

    def books_follow() -> str | None:
        standing = keeping.parts.why_not()
        if keeping.lag is None:
            return keeping.refused or standing or "the books are not being written"
        if (why := keeping.share.why_not() or standing) is not None:
            return why
        return None if keeping.lag <= settings.ready_lag else f"the books are {keeping.lag} records behind"

    return {
        "decider": service.why_not_ready,
        "books": books_follow,
        "broker": lambda: silence(service.log, keeping.log),
        "policies": lambda: next(filter(None, (each.why_not_ready() for each in answering)), None),
    }
