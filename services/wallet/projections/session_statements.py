"""Sittings as they are played: what was brought, staked, won, paid and taken home (pt-811-2015 67)."""

from collections.abc import Sequence
from dataclasses import dataclass

from libs.contracts.banked_rounds import BankedRoundSettled, BankedRoundVoided
from libs.contracts.conduct_events import DealerTipped
from libs.contracts.facts import TableEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_events import HandEnded, HandVoided, SessionFeeDue
from libs.contracts.table_events import PlayerLeft, PlayerSeated, RefundSent, TopUpAdded
from libs.contracts.wallet_events import FeeCharged
from libs.projecting import Connection, Told, write_rows
from services.wallet.projections.tables import Tables

_Key = tuple[str, str]
"""Table and reservation."""
_Fees = dict[tuple[str, str], tuple[str | None, int | None]]
"""By table and fee: the sitting for which it is due, and what was charged; either may be told first."""


@dataclass(slots=True)
class _Sitting:
    """What a batch adds to one sitting."""

    player: str
    currency: str
    started_at: int | None = None
    ended_at: int | None = None
    brought: int = 0
    commission: int = 0
    staked: int = 0
    won: int = 0
    rake: int = 0
    commission_on_wins: int = 0
    tips: int = 0
    returned: int | None = None
    hands: int = 0
    left_for: str | None = None


class SessionStatements:
    name = "session_statements"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        sittings: dict[_Key, _Sitting] = {}
        fees: _Fees = {}
        for event, body in facts:
            if isinstance(body, HandVoided):
                await self._save(connection, sittings)
                sittings.clear()
                await _count_void(connection, body)
            elif isinstance(body, BankedRoundVoided):
                await self._save(connection, sittings)
                sittings.clear()
                await _list_void_round(connection, event, body)
            elif isinstance(body, SessionFeeDue):
                fees[body.table, body.fee] = (body.reservation, fees.get((body.table, body.fee), (None, None))[1])
            elif isinstance(body, FeeCharged):
                fees[body.table, body.fee] = (fees.get((body.table, body.fee), (None, None))[0], body.amount)
            elif isinstance(body, TableEvent):
                _add(sittings, event, body)
        await self._save(connection, sittings)
        await _save_fees(connection, fees)

    async def _save(self, connection: Connection, sittings: dict[_Key, _Sitting]) -> None:
        if not sittings:
            return
        await write_rows(
            connection,
            """
            insert into sittings as s (table_id, reservation, player, book, currency, started_at, ended_at, brought,
                                       commission, staked, won, rake, commission_on_wins, tips, returned, hands,
                                       left_for)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
            on conflict (table_id, reservation) do update set
                started_at = coalesce(s.started_at, excluded.started_at),
                ended_at = coalesce(s.ended_at, excluded.ended_at),
                brought = s.brought + excluded.brought,
                commission = s.commission + excluded.commission,
                staked = s.staked + excluded.staked,
                won = s.won + excluded.won,
                rake = s.rake + excluded.rake,
                commission_on_wins = s.commission_on_wins + excluded.commission_on_wins,
                tips = s.tips + excluded.tips,
                returned = case when excluded.returned is null then s.returned
                                else coalesce(s.returned, 0) + excluded.returned end,
                hands = s.hands + excluded.hands,
                left_for = coalesce(s.left_for, excluded.left_for)
            """,
            [
                (*key, s.player, self._tables.book_of(key[0]), s.currency, s.started_at, s.ended_at, s.brought,
                 s.commission, s.staked, s.won, s.rake, s.commission_on_wins, s.tips, s.returned, s.hands,
                 s.left_for)
                for key, s in sittings.items()
            ],
        )  # fmt: skip


def _add(sittings: dict[_Key, _Sitting], event: PublicEvent, body: TableEvent) -> None:
    match body:
        case PlayerSeated():
            sitting = _of(sittings, body.table, body.reservation, body.player, body.currency)
            sitting.started_at = event.time
            sitting.brought += body.amount
            sitting.commission += body.commission
        case TopUpAdded():
            sitting = _of(sittings, body.table, body.reservation, body.player, body.currency)
            sitting.brought += body.amount
            sitting.commission += body.commission
        case HandEnded():
            for result in body.results:
                sitting = _of(sittings, body.table, result.reservation, result.player, body.currency)
                sitting.staked += result.staked
                sitting.won += result.won
                sitting.rake += result.rake
                sitting.hands += 1
        case BankedRoundSettled():
            for paid in body.results:
                sitting = _of(sittings, body.table, paid.reservation, paid.player, body.currency)
                sitting.staked += paid.staked
                sitting.won += paid.credited
                sitting.commission_on_wins += paid.commission  # off the credit already, as rake is off a payment
                sitting.hands += 1
        case DealerTipped():
            _of(sittings, body.table, body.reservation, body.player, body.currency).tips += body.amount
        case PlayerLeft():
            sitting = _of(sittings, body.table, body.reservation, body.player, body.currency)
            sitting.ended_at = sitting.ended_at or event.time
            sitting.returned = (sitting.returned or 0) + body.stack
            sitting.left_for = sitting.left_for or body.reason
        case RefundSent():
            sitting = _of(sittings, body.table, body.reservation, body.player, body.currency)
            sitting.returned = (sitting.returned or 0) + body.amount


def _of(sittings: dict[_Key, _Sitting], table: str, reservation: str, player: str, currency: str) -> _Sitting:
    return sittings.setdefault((table, reservation), _Sitting(player, currency))


async def _save_fees(connection: Connection, fees: _Fees) -> None:
    await write_rows(
        connection,
        """
        insert into session_fees as s (table_id, fee, reservation, charged) values ($1, $2, $3, $4)
        on conflict (table_id, fee) do update set
            reservation = coalesce(excluded.reservation, s.reservation),
            charged = coalesce(excluded.charged, s.charged)
        """,
        [(*key, *told) for key, told in sorted(fees.items())],
    )


async def _count_void(connection: Connection, body: HandVoided) -> None:
    # pt-811-2015 72: a void hand appears in statements with stakes zero, also of who folded and left before.
    await connection.execute(
        "update sittings set hands_void = hands_void + 1 where table_id = $1 and reservation = any($2::text[])",
        body.table,
        [refund.reservation for refund in body.refunds],
    )


async def _list_void_round(connection: Connection, event: PublicEvent, body: BankedRoundVoided) -> None:
    """Staked and refunded beside the totals (pt-803-2015-no-draw 39, pt-812-2015-baccarat 33)."""
    played = [refund for refund in body.refunds if refund.amount > 0]
    await write_rows(
        connection,
        "insert into void_rounds values ($1, $2, $3, $4, $5) on conflict do nothing",
        [(body.table, refund.reservation, body.round, refund.amount, event.time) for refund in played],
    )
    await write_rows(
        connection,
        "update sittings set hands_void = hands_void + 1 where table_id = $1 and reservation = $2",
        [(body.table, refund.reservation) for refund in played],
    )
