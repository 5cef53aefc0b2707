"""What each table against the house took in and paid out: drop, handle, win and what theory says of it (hold)."""

from collections.abc import Sequence
from dataclasses import dataclass

from libs.contracts.bank_events import BankAlarmRaised, BankClosed, BankCovered, BankDropped, BankOpened, BankToppedUp
from libs.contracts.banked_rounds import BankedRoundSettled, BankedRoundVoided
from libs.contracts.configurations import flat
from libs.contracts.facts import Fact
from libs.contracts.table_events import ConfigurationActivated, PlayerSeated, TableOpened, TopUpAdded
from libs.projecting import Connection, Told
from services.wallet.projections.house_edges import edges_of
from services.wallet.projections.tables import Tables

_Key = tuple[str, str, str, int]
"""Table, rulebook, area, edge."""


@dataclass(slots=True)
class _House:
    """What a batch adds to one table."""

    currency: str = ""
    drop: int = 0
    bank_in: int = 0
    bank_cover: int = 0
    bank_out: int = 0
    rounds: int = 0
    rounds_void: int = 0
    alarms: int = 0


@dataclass(slots=True)
class _Handle:
    bets: int = 0
    handle: int = 0
    credited: int = 0
    commission: int = 0


class BankedHold:
    """Projection. A table is of the house once it has edges; edges follow the configuration in force."""

    name = "banked_hold"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        edges = await _stored_edges(connection, facts)
        houses: dict[str, _House] = {}
        handles: dict[_Key, _Handle] = {}
        for _, body in facts:
            if isinstance(body, TableOpened | ConfigurationActivated):
                chosen = edges_of(flat(body.configuration))
                if chosen:
                    edges[body.table] = chosen
                    houses.setdefault(body.table, _House()).currency = body.configuration.currency
                    await _save_edges(connection, body.table, chosen)
            else:
                _add(houses, handles, edges, body)
        await self._save(connection, houses)
        await _save_handles(connection, handles)

    async def _save(self, connection: Connection, houses: dict[str, _House]) -> None:
        await connection.executemany(
            """
            insert into house_tables as h (table_id, rulebook, currency, book, drop, bank_in, bank_cover, bank_out,
                                           rounds, rounds_void, alarms)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            on conflict (table_id) do update set
                drop = h.drop + excluded.drop,
                bank_in = h.bank_in + excluded.bank_in,
                bank_cover = h.bank_cover + excluded.bank_cover,
                bank_out = h.bank_out + excluded.bank_out,
                rounds = h.rounds + excluded.rounds,
                rounds_void = h.rounds_void + excluded.rounds_void,
                alarms = h.alarms + excluded.alarms
            """,
            [
                (name, self._tables.of(name).rulebook, h.currency, self._tables.of(name).book, h.drop, h.bank_in,
                 h.bank_cover, h.bank_out, h.rounds, h.rounds_void, h.alarms)
                for name, h in houses.items()
            ],
        )  # fmt: skip


def _add(houses: dict[str, _House], handles: dict[_Key, _Handle], edges: dict[str, dict[str, int]], body: Fact) -> None:
    match body:
        case PlayerSeated() | TopUpAdded() if body.table in edges:
            _of(houses, body.table, body.currency).drop += body.amount
        case BankOpened() | BankToppedUp():
            _of(houses, body.table, body.currency).bank_in += body.amount
        case BankCovered():
            _of(houses, body.table, body.currency).bank_cover += body.amount
        case BankDropped() | BankClosed():
            _of(houses, body.table, body.currency).bank_out += body.amount
        case BankAlarmRaised():
            _of(houses, body.table, body.currency).alarms += 1
        case BankedRoundVoided():
            _of(houses, body.table, body.currency).rounds_void += 1
        case BankedRoundSettled():
            _of(houses, body.table, body.currency).rounds += 1
            _add_bets(handles, edges.get(body.table, {}), body)


def _add_bets(handles: dict[_Key, _Handle], edges: dict[str, int], body: BankedRoundSettled) -> None:
    for result in body.results:
        for bet in result.bets:
            key = (body.table, body.rulebook, bet.area, edges.get(bet.area, 0))
            handle = handles.setdefault(key, _Handle())
            handle.bets += 1
            handle.handle += bet.staked
            handle.credited += bet.credited
            handle.commission += bet.commission


def _of(houses: dict[str, _House], table: str, currency: str) -> _House:
    house = houses.setdefault(table, _House())
    house.currency = currency
    return house


async def _stored_edges(connection: Connection, facts: Sequence[Told]) -> dict[str, dict[str, int]]:
    wanted = {event.stream for event, _ in facts}
    rows = await connection.fetch(
        "select table_id, area, edge_ppm from house_edges where table_id = any($1::text[])", list(wanted)
    )
    edges: dict[str, dict[str, int]] = {}
    for row in rows:
        edges.setdefault(row["table_id"], {})[row["area"]] = row["edge_ppm"]
    return edges


async def _save_edges(connection: Connection, table: str, edges: dict[str, int]) -> None:
    await connection.executemany(
        "insert into house_edges values ($1, $2, $3)"
        " on conflict (table_id, area) do update set edge_ppm = excluded.edge_ppm",
        [(table, area, edge) for area, edge in sorted(edges.items())],
    )


async def _save_handles(connection: Connection, handles: dict[_Key, _Handle]) -> None:
    await connection.executemany(
        """
        insert into house_handle as h (table_id, rulebook, area, edge_ppm, bets, handle, credited, commission)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (table_id, rulebook, area, edge_ppm) do update set
            bets = h.bets + excluded.bets,
            handle = h.handle + excluded.handle,
            credited = h.credited + excluded.credited,
            commission = h.commission + excluded.commission
        """,
        [(*key, h.bets, h.handle, h.credited, h.commission) for key, h in handles.items()],
    )
