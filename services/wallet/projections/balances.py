"""Questions about the books: the trial balance, one player's accounts, what stands where."""

from libs.contracts.documents import Document
from libs.contracts.wallet_answers import AccountBalance
from libs.projecting import Connection
from services.wallet.projections.chart import Book


class GroupBalance(Document):
    """Sum over the accounts of one kind: `player`, `stack`, `pot`, `rake` …"""

    group: str
    currency: str
    accounts: int
    balance: int


class TrialBalance(Document):
    """Real money unless asked otherwise. `difference` per currency is the sum over all accounts, zero by construction.

    Balances are also held against the sum of their transfers, account by account.
    """

    book: Book
    groups: list[GroupBalance]
    transfers: int
    difference: dict[str, int]
    unbalanced_accounts: int
    """Accounts whose balance is not the sum of their transfers."""
    below_floor: int
    disagreements: int
    open_pots: int
    balanced: bool


async def trial_balance(connection: Connection, book: Book = "real") -> TrialBalance:
    """Of one moment, from the sums that the database keeps with each row: as quick after ten years as on the first day.

    That these are the sums of the rows, `croupier rebuild --compare` and the auditor (`watch.sums`) find out.
    """
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        groups = await connection.fetch('select * from kept_groups where book = $1 order by currency, "group"', book)
        transfers = await connection.fetchval(
            "select coalesce(sum(transfers), 0)::bigint from transfer_sums where book = $1", book
        )
        disagreements = await connection.fetchval("select count(*) from disagreements")
    difference: dict[str, int] = {}
    for row in groups:
        difference[row["currency"]] = difference.get(row["currency"], 0) + row["balance"]
    unbalanced, below_floor = (sum(row[name] for row in groups) for name in ("uneven", "below"))
    return TrialBalance(
        book=book,
        groups=[GroupBalance(**{name: row[name] for name in GroupBalance.model_fields}) for row in groups],
        transfers=transfers,
        difference=difference,
        unbalanced_accounts=unbalanced,
        below_floor=below_floor,
        disagreements=disagreements,
        open_pots=sum(row["filled"] for row in groups if row["group"] in ("pot", "round")),
        balanced=not any(difference.values()) and not unbalanced and not below_floor,
    )


async def totals(connection: Connection, book: Book = "real") -> dict[str, int]:
    """Sum over all accounts by currency: cheap enough to be asked every second."""
    rows = await connection.fetch(
        "select currency, sum(balance) as total from group_sums where book = $1 group by currency", book
    )
    return {row["currency"]: row["total"] for row in rows}


async def account(connection: Connection, player: str, book: Book = "real") -> list[AccountBalance]:
    """A player's money by currency; empty for a player whom the books don't know."""
    rows = await connection.fetch(
        """
        with seats as (
            select currency, reservation, 'stack/' || table_id || '/' || player as stack
              from sittings where player = $1 and book = $2 and ended_at is null),
        at_tables as (
            select s.currency, sum(b.balance) as balance
              from seats s join balances b
                on b.book = $2 and b.currency = s.currency and b.account in (s.stack, 'in-transit/' || s.reservation)
             group by s.currency)
        select b.currency, b.balance as available, coalesce(t.balance, 0) as at_tables
          from (select distinct currency from group_sums where book = $2 and "group" = 'player') known
          join balances b on b.book = $2 and b.account = 'player/' || $1 || '/' || known.currency
                         and b.currency = known.currency
          left join at_tables t on t.currency = b.currency
         order by b.currency
        """,
        player,
        book,
    )
    return [AccountBalance(player=player, kind=book, **dict(row)) for row in rows]


class RakeAccount(Document):
    """One table or tournament under one rulebook, minor units."""

    table: str
    """Its id, or the tournament's."""
    rulebook: str
    currency: str
    rake: int
    """From pots."""
    commission: int
    """From buy-ins and top-ups; of a tournament the fees that it has earned, at its end."""
    fees: int
    """Charges of sessions; in the trial balance they are part of the group `commission`."""
    tips: int
    """In the slot: the dealers', and no part of what the house took (pt-217-2007 9.d)."""
    hands: int
    hands_raked: int
    hands_exempt: int
    hands_void: int


async def rake_accounts(
    connection: Connection, book: Book = "real", after: str = "", limit: int = 1000
) -> list[RakeAccount]:
    """Of at most `limit` tables and tournaments behind `after` by their id; all that one of them has is together."""
    rows = await connection.fetch(
        """
        select table_id as "table", rulebook, currency, rake, commission, fees, tips, hands, hands_raked, hands_exempt,
               hands_void
          from rake_accounts
         where book = $1 and table_id in (select distinct table_id from rake_accounts
                                           where book = $1 and table_id > $2 order by table_id limit $3)
         order by table_id, rulebook, currency
        """,
        *(book, after, limit),
    )
    return [RakeAccount(**dict(row)) for row in rows]
