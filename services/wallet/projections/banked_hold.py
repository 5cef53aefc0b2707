"""What each table against the house took in and paid out: drop, handle, win and what theory says of it (hold)."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from libs.contracts import bank_events as banks
from libs.contracts.banked_rounds import BankedRoundSettled, BankedRoundVoided
from libs.contracts.configurations import flat
from libs.contracts.facts import Fact
from libs.contracts.table_events import ConfigurationActivated, PlayerSeated, TableOpened, TopUpAdded
from libs.projecting import Connection, Told
from services.wallet.projections.house_edges import edges_of
from services.wallet.projections.tables import Tables, add_up

_Handles = defaultdict[tuple[str, str, str, int], Counter[str]]
"""By table, rulebook, area and edge."""
_HOUSE = ("drop", "bank_in", "bank_cover", "bank_out", "rounds", "rounds_void", "alarms")
_HANDLE = ("bets", "handle", "credited", "commission")
_MOVED: Mapping[type[Fact], str] = {
    banks.BankOpened: "bank_in",
    banks.BankToppedUp: "bank_in",
    banks.BankCovered: "bank_cover",
    banks.BankDropped: "bank_out",
    banks.BankClosed: "bank_out",
}
"""Where the event's amount is added."""


class BankedHold:
    """Projection. A table is of the house once it has edges; edges follow the configuration in force."""

    name = "banked_hold"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        edges = await _stored_edges(connection, facts)
        houses: defaultdict[tuple[str], Counter[str]] = defaultdict(Counter)
        currencies: dict[tuple[str], str] = {}
        handles: _Handles = defaultdict(Counter)
        for _, body in facts:
            if isinstance(body, TableOpened | ConfigurationActivated):
                chosen = edges_of(flat(body.configuration))
                if chosen:
                    edges[body.table] = chosen
                    houses[body.table,].update()
                    currencies[body.table,] = body.configuration.currency
                    await _save_edges(connection, body.table, chosen)
            elif added := _added(body, edges):
                houses[body.table,].update(added)  # type: ignore[attr-defined]
                currencies[body.table,] = body.currency  # type: ignore[attr-defined]
                if isinstance(body, BankedRoundSettled):
                    _add_bets(handles, edges.get(body.table, {}), body)
        opened = {key: self._tables.of(*key) for key in houses}
        fixed: dict[str, Mapping[tuple[str], str]] = {
            "rulebook": {key: table.rulebook for key, table in opened.items()},
            "currency": currencies,
            "book": {key: self._tables.book_of(*key) for key in houses},
        }
        await add_up(connection, "banked_tables", ("table_id",), _HOUSE, houses, fixed)
        await add_up(connection, "banked_handle", ("table_id", "rulebook", "area", "edge_ppm"), _HANDLE, handles, {})


def _added(body: Fact, edges: Mapping[str, dict[str, int]]) -> dict[str, int]:
    """What the event adds to its table's figures; empty for one that is none of theirs."""
    match body:
        case PlayerSeated() | TopUpAdded() if body.table in edges:
            return {"drop": body.amount}
        case banks.BankAlarmRaised():
            return {"alarms": 1}
        case BankedRoundVoided():
            return {"rounds_void": 1}
        case BankedRoundSettled():
            return {"rounds": 1}
        case _ if type(body) in _MOVED:
            return {_MOVED[type(body)]: body.amount}  # type: ignore[attr-defined]
        case _:
            return {}


def _add_bets(handles: _Handles, edges: dict[str, int], body: BankedRoundSettled) -> None:
    for bet in (bet for result in body.results for bet in result.bets):
        handles[body.table, body.rulebook, bet.area, edges.get(bet.area, 0)].update(
            {"bets": 1, "handle": bet.staked, "credited": bet.credited, "commission": bet.commission}
        )


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
