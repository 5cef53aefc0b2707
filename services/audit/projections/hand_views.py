"""What the hand histories answer: a hand, the last one, and a player's hands. Never a card nobody was shown."""

from typing import Any, Literal

from pydantic import BaseModel

from libs.projecting import Connection


class SeatView(BaseModel):
    """One player in the hand; the amounts are None while it runs."""

    seat: int
    player: str
    reservation: str
    stack_before: int
    stack_after: int | None
    staked: int | None
    won: int | None
    rake: int | None
    refunded: int | None
    cards: list[str]
    """Empty unless shown."""
    category: str | None


class ActionView(BaseModel):
    version: int
    at: int
    street: str
    seat: int
    player: str
    action: str
    actor: str
    reason: str | None
    amount: int
    total: int
    stack: int | None
    all_in: bool


class PaymentView(BaseModel):
    seat: int
    player: str
    gross: int
    rake: int
    net: int


class PotView(BaseModel):
    pot: str
    amount: int
    eligible: list[int]
    winners: list[int]
    rake: int
    basis: str
    payments: list[PaymentView]


class ProvenCard(BaseModel):
    """A shown card and what ties it to `deck_root`."""

    position: int
    card: str
    seat: int | None
    street: str | None
    salt: str
    proof: list[str]


class HandView(BaseModel):
    """A hand as recorded. `replay` marks it as a recall: nothing here is being played (GAM-13)."""

    replay: Literal[True] = True
    table: str
    hand: int
    table_name: str | None
    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: str
    button: int
    small_blind: int
    big_blind: int
    deck_root: str
    outcome: str
    started_at: int
    ended_at: int | None
    rake: int
    exemption: str | None
    void_cause: str | None
    void_by: str | None
    burned: list[int]
    board: list[str]
    seats: list[SeatView]
    actions: list[ActionView]
    pots: list[PotView]
    cards: list[ProvenCard]


class HandLine(BaseModel):
    """One line of a player's list."""

    table: str
    hand: int
    seat: int
    currency: str
    outcome: str
    started_at: int
    ended_at: int | None
    stack_before: int
    stack_after: int | None
    staked: int | None
    won: int | None
    rake: int | None


async def hand_of(connection: Connection, table: str, hand: int) -> HandView | None:
    """The hand with this number at this table, also a running one as far as it has come."""
    head = await connection.fetchrow(
        """select hands.*, played_tables.name as table_name from hands left join played_tables using (table_id)
           where table_id = $1 and hand = $2""",
        *(table, hand),
    )
    if head is None:
        return None
    cards = await _rows(connection, "hand_cards", "position", table, hand)
    seats = await _rows(connection, "hand_seats", "seat", table, hand)
    payments = await _rows(connection, "hand_payments", "pot, seat", table, hand)
    pots = await _rows(connection, "hand_pots", "version", table, hand)
    return HandView(
        table=table,
        **{name: head[name] for name in _HEAD},
        board=[card["card"] for card in cards if card["seat"] is None],
        seats=[SeatView(**seat, cards=[c["card"] for c in cards if c["seat"] == seat["seat"]]) for seat in seats],
        actions=[ActionView(**action) for action in await connection.fetch(_ACTIONS, table, hand)],
        pots=[PotView(**pot, payments=[PaymentView(**p) for p in payments if p["pot"] == pot["pot"]]) for pot in pots],
        cards=[ProvenCard(**card) for card in cards],
    )


async def last_hand(connection: Connection, table: str, player: str | None = None) -> HandView | None:
    """The last hand that is over, at this table (pt-811-2015 65); with `player`, the last that they were dealt into."""
    number = await connection.fetchval(
        """select max(hand) from hands where table_id = $1 and outcome <> 'running' and ($2::text is null or exists
           (select 1 from hand_seats s where s.table_id = $1 and s.hand = hands.hand and s.player = $2))""",
        *(table, player),
    )
    return None if number is None else await hand_of(connection, table, number)


async def hands_of_player(connection: Connection, player: str, before: int, limit: int) -> list[HandLine]:
    """Newest first, those that started before `before` (milliseconds)."""
    rows = await connection.fetch(
        """select table_id as table, hand, seat, currency, outcome, started_at, ended_at, stack_before, stack_after,
                  staked, won, s.rake
           from hand_seats s join hands using (table_id, hand)
           where player = $1 and started_at < $2 order by started_at desc, table_id limit $3""",
        *(player, before, limit),
    )
    return [HandLine(**row) for row in rows]


async def _rows(connection: Connection, name: str, order: str, table: str, hand: int) -> list[dict[str, Any]]:
    query = f"select * from {name} where table_id = $1 and hand = $2 order by {order}"
    return [dict(row) for row in await connection.fetch(query, table, hand)]


_ACTIONS = """
    select a.*, coalesce((select c.street from hand_cards c
                          where c.table_id = a.table_id and c.hand = a.hand and c.seat is null and c.version < a.version
                          order by c.version desc limit 1), 'preflop') as street
    from hand_actions a where table_id = $1 and hand = $2 order by version
"""
_HEAD = tuple(
    name
    for name in HandView.model_fields
    if name not in ("replay", "table", "board", "seats", "actions", "pots", "cards")
)
