"""Hand histories: every hand as its public events tell it, row by row (pt-811-2015 65).

Only shown cards are ever written, for no other card is in the events. A void hand stands with stakes zero (72).
"""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Any

import msgspec

from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.projecting import Connection, Told
from services.audit.projections.writing import Row, write_rows

TABLES = ("played_tables", "hands", "hand_seats", "hand_actions", "hand_cards", "hand_pots", "hand_payments")
"""What a rebuild compares, row by row."""


class Write(Enum):
    """The statements, in the order in which a batch runs them: what a row hangs on stands above it.

    Each leaves the same rows when it runs twice.
    """

    TABLE = "insert into played_tables values ($1, $2, $3, $4, $5) on conflict do nothing"
    HAND = """insert into hands (table_id, hand, rulebook, rulebook_hash, configuration_version, currency, kind, button,
                                 small_blind, big_blind, deck_root, started_at, started_version)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing"""
    SEAT = """insert into hand_seats (table_id, hand, seat, player, reservation, stack_before)
              values ($1, $2, $3, $4, $5, $6) on conflict do nothing"""
    DEALT = "update hand_seats set positions = $4 where table_id = $1 and hand = $2 and seat = $3"
    ACTION = """insert into hand_actions (table_id, version, hand, at, seat, player, action, actor, reason, amount,
                                          total, stack, all_in)
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing"""
    CARD = """insert into hand_cards (table_id, hand, position, card, seat, street, salt, proof, version)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing"""
    BURNED = """update hands set burned = array(select distinct unnest(burned || $3::int[]) order by 1)
                where table_id = $1 and hand = $2"""
    SHOWN = """update hand_seats set category = $4, hole_used = $5, board_used = $6
               where table_id = $1 and hand = $2 and seat = $3"""
    POT = "insert into hand_pots values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing"
    PAYMENT = "insert into hand_payments values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing"
    ENDED = """update hands set outcome = 'ended', ended_at = $3, ended_version = $4, rake = $5, exemption = $6
               where table_id = $1 and hand = $2"""
    RESULT = """update hand_seats set stack_after = $4, staked = $5, won = $6, rake = $7
                where table_id = $1 and hand = $2 and seat = $3"""
    VOIDED = """update hands set outcome = 'void', ended_at = $3, ended_version = $4, void_cause = $5, void_by = $6
                where table_id = $1 and hand = $2"""
    UNSTAKED = """update hand_seats set stack_after = stack_before, staked = 0, won = 0, rake = 0, refunded = 0
                  where table_id = $1 and hand = $2"""
    REFUND = """update hand_seats set stack_after = $4, refunded = $5
                where table_id = $1 and hand = $2 and seat = $3"""


Rows = Iterator[tuple[Write, Row]]


class HandHistories:
    """The projection. It keeps nothing between batches."""

    name = "hand_histories"

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        rows = (row for event, fact in facts for row in rows_of(event, fact))
        await write_rows(connection, Write, rows)


def rows_of(event: PublicEvent, fact: Fact) -> Rows:
    """What this event adds to the histories."""
    rows = _ROWS.get(type(fact))
    return rows(event, fact) if rows else iter(())


def _table_opened(event: PublicEvent, fact: t.TableOpened) -> Rows:
    configuration = msgspec.json.encode(fact.configuration).decode()
    yield Write.TABLE, (fact.table, fact.name, fact.rulebook_hash, configuration, event.time)


def _hand_started(event: PublicEvent, fact: p.HandStarted) -> Rows:
    what = (fact.rulebook, fact.rulebook_hash, fact.configuration_version, fact.currency, fact.kind)
    where = (fact.button, fact.small_blind, fact.big_blind)
    yield Write.HAND, (fact.table, fact.hand, *what, *where, fact.deck_root, event.time, event.version)
    for seat in fact.seats:
        yield Write.SEAT, (fact.table, fact.hand, seat.seat, seat.player, seat.reservation, seat.stack)


