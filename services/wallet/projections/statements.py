"""The statement of a session (pt-811-2015 67): what was bet and won or lost, in all and per table."""

from itertools import groupby
from typing import Any

from libs.contracts.wallet_answers import RoundNotCounted, SessionStatement, StatementPart, StatementTotal
from libs.projecting import Connection
from services.wallet.projections.chart import Book


async def statement(
    connection: Connection, player: str, book: Book = "real", before: int = 2**61, limit: int = 50
) -> list[SessionStatement]:
    """The player's sessions that began before `before` (milliseconds), newest first; no two begin at once.

    Those for real money have no demo amount in them (75), and those for play money no other.
    """
    rows = await connection.fetch(
        """
        with parts as (
            select *, min(started_at) over (partition by session) as begun,
                   coalesce((select sum(f.charged) from session_fees f
                              where (f.table_id, f.reservation) = (s.table_id, s.reservation)), 0) as fees
              from sitting_sessions s where player = $1 and book = $2)
        select table_id as "table", reservation, currency, started_at as start, ended_at as "end", brought, staked, won,
               rake, commission_on_wins, commission, fees, tips, returned, returned - brought - fees as result, hands,
               hands_void, session
          from parts where begun < $3 order by session desc, started_at, table_id
        """,
        *(player, book, before),
    )
    void = await _void_rounds(connection, [(row["table"], row["reservation"]) for row in rows if row["hands_void"]])
    sessions = [
        _session(player, [_part(dict(row), void) for row in group])
        for _, group in groupby(rows, key=lambda row: row["session"])
    ]
    return sessions[:limit]


_Sitting = tuple[str, str]
"""Table and reservation."""


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


def _part(row: dict[str, Any], void: dict[_Sitting, list[RoundNotCounted]]) -> StatementPart:
    row.pop("session")
    return StatementPart(**row, rounds_void=void.get((row["table"], row["reservation"]), []))


def _session(player: str, parts: list[StatementPart]) -> SessionStatement:
    ends = [part.end for part in parts]
    currencies = sorted({part.currency for part in parts})
    return SessionStatement(
        player=player,
        start=min(part.start for part in parts),
        end=None if None in ends else max(end for end in ends if end is not None),
        totals=[_total(currency, [part for part in parts if part.currency == currency]) for currency in currencies],
        parts=parts,
    )


_SUMMED = ("brought", "staked", "won", "rake", "commission_on_wins", "commission", "fees", "tips", "returned", "hands")


def _total(currency: str, parts: list[StatementPart]) -> StatementTotal:
    over = all(part.returned is not None for part in parts)
    sums = {name: sum(getattr(part, name) or 0 for part in parts) for name in _SUMMED}
    result = sums["returned"] - sums["brought"] - sums["fees"] if over else None
    return StatementTotal(currency=currency, result=result, **sums)
