"""Public events of all tables, from the first one on: views are folds, so a gateway needs no memory of its own."""

import asyncio
from collections.abc import Iterable
from itertools import groupby

import msgspec

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.contracts.registry import UnknownEvent, parse_event, place_of
from libs.journal.log import LogRecord
from libs.telemetry import get_logger
from services.gateway import metrics
from services.gateway.app.floor import Floor, ReadEvent
from services.gateway.kafka.reads_topic import TopicReader

_log = get_logger(__name__)
AT_ONCE = 200
"""Records in a row; then others run."""


async def hear_events(reader: TopicReader, floor: Floor) -> None:
    """Runs until cancelled; lets others run between batches, also while it catches up."""
    async for batch in reader.batches():
        for start in range(0, len(batch), AT_ONCE):
            hear_records(batch[start : start + AT_ONCE], floor)
            await asyncio.sleep(0)


def hear_records(records: Iterable[LogRecord], floor: Floor) -> None:
    """Records of one partition in their order; the events of a commit lie side by side and go on together."""
    heard = filter(None, map(_read, records))
    for _, commit in groupby(heard, key=lambda read: (read[0].stream, read[0].causation)):
        floor.on_events(list(commit))


def _read(record: LogRecord) -> ReadEvent | None:
    """What is no public event of a table is counted and left out, and shows as a gap of its stream."""
    try:
        event = from_record(record.key, record.value, record.headers)
        return event, parse_event(event)
    except UnknownEvent:
        return event, None  # of a newer build: the version moves on and readers get it as it is
    except NotAPublicEvent as wrong:
        _undecodable(record, str(wrong))
    except msgspec.MsgspecError as wrong:
        _undecodable(record, f"the body is wrong at {place_of(wrong)}")
    return None


def _undecodable(record: LogRecord, why: str) -> None:
    metrics.EVENTS.labels("undecodable").inc()
    _log.error("not a public event", stream=(record.key or b"").decode(errors="replace"), offset=record.offset, why=why)
