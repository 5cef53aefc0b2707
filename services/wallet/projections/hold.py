"""The question of hold: what a table against the house won, in fact and in theory, of what was staked there."""

from libs.contracts.documents import Document
from libs.projecting import Connection
from services.wallet.projections.chart import Book, bank
from services.wallet.projections.house_edges import basis_points


class AreaHold(Document):
    """One kind of bet. `win` is `handle` less `credited`; `theoretical` what its edge says, rounded towards zero."""

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


async def banked_hold(
    connection: Connection, book: Book = "real", after: str = "", limit: int = 1000
) -> list[TableHold]:
    """Tables against the house by name: at most `limit` of those behind `after`."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        tables = await connection.fetch(
            "select * from banked_tables where book = $1 and table_id > $2 order by table_id limit $3",
            *(book, after, limit),
        )
        rows = await connection.fetch(
            """
            select table_id, area, sum(bets) as bets, sum(handle) as handle,
                   sum(credited) as credited, sum(h.commission) as commission,
                   sum(handle - credited) as win,
                   sum(trunc(handle * edge_ppm / 1000000)) as theoretical
              from banked_handle h where table_id = any($1::text[])
             group by table_id, area order by table_id, area
            """,  # two edges of an area, one before a change of rules and one after it, are one line
            [row["table_id"] for row in tables],
        )
        lying = await connection.fetch(
            "select account, balance from balances where book = $1 and account = any($2::text[])",
            *(book, [bank(row["table_id"]) for row in tables]),
        )
    areas: dict[str, list[AreaHold]] = {}
    for table, *bets in rows:
        areas.setdefault(table, []).append(AreaHold(**dict(zip(AreaHold.model_fields, bets, strict=True))))
    banks = {row["account"]: row["balance"] for row in lying}
    return [_table(dict(row), areas.get(row["table_id"], []), banks.get(bank(row["table_id"]), 0)) for row in tables]


def _table(row: dict[str, object], areas: list[AreaHold], lying: int) -> TableHold:
    sums = {name: sum(getattr(a, name) for a in areas) for name in ("handle", "win", "theoretical", "commission")}
    kept = ("rulebook", "currency", "rounds", "rounds_void", "drop", "bank_in", "bank_cover", "bank_out", "alarms")
    return TableHold(
        table=str(row["table_id"]),
        **{name: row[name] for name in kept},  # type: ignore[arg-type]
        **sums,
        hold_bp=basis_points(sums["win"], sums["handle"]),
        theoretical_bp=basis_points(sums["theoretical"], sums["handle"]),
        win_of_drop_bp=basis_points(sums["win"], int(str(row["drop"]))),
        bank=lying,
        areas=areas,
    )
