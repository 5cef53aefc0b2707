"""The only place of the table service where anything real is chosen."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from libs.contracts.table_commands import WakeTable
from libs.contracts.topics import TABLE_PRIVATE, topic
from libs.edge.health import inner_app
from libs.edge.serve import serving_inside
from libs.journal.house import house_at
from libs.journal.kafka_log import KafkaLog, silence
from libs.journal.mark_keys import marks_in
from libs.journal.runner import Hooks
from libs.journal.seal_keys import seals_in
from libs.journal.service import DeciderService
from libs.journal.tasks import together
from libs.journal.timers import WakeLine
from libs.policies import policy_log
from libs.sealing.kek_file import KeyringFile
from libs.sealing.key_files import hex_key
from libs.sealing.secret import DataKey
from libs.telemetry import get_logger
from libs.telemetry.entropy import EntropyWatch
from libs.telemetry.figures import counter
from libs.telemetry.keks import told
from libs.telemetry.metrics import PrometheusObserver
from services.table.domain.table.waking import moved_at, next_wake
from services.table.kafka.policies import draw_policies, table_policies
from services.table.machine import table_machine
from services.table.publishing import table_publisher
from services.table.scanning import Scanner
from services.table.settings import TableSettings

_log = get_logger(__name__)
CARDS_LOST = counter("croupier_cards_lost")


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@asynccontextmanager
async def running(settings: TableSettings) -> AsyncIterator[asyncio.Task[None]]:
    """The whole service; yields the task that ends only when the service fails."""
    prefix = settings.topic_prefix
    marks = marks_in(settings.marks_file)
    log = KafkaLog(settings.broker, marks, client_id=f"{settings.instance}-timers")
    house = await house_at(log, prefix)
    commands = prefix + topic("table", "commands").name
    wakes = WakeLine(log, commands, house.partitions, now_ms, WakeTable, next_wake, moved_at)
    entropy = EntropyWatch("no hand is dealt")
    machine = table_machine(
        told(KeyringFile(settings.kek_file)),
        unhealthy=entropy.failed,
        lost=cards_lost,
        scanner=Scanner(DataKey(hex_key(settings.gateway_key_file))),
    )
    service = DeciderService(
        replace(machine, seals=seals_in(settings.seal_file)),
        table_publisher(
            prefix + topic("table", "events").name,
            prefix + TABLE_PRIVATE.name,
            DataKey(hex_key(settings.gateway_key_file)),
        ),
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
        now=now_ms,
        observer=PrometheusObserver("table"),
    )
    events = policy_log(settings.broker, marks, f"{settings.instance}-policies")
    policies = [
        made(events, settings.instance, topic_prefix=prefix, session_ms=settings.group_session_ms)
        for made in (table_policies, draw_policies)
    ]
    inner = inner_app(
        {
            "partitions": service.why_not_ready,
            "entropy": lambda: entropy.problem,
            "broker": lambda: silence(service.log, events),
            "policies": lambda: next(filter(None, (each.why_not_ready() for each in policies)), None),
        }
    )
    async with serving_inside(inner, settings):
        parts = together(service.run(), wakes.run(), *(each.run() for each in policies))
        task = asyncio.create_task(parts, name="table")
        try:
            yield task
        finally:
            await asyncio.gather(service.hand_over(), *(each.hand_over() for each in policies))
            task.cancel()
            await asyncio.wait([task])
            await wakes.abandon()


def cards_lost(table: str) -> None:
    CARDS_LOST.inc()
    _log.critical("sealed cards do not open: the round is void", extra={"stream": table})
