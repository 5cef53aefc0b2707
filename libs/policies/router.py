"""A FastStream subscriber that runs policies: at least once, in order per stream, the offset after the commands."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from faststream import AckPolicy
from faststream.kafka import KafkaBroker, KafkaMessage, KafkaRouter
from prometheus_client import Counter
from pydantic import ValidationError

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.contracts.messages import CommandMessage, Message, PublicEvent
from libs.contracts.registry import EVENT_TYPES, parse_event
from libs.contracts.topics import partition_of
from libs.telemetry import continue_trace, current_traceparent, get_logger

_log = get_logger(__name__)
_SENT = Counter("croupier_policy_commands", "Commands that policies sent, repetitions included", ["group", "type"])
_PARKED = Counter("croupier_policy_parked", "Records that policies set aside, by reason", ["group", "reason"])
_FAILED = Counter("croupier_policy_batches_failed", "Batches that were read again", ["group"])
_PAUSE_S = 0.25
"""After a failed batch, before it is read again."""

React = Callable[[PublicEvent, Message], Awaitable[Sequence[CommandMessage]]]


class Unanswerable(Exception):
    """A policy can't make a command of this event, now or ever. The record is parked."""


@dataclass(frozen=True, slots=True)
class Parking:
    """A record that is no event: it is set aside untouched, with the reason, and the stream goes on."""

    reason: str
    detail: str


def policy_broker(bootstrap: str, name: str) -> KafkaBroker:
    """A broker as policies need it: commands count as sent when all replicas have them, in order and once each."""
    return KafkaBroker(
        bootstrap,
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
    listens_to: Collection[type[Message]],
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
        batch_timeout_ms=20,
        # Most of what passes is not for a policy: a twentieth of a second of it at a time is soon enough.
        fetch_min_bytes=16 * 1024,
        fetch_max_wait_ms=50,
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
                await handle(record)
        except Exception:
            _FAILED.labels(group).inc()
            _log.exception("policy batch failed, read again", topic=source, group=group)
            await asyncio.sleep(_PAUSE_S)
            raise

    async def handle(record: Any) -> None:
        read = read_event(record, wanted)
        if isinstance(read, tuple):
            read = await answer(*read)
        if isinstance(read, Parking):
            await to_parked.publish(
                record.value or b"", key=record.key, partition=0, headers=_parked_headers(record, read)
            )
            _PARKED.labels(group, read.reason).inc()
            _log.error("record parked", topic=record.topic, partition=record.partition, offset=record.offset,
                       reason=read.reason)  # fmt: skip

    async def answer(event: PublicEvent, fact: Message) -> Parking | None:
        with continue_trace(event.traceparent, f"policy {event.type}"):
            try:
                answers = await react(event, fact)
            except Unanswerable as wrong:
                return Parking("unanswerable", str(wrong))
            for command in answers:
                await to_commands.publish(
                    command.model_dump_json().encode(),
                    key=command.stream.encode(),
                    partition=partition_of(command.stream),
                    headers=_trace_header(event),
                )
                _SENT.labels(group, command.type).inc()
        return None

    return router


def read_event(record: Any, wanted: Collection[str]) -> tuple[PublicEvent, Message] | Parking | None:
    """The event and its typed body; None for one that nobody here listens to."""
    name = dict(record.headers).get("ce_type", b"").decode(errors="replace")
    if name and name not in wanted:
        return None
    try:
        event = from_record(record.key, record.value, record.headers)
        return event, parse_event(event)
    except NotAPublicEvent as wrong:
        return Parking("not_an_event", str(wrong))
    except ValidationError as wrong:
        fields = ", ".join(".".join(map(str, e["loc"])) for e in wrong.errors(include_input=False, include_url=False))
        return Parking("malformed", f"fields: {fields}")


async def _untouched(message: Any, original: Callable[[Any], Awaitable[KafkaMessage]]) -> KafkaMessage:
    """FastStream reads headers as text while parsing; ours may be anything, so it gets to see none."""
    parsed = await original(tuple(replace(record, headers=()) for record in message))
    parsed.raw_message = message
    return parsed


async def _undecoded(message: KafkaMessage) -> list[object]:
    return []


def _trace_header(event: PublicEvent) -> dict[str, str]:
    traceparent = current_traceparent() or event.traceparent
    return {"traceparent": traceparent} if traceparent else {}


def _parked_headers(record: Any, parking: Parking) -> dict[str, str]:
    kept = {name: value.decode("latin-1") for name, value in record.headers}
    return kept | {
        "parked-reason": parking.reason,
        "parked-detail": parking.detail[:200],
        "parked-topic": record.topic,
        "parked-partition": str(record.partition),
        "parked-offset": str(record.offset),
    }
