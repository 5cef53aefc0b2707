"""The statement of a session (pt-811-2015 67): what was bet and won or lost, in all and per table."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from libs.contracts.wallet_answers import RoundNotCounted, SessionStatement, StatementPart, StatementTotal
from libs.projecting import Connection
from services.wallet.projections.chart import Book

_Sitting = tuple[str, str]
"""Table and reservation."""
Row = Mapping[str, Any]
"""A sitting: the columns of `_COLUMNS`."""
_COLUMNS = """table_id as "table", reservation, currency, started_at as start, ended_at as "end", brought, staked, won,
              rake, commission_on_wins, commission, tips, returned, hands, hands_void"""
_OF = f"select {_COLUMNS} from sittings where player = $1 and book = $2"
_FOR_EVER = 2**63 - 1
_A_SESSION = 4
"""Sittings that a session has, as a guess: what is read at once."""


async def statement(
    connection: Connection, player: str, book: Book = "real", before: int = 2**61, limit: int = 50
) -> list[SessionStatement]:
    """The player's sessions that began before `before` (milliseconds), newest first; no two begin at once.

    Those for real money have no demo amount in them (75), and those for play money no other. It reads as much of what
    the player ever played as it shows.
    """
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        found = await _sessions(connection, player, book, before, limit)
        keys = [(row["table"], row["reservation"]) for rows in found for row in rows]
        void = await _void_rounds(
            connection, [(r["table"], r["reservation"]) for rs in found for r in rs if r["hands_void"]]
        )
        fees = await _fees(connection, keys)
    return [statement_of(player, rows, fees, void) for rows in found]


async def _sessions(connection: Connection, player: str, book: Book, before: int, limit: int) -> list[list[Row]]:
    """Sittings from `before` down, in pieces, until so many sessions are whole."""
    size = _A_SESSION * limit
    while True:
        rows = await connection.fetch(
            f"{_OF} and started_at < $3 order by started_at desc limit $4", player, book, before, size
        )
        whole = len(rows) < size
        if not whole:  # what began at the lowest of these or before it, and reaches beyond
            over = f"{_OF} and coalesce(ended_at, {_FOR_EVER}) >= $3 and started_at <= $3"
            rows += await connection.fetch(over, player, book, rows[-1]["start"])
        if rows:
            rows += await _reached(connection, player, book, before, rows)
        sessions = [each for each in sessions_of(rows) if each[0]["start"] < before]
        if not whole:  # of the lowest one it is not known where it begins
            sessions = [each for each in sessions if each[0]["start"] > rows[size - 1]["start"]]
        if whole or len(sessions) >= limit:
            return sessions[-limit:][::-1]
        size *= 4


async def archived(connection: Connection, player: str, book: Book, before: int) -> str | None:
    """The latest month (`2024-10`) in the archive in which the player had a sitting that began before `before`."""
    month: str | None = await connection.fetchval(
        "select max(month) from archived_sittings where player = $1 and book = $2 and begun < $3", player, book, before
    )
    return month


async def _reached(connection: Connection, player: str, book: Book, before: int, rows: Sequence[Row]) -> list[Row]:
    """Sittings from `before` on that belong to a session that began before it."""
    found: list[Row] = []
    reach, at = max(_end(row) for row in rows), before
    while reach >= at:
        more = await connection.fetch(f"{_OF} and started_at between $3 and $4", player, book, at, reach)
        found += more
        reach, at = max((reach, *(_end(row) for row in more))), reach + 1
    return found


def sessions_of(rows: Iterable[Row]) -> list[list[Row]]:
    """Sessions: uninterrupted time with at least one table (2.s), from the event times alone. Oldest first."""
    distinct = {(row["table"], row["reservation"]): row for row in rows if row["start"] is not None}
    sessions: list[list[Row]] = []
    reach = -1
    for row in sorted(distinct.values(), key=lambda each: (each["start"], each["table"], each["reservation"])):
        if row["start"] > reach:
            sessions.append([])
        sessions[-1].append(row)
        reach = max(reach, _end(row))
    return sessions


def _end(row: Row) -> int:
    return _FOR_EVER if row["end"] is None else int(row["end"])


async def _fees(connection: Connection, sittings: list[_Sitting]) -> dict[_Sitting, int]:
    rows = await connection.fetch(
        """
        select table_id, reservation, sum(charged) as charged from session_fees
          join unnest($1::text[], $2::text[]) as wanted (table_id, reservation) using (table_id, reservation)
         where charged is not null group by 1, 2
        """,
        [table for table, _ in sittings],
        [reservation for _, reservation in sittings],
    )
    return {(row["table_id"], row["reservation"]): int(row["charged"]) for row in rows}


async def _void_rounds(connection: Connection, sittings: list[_Sitting]) -> dict[_Sitting, list[RoundNotCounted]]:
    found: dict[_Sitting, list[RoundNotCounted]] = {}
    if not sittings:
        return found
    rows = await connection.fetch(
        """
        select v.* from void_rounds v
          join unnest($1::text[], $2::text[]) as wanted (table_id, reservation) using (table_id, reservation)
         order by table_id, reservation, round
        """,
        [table for table, _ in sittings],
        [reservation for _, reservation in sittings],
    )
    for row in rows:
        void = RoundNotCounted(round=row["round"], staked=row["refunded"], refunded=row["refunded"], at=row["at"])
        found.setdefault((row["table_id"], row["reservation"]), []).append(void)
    return found


def statement_of(
    player: str, rows: Sequence[Row], fees: Mapping[_Sitting, int], void: Mapping[_Sitting, list[RoundNotCounted]]
) -> SessionStatement:
    """Of one session's sittings."""
    parts = [_part(row, fees, void) for row in rows]
    ends = [part.end for part in parts]
    currencies = sorted({part.currency for part in parts})
    return SessionStatement(
        player=player,
        start=min(part.start for part in parts),
        end=None if None in ends else max(end for end in ends if end is not None),
        totals=[_total(currency, [part for part in parts if part.currency == currency]) for currency in currencies],
        parts=parts,
    )


def _part(row: Row, fees: Mapping[_Sitting, int], void: Mapping[_Sitting, list[RoundNotCounted]]) -> StatementPart:
    key = row["table"], row["reservation"]
    charged = fees.get(key, 0)
    result = None if row["returned"] is None else row["returned"] - row["brought"] - charged
    return StatementPart(**dict(row), fees=charged, result=result, rounds_void=void.get(key, []))


_SUMMED = ("brought", "staked", "won", "rake", "commission_on_wins", "commission", "fees", "tips", "returned", "hands")


def _total(currency: str, parts: list[StatementPart]) -> StatementTotal:
    over = all(part.returned is not None for part in parts)
    sums = {name: sum(getattr(part, name) or 0 for part in parts) for name in _SUMMED}
    result = sums["returned"] - sums["brought"] - sums["fees"] if over else None
    return StatementTotal(currency=currency, result=result, **sums)
