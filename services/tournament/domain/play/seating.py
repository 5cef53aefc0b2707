"""Who sits where: start draw, late entries, balancing, broken and final tables (pt-810-2015 39, 47, 48, FP-7).

What is drawn is drawn with the lots that are given; where there is no choice there is no draw.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from libs.sealing.lots import Lots


class Seated(msgspec.Struct, frozen=True):
    """One table: entry by seat, and where the button of its last hand stood; 0 before the first hand."""

    entries: Mapping[int, str] = {}
    button: int = 0

    @property
    def size(self) -> int:
        return len(self.entries)


Floor = Mapping[int, Seated]
"""By the number of the table."""


class Place(NamedTuple):
    table: int
    seat: int


class Move(NamedTuple):
    """An entry changes table, or at the final table its seat."""

    entry: str
    source: Place
    to: Place


class Positions(NamedTuple):
    """Heads-up the button posts the small blind (pt-811-2015 48)."""

    button: int
    small_blind: int
    big_blind: int


def start_draw(entries: Sequence[str], seats: int, lots: Lots) -> dict[str, Place]:
    """Table and seat of everybody; tables from 1 on with `seats` seats each (39, 47)."""
    order, places = iter(lots.order(entries)), {}
    for table, size in enumerate(table_sizes(len(entries), seats), start=1):
        for seat in lots.order(range(1, seats + 1))[:size]:
            places[next(order)] = Place(table, seat)
    return places


def table_sizes(players: int, seats: int) -> list[int]:
    """As few tables as hold everybody, as equal as possible, the larger ones first (39)."""
    tables = _tables_for(players, seats)
    return [players // tables + (table < players % tables) for table in range(tables)] if tables else []


def late_place(floor: Floor, seats: int, lots: Lots) -> Place:
    """At one of the smallest tables; at a new one where all are full (FP-10)."""
    smallest = [table for table in _smallest(floor) if floor[table].size < seats]
    table = _drawn(smallest, lots) if smallest else max(floor, default=0) + 1
    return _seat_at(floor, table, seats, lots)


def positions(occupied: Iterable[int], button: int) -> Positions:
    """Of the next hand, after one with the button on this seat. At least two seats."""
    around = _clockwise(occupied, button)
    if len(around) == 2:
        return Positions(around[0], around[0], around[1])
    return Positions(around[0], around[1], around[2])


def hands_to_big_blind(occupied: Iterable[int], button: int, seat: int) -> int:
    """How many begin before that in which this seat posts it; the last one had the button on `button`."""
    around = _clockwise(occupied, button)
    return (around.index(seat) - min(2, len(around) - 1)) % len(around)


def surplus_tables(floor: Floor, seats: int) -> list[int]:
    """All that are to be broken once the others hold everybody, the highest-numbered first: of a large field several at
    a time (FP-7)."""
    needed = _tables_for(sum(table.size for table in floor.values()), seats)
    return sorted(floor, reverse=True)[: max(0, len(floor) - needed)] if needed else []


def needs_balance(floor: Floor) -> bool:
    """Whether two tables differ by two or more."""
    sizes = [table.size for table in floor.values()]
    return bool(sizes) and max(sizes) - min(sizes) > 1


def source_table(floor: Floor, lots: Lots) -> int:
    """Which table gives a player: the largest, by lot among several (FP-7)."""
    most = max(table.size for table in floor.values())
    return _drawn(sorted(table for table in floor if floor[table].size == most), lots)


def balancing_move(floor: Floor, source: int, seats: int, lots: Lots) -> Move:
    """Who would be the next big blind of the source goes to the smallest table, to a seat by lot (48, FP-7)."""
    table = floor[source]
    seat = positions(table.entries, table.button).big_blind
    return _move(floor, Place(source, seat), seats, lots)


def break_up(floor: Floor, broken: int, seats: int, lots: Lots) -> list[Move]:
    """The players of the broken table in seat order, each to the smallest of the others (FP-7)."""
    moves: list[Move] = []
    for seat in sorted(floor[broken].entries):
        move = _move(floor, Place(broken, seat), seats, lots)
        floor = moved(floor, move)
        moves.append(move)
    return moves


def final_table(floor: Floor, seats: int, lots: Lots) -> list[Move]:
    """All seats are drawn anew, in the order of tables and seats (FP-7). The table draws its button anew."""
    sitting = [Place(table, seat) for table in sorted(floor) for seat in sorted(floor[table].entries)]
    drawn = lots.order(range(1, seats + 1))
    return [
        Move(floor[place.table].entries[place.seat], place, Place(min(floor), seat))
        for place, seat in zip(sitting, drawn, strict=False)
    ]


def move_to(floor: Floor, source: Place, table: int, seats: int, lots: Lots) -> Move:
    """To a free seat at the table that somebody else has chosen: with as many hands to the next big blind, or the next
    fewer that there are, else the fewest; by lot among several. So nobody moves past a blind."""
    old, new = floor[source.table], floor[table]
    before = hands_to_big_blind(old.entries, old.button, source.seat)
    far = {seat: hands_to_big_blind({*new.entries, seat}, new.button, seat) for seat in free_seats(new, seats)}
    wanted = max((hands for hands in far.values() if hands <= before), default=min(far.values()))
    seat = _drawn([seat for seat, hands in far.items() if hands == wanted], lots)
    return Move(old.entries[source.seat], source, Place(table, seat))


def moved(floor: Floor, move: Move) -> Floor:
    """The floor after one move; a table that nobody is left at is gone."""
    left = {seat: entry for seat, entry in floor[move.source.table].entries.items() if seat != move.source.seat}
    after = {**floor, move.source.table: msgspec.structs.replace(floor[move.source.table], entries=left)}
    at = after.get(move.to.table, Seated())
    after[move.to.table] = msgspec.structs.replace(at, entries={**at.entries, move.to.seat: move.entry})
    return {number: table for number, table in after.items() if table.entries}


def free_seats(table: Seated, seats: int) -> list[int]:
    return [seat for seat in range(1, seats + 1) if seat not in table.entries]


def _move(floor: Floor, source: Place, seats: int, lots: Lots) -> Move:
    others = {number: table for number, table in floor.items() if number != source.table}
    to = _drawn(_smallest(others), lots)
    return Move(floor[source.table].entries[source.seat], source, _seat_at(others, to, seats, lots))


def _seat_at(floor: Floor, table: int, seats: int, lots: Lots) -> Place:
    return Place(table, _drawn(free_seats(floor.get(table, Seated()), seats), lots))


def _smallest(floor: Floor) -> list[int]:
    least = min((table.size for table in floor.values()), default=0)
    return sorted(number for number, table in floor.items() if table.size == least)


def _drawn(among: Sequence[int], lots: Lots) -> int:
    return among[0] if len(among) == 1 else lots.one_of(among)


def _clockwise(seats: Iterable[int], button: int) -> list[int]:
    ordered = sorted(seats)
    return [seat for seat in ordered if seat > button] + [seat for seat in ordered if seat <= button]


def _tables_for(players: int, seats: int) -> int:
    return -(-players // seats)
