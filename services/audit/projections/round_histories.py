"""Histories of games against the house: every round as its public events tell it, row by row.

pt-803-2015-no-draw 33, 37; pt-812-2015-baccarat 29, 31, FP-1. Only shown cards are ever written.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import cache
from typing import Any

from libs.contracts import baccarat_events as b
from libs.contracts import banked_rounds as h
from libs.contracts import no_draw_poker_events as n
from libs.contracts.facts import Fact, plain
from libs.contracts.messages import PublicEvent
from libs.contracts.table_events import DeckCard
from libs.projecting import Connection, Told
from services.audit.projections.writing import Row, write_rows

ROUND_TABLES = ("shoes", "rounds", "round_seats", "round_bets", "round_actions", "round_cards")
"""What a rebuild compares, row by row."""


class Write(Enum):
    """The statements, in the order in which a batch runs them. Each leaves the same rows when it runs twice."""

    SHOE = "insert into shoes values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing"
    ROUND = """insert into rounds (table_id, round, rulebook, rulebook_hash, configuration_version, currency, kind,
                                   shoe, started_at, started_version)
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing"""
    DEALT = "update rounds set deck_root = $3, burned = $4 where table_id = $1 and round = $2"
    SEAT = """insert into round_seats (table_id, round, seat, player, reservation)
              values ($1, $2, $3, $4, $5)
              on conflict (table_id, round, seat) do update set player = $4, reservation = $5"""
    # Who took every stake back may go while bets are open; what lies there then is the next sitter's.
    POSITIONS = "update round_seats set positions = $4 where table_id = $1 and round = $2 and seat = $3"
    ACTION = """insert into round_actions values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
                on conflict do nothing"""
    CARD = "insert into round_cards values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing"
    SETTLED = """update rounds set outcome = 'settled', ended_at = $3, ended_version = $4, house = $5, bank = $6,
                                   details = $7
                 where table_id = $1 and round = $2"""
    RESULT = """update round_seats set staked = $4, credited = $5, commission = $6, net = $7, stack_after = $8,
                                       details = $9
                where table_id = $1 and round = $2 and seat = $3"""
    BET = "insert into round_bets values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing"
    VOIDED = """update rounds set outcome = 'void', ended_at = $3, ended_version = $4, void_cause = $5, void_by = $6
                where table_id = $1 and round = $2"""
    REFUND = """update round_seats set staked = 0, credited = 0, net = 0, refunded = $4, stack_after = $5
                where table_id = $1 and round = $2 and seat = $3"""
    LAPSED = """update rounds set outcome = 'lapsed', ended_at = $3, ended_version = $4
                where table_id = $1 and round = $2"""


Rows = Iterator[tuple[Write, Row]]


class RoundHistories:
    """The projection. It keeps nothing between batches."""

    name = "round_histories"

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        rows = (row for event, fact in facts for row in rows_of(event, fact))
        await write_rows(connection, Write, rows)


def rows_of(event: PublicEvent, fact: Fact) -> Rows:
    """What this event adds to the histories."""
    rows = _rows_for(type(fact))
    return rows(event, fact) if rows else iter(())


@cache
def _rows_for(event: type[Fact]) -> Callable[[PublicEvent, Any], Rows] | None:
    """The event's own rows, or those of what it derives from."""
    return next((_ROWS[each] for each in event.__mro__ if each in _ROWS), None)


def _shoe(event: PublicEvent, fact: b.ShoeStarted) -> Rows:
    what = (fact.shoe, fact.decks, fact.cards, fact.cut, fact.burned, fact.deck_root)
    yield Write.SHOE, (fact.table, *what, event.time, event.version)


def _opened(event: PublicEvent, fact: h.BankedRoundOpened) -> Rows:
    what = (fact.rulebook, fact.rulebook_hash, fact.configuration_version, fact.currency, fact.kind)
    shoe = fact.shoe if isinstance(fact, b.CoupOpened) else None
    yield Write.ROUND, (fact.table, fact.round, *what, shoe, event.time, event.version)


def _placed(event: PublicEvent, fact: h.BankedStakePlaced) -> Rows:
    yield Write.SEAT, (fact.table, fact.round, fact.seat, fact.player, fact.reservation)
    action = "continue" if isinstance(fact, n.SecondBetPlaced) else "stake"
    yield _action(event, fact, action, "player", None, fact.area, fact.amount, fact.total, fact.stack)


