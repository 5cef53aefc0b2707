"""In which order a reader takes a stream's events: the next version, once, and nothing else (journal 20)."""

from enum import Enum


class Accepted(Enum):
    YES = "yes"
    SEEN = "seen"
    """Folded before: passed over."""
    GAP = "gap"
    """An event before it is missing: nobody guesses what it said."""


def accepts(last: int, version: int) -> Accepted:
    """Whether an event of that version is the next one after `last`, the version folded before; 0 before the first."""
    if version <= last:
        return Accepted.SEEN
    return Accepted.YES if version == last + 1 else Accepted.GAP
