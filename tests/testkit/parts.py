"""What has to lie in a snapshots topic, whatever was written and taken away there."""

from collections import Counter
from collections.abc import Collection, Iterable

import msgspec

from libs.journal.log import LogRecord
from libs.journal.manifests import Sets
from libs.journal.parts import KEY, Part, stream_in
from libs.journal.shelf import Shelf, stream_key

_OF_ALL = 7
"""Whole sets that may lie there of one stream: the last one, and those of owners that died or came late. Each leaves
one, of which those beside it know nothing; the next that begins takes them away. Seed 13124 has seven of them."""
_OF_ONE = 3
"""Of one run: the last one, the one that takes its place, and one of a round that was given up."""


def lost(
    snapshots: Iterable[LogRecord], journal_name: str, shelf: Shelf, forged: Collection[bytes | None]
) -> list[str]:
    """Streams of which a snapshot was acknowledged, for a manifest names them, and none is to be had; but those of
    whose keys a true record may have been compacted away behind a forged one. `shelf`: what a reader has found."""
    sets = Sets(journal_name)
    for record in snapshots:
        sets.take(record)
    struck = {stream_in(key) for key in forged if key and key.startswith(KEY)}
    return sorted(
        stream
        for head in sets.whole()
        for _, some in sets.marks(head)
        for stream in some
        if shelf.place(stream) is None and stream not in struck and stream_key(stream) not in forged
    )


def too_many(snapshots: Iterable[LogRecord]) -> list[str]:
    """Streams of which more whole sets of parts lie there than may, of all owners together or of one run."""
    held: dict[tuple[str, str], tuple[int, set[bytes]]] = {}
    for record in snapshots:
        key = record.key or b""
        if key.startswith(KEY) and record.value:
            part = msgspec.msgpack.decode(record.value[1:], type=Part)
            held.setdefault((part.stream, part.of), (part.count, set()))[1].add(key)
        elif key.startswith(KEY):
            of = key.split(b"/")[-2].decode()
            held.get((stream_in(key), of), (0, set[bytes]()))[1].discard(key)
    whole = [name for name, (count, keys) in held.items() if len(keys) == count]
    of_all = Counter(stream for stream, _ in whole)
    of_one = Counter((stream, of.rpartition(".")[0]) for stream, of in whole)
    return sorted(
        {stream for stream, count in of_all.items() if count > _OF_ALL}
        | {stream for (stream, _), count in of_one.items() if count > _OF_ONE}
    )
