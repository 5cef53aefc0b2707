"""The only place of the tournament service where anything real is chosen."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from libs.contracts.topics import topic
from libs.contracts.tournaments_commands import WakeTournament
from libs.edge.health import inner_app
from libs.edge.serve import serving_inside
from libs.journal.house import house_at
from libs.journal.kafka_log import KafkaLog
from libs.journal.mark_keys import marks_in
from libs.journal.runner import Hooks
from libs.journal.seal_keys import seals_in
from libs.journal.service import DeciderService
from libs.journal.tasks import together
from libs.journal.timers import WakeLine
from libs.policies import policy_log
from libs.telemetry.entropy import EntropyWatch
from libs.telemetry.metrics import PrometheusObserver
from services.tournament.domain.life_cycle import next_wake
from services.tournament.domain.reminding import moved_at
from services.tournament.kafka.policies import other_tournaments, table_news, table_orders, tournament_policies
from services.tournament.machine import tournament_machine
from services.tournament.publishing import tournament_publisher
from services.tournament.settings import TournamentSettings

PAUSE_MS = 50
"""Every hand of a tournament waits for two policies: that the last one is over, and that the next one may begin."""


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@asynccontextmanager
async def running(settings: TournamentSettings) -> AsyncIterator[asyncio.Task[None]]:
    """The whole service; yields the task that ends only when the service fails."""
    prefix, marks = settings.topic_prefix, marks_in(settings.marks_file)
    log = KafkaLog(settings.broker, marks, client_id=f"{settings.instance}-timers")
    house = await house_at(log, prefix)
    commands = prefix + topic("tournament", "commands").name
    wakes = WakeLine(log, commands, house.partitions, now_ms, WakeTournament, next_wake, moved_at)
    entropy = EntropyWatch("nobody is seated by lot")
    machine = tournament_machine(unhealthy=entropy.failed, most_guaranteed=settings.most_guaranteed)
    service = DeciderService(
        replace(machine, seals=seals_in(settings.seal_file)),
        tournament_publisher(prefix + topic("tournament", "events").name),
        broker=settings.broker,
        marks=marks,
        partitions=house.partitions,
        incarnation=house.incarnation,
        prefix=prefix,
        instance=settings.instance,
        session_timeout_ms=settings.group_session_ms,
        idle=settings.idle_folder,
        hooks=Hooks(on_state=wakes.plan, on_put_by=wakes.put_by),
        on_revoked=wakes.forget,
        observer=PrometheusObserver("tournament"),
    )
    heard = policy_log(settings.broker, marks, f"{settings.instance}-policies", PAUSE_MS)
    policies = [
        made(heard, settings.instance, topic_prefix=prefix, session_ms=settings.group_session_ms)
        for made in (tournament_policies, table_news, other_tournaments, table_orders)
    ]
    inner = inner_app(
        {
            "partitions": service.why_not_ready,
            "entropy": lambda: entropy.problem,
            "broker": service.log.why_silent,
            "policies": lambda: next(filter(None, (each.why_not_ready() for each in policies)), None),
        }
    )
    async with serving_inside(inner, settings):
        task = asyncio.create_task(
            together(service.run(), wakes.run(), *(each.run() for each in policies)), name="tournament"
        )
        try:
            yield task
        finally:
            await asyncio.gather(service.hand_over(), *(each.hand_over() for each in policies))
            task.cancel()
            await asyncio.wait([task])
            await wakes.abandon()
