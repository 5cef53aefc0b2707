"""What the gateway hears from Kafka: public events, each seat's own cards, and replies to its commands.

Events are read from the first one on, or from where the kept views stand (`keeps_views.py`). Own cards come sealed
for the gateway and are opened here and nowhere else.
"""

import asyncio
import base64
import binascii
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Protocol
from uuid import UUID

import msgspec

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.contracts.messages import Reply
from libs.contracts.private_deals import PrivateDeal
from libs.contracts.reading import read
from libs.contracts.registry import UnknownEvent, parse_event, place_of
from libs.contracts.topics import partition_of
from libs.journal.log import LogRecord
from libs.journal.marks import writer_of
from libs.sealing.sealed import CannotOpen, open_sealed
from libs.sealing.secret import SecretBytes
from libs.telemetry import get_logger
from services.gateway import metrics
from services.gateway.app.commands import CommandDesk
from services.gateway.app.floor import Floor, ReadEvent
from services.gateway.kafka.reads_topic import TopicReader

_log = get_logger(__name__)
AT_ONCE = 200
"""Records in a row; then others run."""
EARLIER_MS = 600_000
"""A hand begins at its table's own time, and its cards lie where the broker's clock was then: so far apart at most."""


class Listener(Protocol):
    """Takes the events of one commit, in their order."""

    def on_events(self, events: Sequence[ReadEvent]) -> None: ...


Heard = Callable[[int, Sequence[LogRecord]], None]
"""Told of a partition's records once they are folded."""


async def hear_events(reader: TopicReader, listener: Listener, heard: Heard = lambda partition, records: None) -> None:
    """Runs until cancelled; lets others run between batches, also while it catches up."""
    async for partition, batch in reader.pages():
        for start in range(0, len(batch), AT_ONCE):
            records = batch[start : start + AT_ONCE]
            hear_records(records, listener)
            heard(partition, records)
            await asyncio.sleep(0)


def hear_records(records: Iterable[LogRecord], listener: Listener) -> None:
    """Records of one partition in their order; the events of a commit lie side by side and go on together."""
    heard = filter(None, map(_read, records))
    for _, commit in groupby(heard, key=lambda read: (read[0].stream, read[0].causation)):
        listener.on_events(list(commit))


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


class _Addressed(msgspec.Struct):
    """As much of a reply as tells whose it is; policies' and timers' replies are not read further."""

    command_id: UUID


_AWAITED, _OF_OTHERS = (metrics.REPLIES.labels(whose) for whose in ("awaited", "of_others"))
_ADDRESS = msgspec.json.Decoder(_Addressed)


async def hear_replies(reader: TopicReader, desk: CommandDesk) -> None:
    """Runs until cancelled."""
    async for batch in reader.batches():
        for record in batch:
            hear_reply(record, desk)


def hear_reply(record: LogRecord, desk: CommandDesk) -> None:
    """Only the service that was asked may answer."""
    try:
        if record.value is None or not desk.awaits(read(_ADDRESS, record.value).command_id, writer_of(record.headers)):
            _OF_OTHERS.inc()
            return
        _AWAITED.inc()
        reply = Reply.decoded(record.value)
    except msgspec.MsgspecError:
        _log.warning("a record on the replies topic is no reply")
        return
    desk.hear(reply)


async def hear_private_deals(reader: TopicReader, floor: Floor, key: SecretBytes, of_house: int, now: int) -> None:
    """Runs until cancelled. Starts the reader once the public events are read: from where, as of `now` (ms), somebody
    may still ask for the cards of each partition (of `of_house`)."""
    since = dict.fromkeys(range(of_house), now)
    for table, at in floor.tables.cards_since(now).items():
        partition = partition_of(table, of_house)
        since[partition] = min(since[partition], at)
    await reader.start(since={partition: at - EARLIER_MS for partition, at in since.items()})
    try:
        async for batch in reader.batches():
            for record in batch:
                hear_private_deal(record.value, floor, key)
    finally:
        await reader.stop()


def hear_private_deal(value: bytes | None, floor: Floor, key: SecretBytes) -> None:
    try:
        deal = PrivateDeal.decoded(value or b"")
    except msgspec.MsgspecError:
        _refused("a record on the private topic is no deal")
        return
    if not floor.needs_cards(deal.table, deal.hand):
        metrics.PRIVATE_DEALS.labels("past").inc()
        return
    try:
        cards = open_deal(deal, key)
    except CannotOpen:
        _refused("a private deal does not open", table=deal.table, hand=deal.hand, seat=deal.seat)
        return
    metrics.PRIVATE_DEALS.labels("opened").inc()
    floor.on_cards(deal, cards)


def open_deal(deal: PrivateDeal, key: SecretBytes) -> tuple[str, ...]:
    """The seat's cards in clear; CannotOpen when key, table, hand, seat or player differ from what was sealed."""
    try:
        box = base64.b64decode(deal.sealed, validate=True)
    except binascii.Error:
        raise CannotOpen("not base64") from None
    return tuple(open_sealed(key.reveal(), box, deal.associated_data).decode("ascii").split())


def _refused(why: str, **where: object) -> None:
    metrics.PRIVATE_DEALS.labels("refused").inc()
    _log.error(why, **where)
