"""The question of hold: what a table against the house won, in fact and in theory, of what was staked there."""

from libs.contracts.documents import Document
from libs.projecting import Connection
from services.wallet.projections.chart import Book, bank
from services.wallet.projections.house_edges import basis_points, theoretical


class AreaHold(Document):
    """One kind of bet. `win` is `handle` less `credited`; `theoretical` what the edge says of the same handle."""

    area: str
    bets: int
    handle: int
    credited: int
    commission: int
    win: int
    theoretical: int


class TableHold(Document):
    """One table, minor units; `*_bp` in basis points of the handle, None before the first bet."""

    table: str
    rulebook: str
    currency: str
    rounds: int
    rounds_void: int
    drop: int
    handle: int
    win: int
    theoretical: int
    commission: int
    hold_bp: int | None
    theoretical_bp: int | None
    win_of_drop_bp: int | None
    bank: int
    bank_in: int
    bank_cover: int
    bank_out: int
    alarms: int
    areas: list[AreaHold]


async def banked_hold(connection: Connection, book: Book = "real") -> list[TableHold]:
    """Every table against the house, by name."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        tables = await connection.fetch("select * from house_tables where book = $1 order by table_id", book)
        rows = await connection.fetch(
            "select h.* from house_handle h join house_tables t using (table_id) where t.book = $1"
            " order by table_id, area, edge_ppm",
            book,
        )
        lying = await connection.fetch(
            "select account, balance from balances where book = $1 and account like 'bank/%'", book
        )
    areas: dict[str, dict[str, AreaHold]] = {}
    for row in rows:
        _into(areas.setdefault(row["table_id"], {}), _area(dict(row)))
    banks = {row["account"]: row["balance"] for row in lying}
    return [
        _table(dict(row), list(areas.get(row["table_id"], {}).values()), banks.get(bank(row["table_id"]), 0))
        for row in tables
    ]


def _area(row: dict[str, int | str]) -> AreaHold:
    handle, credited = int(row["handle"]), int(row["credited"])
    return AreaHold(
        area=str(row["area"]),
        bets=int(row["bets"]),
        handle=handle,
        credited=credited,
        commission=int(row["commission"]),
        win=handle - credited,
        theoretical=theoretical(handle, int(row["edge_ppm"])),
    )


def _into(areas: dict[str, AreaHold], more: AreaHold) -> None:
    """Two edges of one area, one before a change of rules and one after it, are one line."""
    known = areas.get(more.area)
    if known is not None:
        sums = {name: getattr(known, name) + getattr(more, name) for name in AreaHold.model_fields if name != "area"}
        more = AreaHold(area=more.area, **sums)
    areas[more.area] = more


def _table(row: dict[str, object], areas: list[AreaHold], lying: int) -> TableHold:
    handle, win = sum(a.handle for a in areas), sum(a.win for a in areas)
    theory = sum(a.theoretical for a in areas)
    drop = int(str(row["drop"]))
    kept = ("rulebook", "currency", "rounds", "rounds_void", "drop", "bank_in", "bank_cover", "bank_out", "alarms")
    return TableHold(
        table=str(row["table_id"]),
        **{name: row[name] for name in kept},  # type: ignore[arg-type]
        handle=handle,
        win=win,
        theoretical=theory,
        commission=sum(a.commission for a in areas),
        hold_bp=basis_points(win, handle),
        theoretical_bp=basis_points(theory, handle),
        win_of_drop_bp=basis_points(win, drop),
        bank=lying,
        areas=areas,
    )
