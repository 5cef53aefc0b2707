"""Which public events somebody waits for: a batch that has none of them is not decoded, nor its marks looked at.

Who hears of few types passes over nearly all that it reads (docs/years.md, A9). What is passed over is believed by
nobody, so no mark has to prove it (journal 22); the auditor reads everything and tells what is foreign.
"""

import re
from collections.abc import Iterable

_TYPED = b"ce_type"


class Interest:
    """`names`: of event types, as they are on the wire."""

    __slots__ = ("_any",)

    def __init__(self, names: Iterable[str]) -> None:
        self._any = re.compile(b"|".join(re.escape(name.encode()) for name in sorted(names)))

    def may_be_in(self, raw: bytes, start: int, end: int, records: int) -> bool:
        """Whether this uncompressed batch of so many records may hold one: its type stands there in clear. So may one
        in which a record names no type, which is no event."""
        return self._any.search(raw, start, end) is not None or raw.count(_TYPED, start, end) < records
