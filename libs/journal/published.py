"""What a partition has published: a journal that says less is not the one from which that was."""

from typing import NamedTuple

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.journal.fold import AnyFold
from libs.journal.log import Log, LogRewritten, OffsetOutOfRange, Reader

_PAGE = 1_000
"""So far back from the end is looked; further where none of ours lies there."""
_WAIT_MS = 100


class Newest(NamedTuple):
    """The highest version of a stream that was published, and where that stands."""

    version: int
    topic: str
    partition: int
    offset: int


async def published(log: Log, topic: str, partition: int) -> dict[str, Newest]:
    """Version of every stream that the newest events tell of. Raises `LogRewritten` where all of them were deleted."""
    reader = await log.reader(topic, partition)
    try:
        beginning, end = await reader.beginning(), await reader.end()
        before, back = end, _PAGE
        while before > beginning:
            start = max(beginning, end - back)
            if found := await _versions(reader, (topic, partition), start, before):
                return found
            before, back = start, 2 * back
    except OffsetOutOfRange:
        raise LogRewritten("public events were deleted while they were read") from None
    finally:
        await reader.close()
    if beginning > 0:
        raise LogRewritten("the public events, which are kept for ever, were deleted")
    return {}


def check_published(versions: dict[str, Newest], fold: AnyFold) -> None:
    """The journal has been read to its end, which was learnt after `versions`. Raises `LogRewritten`."""
    for stream, (version, topic, partition, offset) in versions.items():
        if (has := fold.head(stream).version) < version:
            raise LogRewritten(
                f"of {stream} version {version} was published, and the journal holds version {has} only. If the "
                "journal is whole and that record a forgery (docs/sre.md, publication_differs): croupier disown "
                f"--topic {topic} --partition {partition} --offset {offset}"
            )


async def _versions(reader: Reader, place: tuple[str, int], start: int, before: int) -> dict[str, Newest]:
    found: dict[str, Newest] = {}
    while start < before:
        fetched = await reader.read(start, _PAGE, _WAIT_MS)
        for record in fetched.records:
            try:
                event = from_record(record.key, record.value, record.headers)
            except NotAPublicEvent:
                continue
            newest = Newest(event.version, *place, record.offset)
            found[event.stream] = max(newest, found.get(event.stream, newest))
        start = fetched.position
    return found
