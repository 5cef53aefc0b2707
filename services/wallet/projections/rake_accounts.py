"""What a table took under a rulebook: rake from pots, commission from buy-ins and top-ups, hands raked and exempt."""

from collections.abc import Sequence
from dataclasses import dataclass

from libs.contracts.facts import Fact
from libs.contracts.poker_events import HandEnded, HandVoided, PotAwarded
from libs.contracts.table_events import PlayerSeated, TopUpAdded
from libs.projecting import Connection, Told
from services.wallet.projections.tables import Tables

_Key = tuple[str, str, str]
"""Table, rulebook, currency."""


@dataclass(slots=True)
class _Taken:
    rake: int = 0
    commission: int = 0
    hands: int = 0
    hands_raked: int = 0
    hands_exempt: int = 0
    hands_void: int = 0


class RakeAccounts:
    name = "rake_accounts"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        taken: dict[_Key, _Taken] = {}
        for _, body in facts:
            self._add(taken, body)
        if taken:
            await self._save(connection, taken)

    def _add(self, taken: dict[_Key, _Taken], body: Fact) -> None:
        match body:
            case PotAwarded():
                _of(taken, body.table, body.rulebook, body.currency).rake += body.rake
            case PlayerSeated() | TopUpAdded():
                _of(taken, body.table, body.rulebook, body.currency).commission += body.commission
            case HandEnded():
                account = _of(taken, body.table, self._tables.of(body.table).rulebook, body.currency)
                account.hands += 1
                account.hands_raked += body.rake > 0
                account.hands_exempt += body.exemption is not None
            case HandVoided():
                _of(taken, body.table, self._tables.of(body.table).rulebook, body.currency).hands_void += 1

    async def _save(self, connection: Connection, taken: dict[_Key, _Taken]) -> None:
        await connection.executemany(
            """
            insert into rake_accounts as r
                (table_id, rulebook, currency, book, rake, commission, hands, hands_raked, hands_exempt, hands_void)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            on conflict (table_id, rulebook, currency) do update set
                rake = r.rake + excluded.rake,
                commission = r.commission + excluded.commission,
                hands = r.hands + excluded.hands,
                hands_raked = r.hands_raked + excluded.hands_raked,
                hands_exempt = r.hands_exempt + excluded.hands_exempt,
                hands_void = r.hands_void + excluded.hands_void
            """,
            [
                (*key, self._tables.of(key[0]).book, t.rake, t.commission, t.hands, t.hands_raked, t.hands_exempt,
                 t.hands_void)
                for key, t in taken.items()
            ],
        )  # fmt: skip


def _of(taken: dict[_Key, _Taken], table: str, rulebook: str, currency: str) -> _Taken:
    return taken.setdefault((table, rulebook, currency), _Taken())
