"""What a manifest has to say: judged from the valid commits, not from what its writer believed."""

from collections.abc import Iterable

from libs.journal.log import LogRecord
from libs.journal.manifests import Sets


def left_out(snapshots: Iterable[LogRecord], journal_name: str, valid: Iterable[tuple[int, str]]) -> list[str]:
    """Streams with a commit below a manifest's mark that it does not say to be in a snapshot; `valid`: (offset, stream)
    of every valid commit."""
    sets = Sets(journal_name)
    for record in snapshots:
        sets.take(record)
    found: list[str] = []
    for head in sets.whole():
        said: dict[str, int] = {}
        for _, some in sets.marks(head):
            said |= {stream: max(last, said.get(stream, -1)) for stream, last in some.items()}
        found += [stream for offset, stream in valid if offset < head.low and said.get(stream, -1) < offset]
    return found