def _withdrawn(event: PublicEvent, fact: h.BankedStakeWithdrawn) -> Rows:
    yield _action(event, fact, "withdraw", "player", None, fact.area, fact.amount, fact.total, fact.stack)


def _surrendered(event: PublicEvent, fact: n.HandSurrendered) -> Rows:
    yield _action(event, fact, "fold", fact.actor, fact.cause, None, 0, 0, None)


def _action(event: PublicEvent, fact: Any, *row: Any) -> tuple[Write, Row]:
    return Write.ACTION, (fact.table, event.version, fact.round, event.time, fact.seat, fact.player, *row)


def _dealt(event: PublicEvent, fact: n.RoundDealt) -> Rows:
    yield Write.DEALT, (fact.table, fact.round, fact.deck_root, fact.burned)
    for deal in fact.deals:
        yield Write.POSITIONS, (fact.table, fact.round, deal.seat, deal.positions)
    yield _card(event, fact, fact.dealer_up, "dealer", "up")


def _dealer(event: PublicEvent, fact: n.DealerShown) -> Rows:
    for card in fact.cards:
        yield _card(event, fact, card, "dealer", "hand")


def _hand(event: PublicEvent, fact: n.RoundHandShown) -> Rows:
    for card in fact.cards:
        yield _card(event, fact, card, str(fact.seat), "hand")


def _side(event: PublicEvent, fact: b.SideShown) -> Rows:
    for place, card in zip(("first", "second"), fact.cards, strict=False):
        yield _card(event, fact, card, fact.side, place)


def _third(event: PublicEvent, fact: b.ThirdCardDealt) -> Rows:
    yield _card(event, fact, fact.card, fact.side, fact.place)


def _card(event: PublicEvent, fact: Any, card: DeckCard, owner: str, place: str) -> tuple[Write, Row]:
    what = (card.position, card.card, owner, place, card.salt, card.proof)
    return Write.CARD, (fact.table, fact.round, *what, event.version)


_OF_EVERY_ROUND = ("at", "table", "round", "rulebook", "currency", "results", "house", "bank")


def _settled(event: PublicEvent, fact: h.BankedRoundSettled) -> Rows:
    details = json.dumps(plain(fact, *_OF_EVERY_ROUND), sort_keys=True)
    yield Write.SETTLED, (fact.table, fact.round, event.time, event.version, fact.house, fact.bank, details)
    for result in fact.results:
        amounts = (result.staked, result.credited, result.commission, result.net, result.stack)
        own = json.dumps(plain(result, *h.SeatSettled.__struct_fields__), sort_keys=True)
        yield Write.RESULT, (fact.table, fact.round, result.seat, *amounts, own)
        for bet in result.bets:
            yield (
                Write.BET,
                (fact.table, fact.round, result.seat, bet.area, bet.staked, bet.credited, bet.commission),
            )


def _voided(event: PublicEvent, fact: h.BankedRoundVoided) -> Rows:
    yield Write.VOIDED, (fact.table, fact.round, event.time, event.version, fact.cause, fact.by)
    for refund in fact.refunds:
        yield Write.REFUND, (fact.table, fact.round, refund.seat, refund.amount, refund.stack)


def _lapsed(event: PublicEvent, fact: h.BankedRoundLapsed) -> Rows:
    yield Write.LAPSED, (fact.table, fact.round, event.time, event.version)


_ROWS: dict[type[Fact], Callable[[PublicEvent, Any], Rows]] = {
    b.ShoeStarted: _shoe,
    h.BankedRoundOpened: _opened,
    h.BankedStakePlaced: _placed,
    h.BankedStakeWithdrawn: _withdrawn,
    h.BankedRoundSettled: _settled,
    h.BankedRoundVoided: _voided,
    h.BankedRoundLapsed: _lapsed,
    n.RoundDealt: _dealt,
    n.HandSurrendered: _surrendered,
    n.DealerShown: _dealer,
    n.RoundHandShown: _hand,
    b.SideShown: _side,
    b.ThirdCardDealt: _third,
}
