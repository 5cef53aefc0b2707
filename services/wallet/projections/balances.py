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
    """Everything in one statement snapshot; reads all balances and all transfers of the book."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        groups = await connection.fetch(
            """
            select split_part(account, '/', 1) as "group", currency, count(*)::int as accounts,
                   sum(balance) as balance
              from accounts where book = $1 group by 1, 2 order by 2, 1
            """,
            book,
        )
        figures = await connection.fetchrow(_FIGURES, book)
        disagreements = await connection.fetchval("select count(*) from disagreements")
    assert figures is not None
    difference: dict[str, int] = {}
    for row in groups:
        difference[row["currency"]] = difference.get(row["currency"], 0) + row["balance"]
    return TrialBalance(
        book=book,
        groups=[GroupBalance(**dict(row)) for row in groups],
        transfers=figures["transfers"],
        difference=difference,
        unbalanced_accounts=figures["unbalanced"],
        below_floor=figures["below_floor"],
        disagreements=disagreements,
        open_pots=figures["open_pots"],
        balanced=not any(difference.values()) and not figures["unbalanced"] and not figures["below_floor"],
    )


_FIGURES = """
    with moved as (
        select account, currency, sum(change) as balance from (
            select debit as account, currency, -amount as change from transfers where book = $1
            union all
            select credit, currency, amount from transfers where book = $1) as both_sides
        group by account, currency),
    held_against as (
        select coalesce(b.balance, 0) <> coalesce(m.balance, 0) as differs, b.account, b.balance, b.no_floor
          from (select * from accounts where book = $1) b full join moved m using (account, currency))
    select (select count(*) from transfers where book = $1) as transfers,
           count(*) filter (where differs) as unbalanced,
           count(*) filter (where balance < 0 and not no_floor) as below_floor,
           count(*) filter (where (account like 'pot/%' or account like 'round/%') and balance <> 0) as open_pots
      from held_against
"""


async def totals(connection: Connection, book: Book = "real") -> dict[str, int]:
    """Sum over all accounts by currency, from the balances alone: cheap enough to be asked every second."""
    rows = await connection.fetch(
        "select currency, sum(balance) as total from balances where book = $1 group by currency", book
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
          from balances b left join at_tables t using (currency)
         where b.book = $2 and b.account = 'player/' || $1 || '/' || b.currency
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


async def rake_accounts(connection: Connection, book: Book = "real") -> list[RakeAccount]:
    rows = await connection.fetch(
        'select table_id as "table", rulebook, currency, rake, commission, fees, tips, hands, hands_raked,'
        " hands_exempt, hands_void"
        " from rake_accounts where book = $1 order by table_id, rulebook, currency",
        book,
    )
    return [RakeAccount(**dict(row)) for row in rows]
