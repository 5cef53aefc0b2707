"""Accounts whose balance is not the sum of their transfers, by all transfers that are there.

To group transfers by account takes a temporary file for each of them, and a login has a bound on those. So two totals
are held against each other, of all balances and of all transfers, in which each account counts with a weight: a hash of
its name with a seed, which is drawn anew each time, so that whoever writes to the books cannot know it. Where a balance
is not the sum of its transfers the totals are the same once in 2^31 draws. No group is made of them, and no file. Where
they differ accounts are told apart by buckets, and then one by one in the buckets that differ.
"""

import secrets
from collections.abc import Sequence
from typing import Any

from libs.projecting import Connection
from libs.projecting.connecting import is_there
from libs.projecting.migrator import checked
from services.audit.verifying.findings import Finding, Kind

AT_ONCE = 500
"""Findings of one look."""
WRITTEN = "the balance of {account} ({book} books) is not the sum of its transfers: somebody has written to it"
BUCKETS = 4_096
"""Of accounts, by their names and the seed. Their sums, some 3 MB, fit the memory that PostgreSQL groups in as it comes
(twice `work_mem`, 8 MB)."""
_SIDES_AT_ONCE = 5_000_000
"""Sides of transfers that are grouped by account in one statement, some 60 B of temporary file each."""
_STATEMENTS = 8
"""That look through buckets in one go. The next look has other buckets, and so tells others of the accounts."""

_BITS = 31
_HASH = "hashtextextended({}, hashtextextended(currency, hashtextextended(book, $1::bigint)))"
_WEIGHT = f"(({{}} >> {BUCKETS.bit_length() - 1}) & {2**_BITS - 1})"
# In two parts, each of which times a weight fits 64 bits: PostgreSQL adds those up four times as fast as `numeric`.
_TOTALS = f"""select
    (select coalesce(sum((amount & {2**_BITS - 1}) * weight) + {2**_BITS} * sum((amount >> {_BITS}) * weight), 0)
       from (select amount, {_WEIGHT.format(_HASH.format("credit"))} - {_WEIGHT.format(_HASH.format("debit"))} as weight
               from {{0}}.transfers) as moved)
  + (select coalesce(sum(moved * {_WEIGHT.format(_HASH.format("account"))}), 0) from {{0}}.carried)
 <> (select coalesce(sum(balance * {_WEIGHT.format(_HASH.format("account"))}), 0) from {{0}}.balances
      where balance <> 0)"""
_SIDES = f"""(select *, hash & {BUCKETS - 1} as bucket from (select *, {_HASH.format("account")} as hash from (
        select book, currency, credit as account, amount::numeric as change from {{0}}.transfers
        union all select book, currency, debit, -amount from {{0}}.transfers
        union all select book, currency, account, moved from {{0}}.carried
        union all select book, currency, account, -balance from {{0}}.balances where balance <> 0
    ) as named) as hashed) as sides"""
_BUCKETS = f"""select bucket, count(*) as sides from {_SIDES}
    group by bucket having sum(change * {_WEIGHT.format("hash")}) <> 0 order by bucket"""
_ACCOUNTS = f"""select book, currency, account, min(bucket) as bucket from {_SIDES} where bucket = any($2::bigint[])
    group by book, currency, account having sum(change) <> 0 order by book, currency, account limit {AT_ONCE}"""


async def balances_of_all(connection: Connection, schema: str) -> list[Finding]:
    """The house's own accounts as well; what transfers in an archive added up to counts with the others. In a
    transaction that sees one moment: where something is wrong several statements look for it."""
    name = f'"{checked(schema)}"'
    if not await is_there(connection, f"{name}.transfers"):
        return []
    seed = secrets.randbits(64) - 2**63
    if not await connection.fetchval(_TOTALS.format(name), seed):
        return []
    # Groups that are few come of a sort of all rows where PostgreSQL takes them for many.
    await connection.execute("set local enable_sort = off")
    apart = list[Any]()
    for buckets in _by_size(await connection.fetch(_BUCKETS.format(name), seed))[:_STATEMENTS]:
        rows = await connection.fetch(_ACCOUNTS.format(name), seed, buckets)
        if len(rows) < AT_ONCE and {row["bucket"] for row in rows} != set(buckets):
            raise RuntimeError("sums of accounts differ, and none of the accounts does")
        apart += rows
        if len(apart) >= AT_ONCE:
            break
    apart.sort(key=lambda row: (row["book"], row["currency"], row["account"]))
    return [Finding(Kind.ACCOUNT, "ledger", WRITTEN.format_map(row)) for row in apart[:AT_ONCE]]


def _by_size(rows: Sequence[Any]) -> list[list[int]]:
    """Buckets that are looked through in one statement; at least one in each."""
    found, sides = list[list[int]](), 0
    for row in rows:
        sides += row["sides"]
        if not found or sides > _SIDES_AT_ONCE:
            found.append([])
            sides = row["sides"]
        found[-1].append(row["bucket"])
    return found
