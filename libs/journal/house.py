"""Which house a process is in: read from its first record and held against the topics, before anything is done."""

import asyncio
import logging

import msgspec
from aiokafka.errors import KafkaError, NoError, UnknownTopicOrPartitionError, for_code

from libs.broker.protocol import describe_topics
from libs.contracts.house import HouseClosed, HouseCreated
from libs.contracts.topics import HOUSES, TOPICS
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import Log, LogUnavailable
from libs.sealing.key_files import BadKey

HALF = (
    "this house is half a house: a restore fills it, or was ended before all was there. Where none runs any more make"
    " its servers anew and restore once more: `croupier down --wipe`, `croupier up`; in a cluster docs/restore.md"
)
_CREATE = "`croupier topics --create` makes it"
_WAIT_MS = 500
_PAGE = 100
_PAUSE_S = 1.0
_log = logging.getLogger(__name__)


class NoSuchHouse(BadKey):
    """There is no house here, or the topics are not those of the one that is here. Nothing may be written."""


async def house_at(log: KafkaLog, prefix: str = "") -> HouseCreated:
    """The house under a prefix of topics. Raises `NoSuchHouse`; waits for a broker that does not answer."""
    while True:
        try:
            return await look(log, prefix)
        except LogUnavailable as wrong:
            _log.warning("waiting for the log: %s", wrong)
            await asyncio.sleep(_PAUSE_S)


async def look(log: KafkaLog, prefix: str = "", closed_too: bool = False) -> HouseCreated:
    """Raises `NoSuchHouse`, `LogUnavailable`. `closed_too`: for who only reads; a half one is for nobody."""
    try:
        await log.cluster.join()
    except KafkaError as wrong:
        raise LogUnavailable(type(wrong).__name__) from wrong
    try:
        counts = await _counts(log, prefix)
        created, closed = await house_records(log, prefix) if counts[HOUSES.name] else (None, None)
    except KafkaError as wrong:
        raise LogUnavailable(type(wrong).__name__) from wrong
    finally:
        log.cluster.leave()
    if created is None:
        raise NoSuchHouse(f"{prefix}{HOUSES.name} says of no house with our marks: {_CREATE}")
    if is_half(closed, prefix):
        raise NoSuchHouse(HALF)
    if closed is not None and closed.closed and not closed_too:
        raise NoSuchHouse(f"this house is closed: it is moved to the topics that begin with {closed.to!r}")
    for each in TOPICS:
        if counts[each.name] != (wanted := each.partitions(created.partitions)):
            there = f"has {counts[each.name]} partitions" if counts[each.name] else f"is missing: {_CREATE}"
            raise NoSuchHouse(f"{prefix}{each.name} {there}; in this house it has {wanted}")
    return created


def is_half(closed: HouseClosed | None, prefix: str) -> bool:
    """Whether these topics are being filled, or whoever filled them was ended."""
    return closed is not None and closed.closed and closed.to == prefix


async def house_records(log: Log, prefix: str) -> tuple[HouseCreated | None, HouseClosed | None]:
    """Of those with a true mark the first of the highest incarnation, and the last that says whether it is closed.

    The first one that creates a house opens it: a move ends with it. A later one of a higher incarnation does not: a
    restore writes again what it was, and has closed it before. The second without the first: one is on its way here.
    Raises `LogUnavailable`, `NoSuchHouse`.
    """
    reader = await log.reader(prefix + HOUSES.name, 0)
    created: HouseCreated | None = None
    closed: HouseClosed | None = None
    try:
        position, end = 0, await reader.end()
        while position < end:
            fetched = await reader.read(position, _PAGE, _WAIT_MS)
            for record in fetched.records:
                said = _house_record(record.value or b"")
                if isinstance(said, HouseClosed):
                    closed = said
                elif created is None:
                    created, closed = said, None
                elif said.incarnation > created.incarnation:
                    created = said
            position = fetched.position
        return created, closed
    except msgspec.MsgspecError:
        raise NoSuchHouse(f"the first record of {prefix}{HOUSES.name} can't be read: another version's?") from None
    finally:
        await reader.close()


def _house_record(raw: bytes) -> HouseCreated | HouseClosed:
    try:
        return msgspec.json.decode(raw, type=HouseClosed)
    except msgspec.ValidationError:
        return HouseCreated.decoded(raw)


async def _counts(log: KafkaLog, prefix: str) -> dict[str, int]:
    """Partitions by topic; 0: it is not there."""
    found = dict.fromkeys((each.name for each in TOPICS), 0)
    answer = await log.cluster.anywhere(describe_topics([prefix + name for name in found]))
    for code, name, _, _, partitions, *_ in answer.topics:
        kind = for_code(code)
        if kind is NoError:
            found[name.removeprefix(prefix)] = len(partitions)
        elif kind is not UnknownTopicOrPartitionError:
            raise kind(name)
    return found