def _dealt(event: PublicEvent, fact: p.HoleCardsDealt) -> Rows:
    for deal in fact.deals:
        yield Write.DEALT, (fact.table, fact.hand, deal.seat, deal.positions)


def _blind(event: PublicEvent, fact: p.BlindPosted) -> Rows:
    actor = "house" if fact.compulsory else "player"
    yield _action(event, fact, f"blind_{fact.blind}", actor, None, fact.amount, fact.to, fact.stack, fact.all_in)


def _bet(event: PublicEvent, fact: p.BetPlaced) -> Rows:
    yield _action(event, fact, fact.act, "player", None, fact.amount, fact.to, fact.stack, fact.all_in)


def _folded(event: PublicEvent, fact: p.PlayerFolded) -> Rows:
    yield _action(event, fact, "fold", fact.actor, fact.reason, 0, 0, None, False)


def _checked(event: PublicEvent, fact: p.PlayerChecked) -> Rows:
    yield _action(event, fact, "check", fact.actor, fact.reason, 0, 0, None, False)


def _uncalled(event: PublicEvent, fact: p.UncalledBetReturned) -> Rows:
    yield _action(event, fact, "uncalled_returned", "house", None, fact.amount, 0, fact.stack, False)


def _action(event: PublicEvent, fact: Any, *row: Any) -> tuple[Write, Row]:
    return Write.ACTION, (fact.table, event.version, fact.hand, event.time, fact.seat, fact.player, *row)


def _street(event: PublicEvent, fact: p.StreetDealt) -> Rows:
    for card in fact.cards:
        yield Write.CARD, (fact.table, fact.hand, *_card(card, None, fact.street), event.version)
    if fact.burned:
        yield Write.BURNED, (fact.table, fact.hand, fact.burned)


def _shown(event: PublicEvent, fact: p.CardsShown) -> Rows:
    for card in fact.cards:
        yield Write.CARD, (fact.table, fact.hand, *_card(card, fact.seat, None), event.version)
    yield Write.SHOWN, (fact.table, fact.hand, fact.seat, fact.category, fact.hole_used, fact.board_used)


def _card(card: t.DeckCard, seat: int | None, street: str | None) -> Row:
    return card.position, card.card, seat, street, card.salt, card.proof


def _pot(event: PublicEvent, fact: p.PotAwarded) -> Rows:
    who = (fact.eligible, fact.winners)
    yield Write.POT, (fact.table, fact.hand, fact.pot, fact.amount, *who, fact.rake, fact.basis, event.version)
    for paid in fact.payments:
        amounts = (paid.gross, paid.rake, paid.net)
        yield Write.PAYMENT, (fact.table, fact.hand, fact.pot, paid.seat, paid.player, *amounts)


def _ended(event: PublicEvent, fact: p.HandEnded) -> Rows:
    yield Write.ENDED, (fact.table, fact.hand, event.time, event.version, fact.rake, fact.exemption)
    for result in fact.results:
        amounts = (result.stack, result.staked, result.won, result.rake)
        yield Write.RESULT, (fact.table, fact.hand, result.seat, *amounts)


def _voided(event: PublicEvent, fact: p.HandVoided) -> Rows:
    yield Write.VOIDED, (fact.table, fact.hand, event.time, event.version, fact.cause, fact.by)
    yield Write.UNSTAKED, (fact.table, fact.hand)
    for refund in fact.refunds:
        yield Write.REFUND, (fact.table, fact.hand, refund.seat, refund.stack, refund.amount)


_ROWS: dict[type[Fact], Callable[[PublicEvent, Any], Rows]] = {
    t.TableOpened: _table_opened,
    p.HandStarted: _hand_started,
    p.HoleCardsDealt: _dealt,
    p.BlindPosted: _blind,
    p.BetPlaced: _bet,
    p.PlayerFolded: _folded,
    p.PlayerChecked: _checked,
    p.UncalledBetReturned: _uncalled,
    p.StreetDealt: _street,
    p.CardsShown: _shown,
    p.PotAwarded: _pot,
    p.HandEnded: _ended,
    p.HandVoided: _voided,
}
