"""Public events of all tables, from the first one on: views are folds, so a gateway needs no memory of its own."""

import asyncio

import msgspec
from aiokafka import ConsumerRecord

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.contracts.registry import UnknownEvent, parse_event, place_of
from libs.telemetry import get_logger
from services.gateway import metrics
from services.gateway.app.floor import Floor
from services.gateway.kafka.reads_topic import TopicReader

_log = get_logger(__name__)


async def hear_events(reader: TopicReader, floor: Floor) -> None:
    """Runs until cancelled; lets others run between batches, also while it catches up."""
    async for batch in reader.batches():
        for number, record in enumerate(batch, 1):
            hear_event(record, floor)
            if number % 200 == 0:
                await asyncio.sleep(0)


def hear_event(record: ConsumerRecord, floor: Floor) -> None:
    """One record; what is no public event of a table is counted and left out, and shows as a gap of its stream."""
    try:
        event = from_record(record.key, record.value, record.headers)
        fact = parse_event(event)
    except UnknownEvent:
        fact = None  # of a newer build: the version moves on and readers get it as it is
    except NotAPublicEvent as wrong:
        _undecodable(record, str(wrong))
        return
    except msgspec.MsgspecError as wrong:
        _undecodable(record, f"the body is wrong at {place_of(wrong)}")
        return
    floor.on_event(event, fact, record.value)


def _undecodable(record: ConsumerRecord, why: str) -> None:
    metrics.EVENTS.labels("undecodable").inc()
    _log.error("not a public event", partition=record.partition, offset=record.offset, why=why)
