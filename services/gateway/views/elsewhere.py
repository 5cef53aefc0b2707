"""Tables of other floors, as far as the lobby shows them: rows that their gateways tell."""

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass, field

import msgspec


class Row(msgspec.Struct, frozen=True, array_like=True):
    """One table in the lobby as of a version of it: JSON, as it is listed."""

    version: int
    row: bytes


class _Seats(msgspec.Struct):
    seats_taken: int


@dataclass(slots=True)
class Elsewhere:
    """Rows by table. Those of the own floor are told, too, by other gateways that serve it; they are not listed."""

    heard: dict[str, Row] = field(default_factory=dict)
    listed: list[str] = field(default_factory=list)
    """Tables of other floors that are not closed, by name."""

    def hear(self, table: str, told: Row | None, own: bool) -> None:
        """None: it is closed. What is older than what is known is passed over."""
        known = self.heard.get(table)
        if told is None:
            self.heard.pop(table, None)
        elif known is None or told.version >= known.version:
            self.heard[table] = told
        if own:
            return
        if known is None and told is not None:
            insort(self.listed, table)
        elif known is not None and told is None:
            del self.listed[bisect_left(self.listed, table)]

    def seats_taken(self, table: str) -> int | None:
        """None: there is no such table, or it is closed."""
        known = self.heard.get(table)
        return msgspec.json.decode(known.row, type=_Seats).seats_taken if known is not None else None

    def listed_after(self, table: str, limit: int) -> list[tuple[str, bytes]]:
        """Table and row of those of other floors, by name."""
        first = bisect_right(self.listed, table)
        return [(each, self.heard[each].row) for each in self.listed[first : first + limit]]
