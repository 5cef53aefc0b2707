"""What the round histories answer: a round, the last one, a player's rounds. Never a card nobody was shown."""

import json
from typing import Any, Literal

from pydantic import BaseModel

from libs.projecting import Connection


class RoundBet(BaseModel):
    area: str
    staked: int
    credited: int
    commission: int


class RoundSeat(BaseModel):
    """One player in the round; the amounts are None while it runs. `details` is what only this game tells."""

    seat: int
    player: str
    reservation: str
    staked: int | None
    credited: int | None
    commission: int | None
    net: int | None
    refunded: int | None
    stack_after: int | None
    details: dict[str, Any] | None
    bets: list[RoundBet]


class RoundAction(BaseModel):
    version: int
    at: int
    seat: int
    player: str
    action: str
    actor: str
    cause: str | None
    area: str | None
    amount: int
    total: int
    stack: int | None


class RoundCard(BaseModel):
    """With it anybody can check the root: `verify_card` of libs/sealing/merkle.py."""

    position: int
    card: str
    owner: str
    place: str
    salt: str
    proof: list[str]


class RoundView(BaseModel):
    """A recorded round. `replay` marks it as one (pt-803-2015-no-draw 37)."""

    replay: Literal[True] = True
    table: str
    round: int
    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: str
    deck_root: str | None
    shoe: int | None
    outcome: str
    started_at: int
    ended_at: int | None
    house: int | None
    bank: int | None
    void_cause: str | None
    void_by: str | None
    details: dict[str, Any] | None
    seats: list[RoundSeat]
    actions: list[RoundAction]
    cards: list[RoundCard]


class RoundLine(BaseModel):
    """One round of a player, for a list."""

    table: str
    round: int
    seat: int
    currency: str
    outcome: str
    started_at: int
    ended_at: int | None
    staked: int | None
    credited: int | None
    net: int | None
    refunded: int | None


async def round_of(connection: Connection, table: str, number: int) -> RoundView | None:
    """The round with this number at this table, also a running one as far as it has come."""
    head = await connection.fetchrow(
        """select r.*, coalesce(r.deck_root, s.deck_root) as root from rounds r
             left join shoes s on s.table_id = r.table_id and s.shoe = r.shoe
            where r.table_id = $1 and r.round = $2""",
        *(table, number),
    )
    if head is None:
        return None
    seats = await _rows(connection, "round_seats", "seat", table, number)
    bets = await _rows(connection, "round_bets", "seat, area", table, number)
    actions = await _rows(connection, "round_actions", "version", table, number)
    cards = await _rows(connection, "round_cards", "version, position", table, number)
    columns = dict(head)
    shown = {name: columns[name] for name in RoundView.model_fields if name in columns and name not in _APART}
    return RoundView(
        table=table,
        deck_root=head["root"],
        details=_document(head["details"]),
        **shown,
        seats=[_seat(seat, bets) for seat in seats],
        actions=[RoundAction(**action) for action in actions],
        cards=[RoundCard(**card) for card in cards],
    )


async def last_round(connection: Connection, table: str, player: str | None = None) -> RoundView | None:
    """The last round that is over, at this table; with `player`, the last that they had a stake in."""
    number = await connection.fetchval(
        """select max(round) from rounds where table_id = $1 and outcome in ('settled', 'void') and ($2::text is null
           or exists (select 1 from round_seats s where s.table_id = $1 and s.round = rounds.round and s.player = $2
                      and s.stack_after is not null))""",
        *(table, player),
    )
    return None if number is None else await round_of(connection, table, number)


async def rounds_of_player(connection: Connection, player: str, before: int, limit: int) -> list[RoundLine]:
    """Newest first, those that started before `before` (milliseconds)."""
    rows = await connection.fetch(
        """select table_id as table, round, seat, currency, outcome, started_at, ended_at, staked, credited, net,
                  refunded
             from round_seats s join rounds using (table_id, round)
            where player = $1 and started_at < $2 order by started_at desc, table_id limit $3""",
        *(player, before, limit),
    )
    return [RoundLine(**row) for row in rows]


_APART = ("table", "deck_root", "details")


def _seat(row: dict[str, Any], bets: list[dict[str, Any]]) -> RoundSeat:
    of_seat = [RoundBet(**bet) for bet in bets if bet["seat"] == row["seat"]]
    return RoundSeat(**(row | {"details": _document(row["details"])}), bets=of_seat)


def _document(stored: str | None) -> dict[str, Any] | None:
    return None if stored is None else dict(json.loads(stored))


async def _rows(connection: Connection, name: str, order: str, table: str, number: int) -> list[dict[str, Any]]:
    query = f"select * from {name} where table_id = $1 and round = $2 order by {order}"
    return [dict(row) for row in await connection.fetch(query, table, number)]
