"""The statement of a session (pt-811-2015 67): what was bet and won or lost, in all and per table."""

from itertools import groupby

from libs.contracts.messages import Message
from libs.projecting import Connection


class StatementPart(Message):
    """One sitting. Minor units; times in milliseconds since the epoch, `end` None while it lasts."""

    table: str
    reservation: str
    currency: str
    start: int
    end: int | None
    brought: int
    staked: int
    won: int
    rake: int
    commission: int
    returned: int | None
    result: int | None
    """What left the table less what was brought, so commission of either mode is inside it; None while it lasts."""
    hands: int
    hands_void: int


class StatementTotal(Message):
    """All parts in one currency."""

    currency: str
    brought: int
    staked: int
    won: int
    rake: int
    commission: int
    returned: int
    result: int | None
    hands: int


class SessionStatement(Message):
    """One session: from the first table opened to the last one left, without a gap (2.s)."""

    player: str
    start: int
    end: int | None
    totals: list[StatementTotal]
    parts: list[StatementPart]


async def statement(connection: Connection, player: str, limit: int = 50) -> list[SessionStatement]:
    """The player's latest sessions for real money, newest first. No demo amount is in them (75)."""
    rows = await connection.fetch(
        """
        select table_id as "table", reservation, currency, started_at as start, ended_at as "end", brought, staked, won,
               rake, commission, returned, returned - brought as result, hands, hands_void, session
          from sitting_sessions where player = $1 and book = 'real' order by session desc, started_at, table_id
        """,
        player,
    )
    sessions = [
        _session(player, [StatementPart(**{k: v for k, v in row.items() if k != "session"}) for row in group])
        for _, group in groupby(rows, key=lambda row: row["session"])
    ]
    return sessions[:limit]


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


def _total(currency: str, parts: list[StatementPart]) -> StatementTotal:
    over = all(part.returned is not None for part in parts)
    returned = sum(part.returned or 0 for part in parts)
    brought = sum(part.brought for part in parts)
    return StatementTotal(
        currency=currency,
        brought=brought,
        staked=sum(part.staked for part in parts),
        won=sum(part.won for part in parts),
        rake=sum(part.rake for part in parts),
        commission=sum(part.commission for part in parts),
        returned=returned,
        result=returned - brought if over else None,
        hands=sum(part.hands for part in parts),
    )
