"""A FastStream subscriber that runs policies: at least once, in order per stream, the offset after the commands."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from faststream import AckPolicy
from faststream.kafka import KafkaBroker, KafkaMessage, KafkaRouter
from prometheus_client import Counter

from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage
from libs.contracts.registry import EVENT_TYPES
from libs.contracts.topics import partition_of
from libs.policies.handler import Handler, Parking, React
from libs.telemetry import get_logger

_log = get_logger(__name__)
_SENT = Counter("croupier_policy_commands", "Commands that policies sent, repetitions included", ["group", "type"])
_PARKED = Counter("croupier_policy_parked", "Records that policies set aside, by reason", ["group", "reason"])
_FAILED = Counter("croupier_policy_batches_failed", "Batches that were read again", ["group"])
_PAUSE_S = 0.25
"""After a failed batch, before it is read again."""


def policy_broker(bootstrap: str, name: str) -> KafkaBroker:
    """A broker as policies need it: commands count as sent when all replicas have them, in order and once each."""
    return KafkaBroker(
        bootstrap.split(","),  # FastStream takes a string for one address, whatever commas are in it
        client_id=name,
        acks="all",
        enable_idempotence=True,
        allow_auto_create_topics=False,
        logger=logging.getLogger("croupier.policies"),
        log_level=logging.DEBUG,
    )


def policy_router(
    *,
    group: str,
    instance: str,
    source: str,
    commands: str,
    parked: str,
    listens_to: Collection[type[Fact]],
    react: React,
    session_ms: int = 6_000,
) -> KafkaRouter:
    """Reads topic `source` as consumer group `group`; `instance` lets a restarted process find its partitions again.

    `react` sees only events of the types in `listens_to`. What it raises (a database away) makes the batch come again.
    """
    router = KafkaRouter()
    wanted = frozenset(name for name, event in EVENT_TYPES.items() if event in listens_to)
    to_commands = router.publisher(commands)
    to_parked = router.publisher(parked)

    @router.subscriber(
        source,
        group_id=group,
        group_instance_id=instance,
        auto_offset_reset="earliest",
        batch=True,
        max_records=500,
        batch_timeout_ms=100,  # FastStream sleeps as long again when nothing came
        # Most of what passes is not for a policy: a quarter of a second of it at a time is soon enough.
        fetch_min_bytes=16 * 1024,
        fetch_max_wait_ms=250,
        session_timeout_ms=session_ms,
        heartbeat_interval_ms=session_ms // 3,
        ack_policy=AckPolicy.NACK_ON_ERROR,
        parser=_untouched,
        decoder=_undecoded,
        no_reply=True,
    )
    async def follow(message: KafkaMessage) -> None:
        records: tuple[Any, ...] = message.raw_message
        try:
            for record in records:
                await handler.handle(record)
        except Exception:
            _FAILED.labels(group).inc()
            _log.exception("policy batch failed, read again", topic=source, group=group)
            await asyncio.sleep(_PAUSE_S)
            raise

    async def send(command: CommandMessage, headers: Mapping[str, str]) -> None:
        await to_commands.publish(
            command.encoded(),
            key=command.stream.encode(),
            partition=partition_of(command.stream),
            headers=dict(headers),
        )
        _SENT.labels(group, command.type).inc()

    async def park(record: Any, why: Parking) -> None:
        await to_parked.publish(record.value or b"", key=record.key, partition=0, headers=_parked_headers(record, why))
        _PARKED.labels(group, why.reason).inc()
        _log.error("record parked", topic=record.topic, partition=record.partition, offset=record.offset,
                   reason=why.reason)  # fmt: skip

    handler = Handler(wanted, react, send, park)
    return router


async def _untouched(message: Any, original: Callable[[Any], Awaitable[KafkaMessage]]) -> KafkaMessage:
    """FastStream reads headers as text while parsing; ours may be anything, so it gets to see none."""
    parsed = await original(tuple(replace(record, headers=()) for record in message))
    parsed.raw_message = message
    return parsed


async def _undecoded(message: KafkaMessage) -> list[object]:
    return []


def _parked_headers(record: Any, parking: Parking) -> dict[str, str]:
    kept = {name: value.decode("latin-1") for name, value in record.headers}
    return kept | {
        "parked-reason": parking.reason,
        "parked-detail": parking.detail[:200],
        "parked-topic": record.topic,
        "parked-partition": str(record.partition),
        "parked-offset": str(record.offset),
    }
