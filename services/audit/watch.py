"""Looks every few seconds for what is wrong now, whoever caused it, and keeps it as incidents.

In the books, positions of read models, gaps, parked records, open sittings.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from libs.contracts.topics import topic
from libs.projecting import Connection, KafkaSource, Part, Partition, Pool
from libs.projecting.aside import each_stream
from libs.projecting.connecting import is_there
from libs.projecting.migrator import checked
from libs.projecting.row_marks import Marks
from libs.projecting.writings import Writings
from services.audit.balances_of_all import AT_ONCE, WRITTEN, balances_of_all
from services.audit.database_held import HELD_S, HeldDatabase
from services.audit.database_logins import strangers
from services.audit.database_roads import roads
from services.audit.database_shape import misshapen
from services.audit.incidents import record
from services.audit.login_settings import kept_settings, lifted_bounds
from services.audit.months_that_left import MonthsThatLeft
from services.audit.noted_writings import Seen, foreign_aside, foreign_writings
from services.audit.projections.record_marks import writings_of
from services.audit.projections.waiting_checks import (
    check_disqualifications,
    check_open_fees,
    check_open_passages,
    check_open_sittings,
    check_promises,
)
from services.audit.settings import MOST_PROMISED, SCHEMA
from services.audit.standing_alarms import StandingAlarms
from services.audit.verifying.findings import Finding, Kind


async def sums(connection: Connection, schema: str) -> list[Finding]:
    """Sums over all accounts that are not zero, by no total that somebody keeps, and kinds of accounts that add up to
    another sum than the one that is kept of them: reads every account that there is."""
    rows = await _rows(
        connection,
        schema,
        "balances",
        "book, currency, split_part(account, '/', 1) as kind, sum(balance) as balance",
        "group by 1, 2, 3",
    )
    counted = {(row["book"], row["currency"], row["kind"]): row["balance"] for row in rows}
    kept = await _rows(
        connection, schema, "group_sums", 'book, currency, "group" as kind, sum(balance) as balance', "group by 1, 2, 3"
    )
    told = {(row["book"], row["currency"], row["kind"]): row["balance"] for row in kept}
    whole: dict[tuple[str, str], int] = {}
    for (book, currency, _), balance in counted.items():
        whole[book, currency] = whole.get((book, currency), 0) + balance
    found = _not_zero([{"book": book, "currency": of} for (book, of), total in sorted(whole.items()) if total])
    said = "the sum that is kept of all {} accounts ({} books) in {} is not theirs"
    return found + [
        Finding(Kind.LEDGER_SUM, "ledger", said.format(kind, book, currency))
        for book, currency, kind in sorted(counted.keys() | told.keys())
        if counted.get((book, currency, kind), 0) != told.get((book, currency, kind), 0)
    ]


async def books(connection: Connection, schema: str) -> list[Finding]:
    """Totals that are not zero, and figures on which books and events disagree. Amounts stand in the books, not here.

    The totals are those that the database keeps of the accounts: a row for each currency and process."""
    found = _not_zero(await _rows(connection, schema, "totals", "book, currency", "where total <> 0"))
    # One for an account: behind the first event that disagrees each of its others does, for ever.
    apart = await _rows(connection, schema, "disagreements", "distinct account", "order by account")
    said = "the books and events disagree on {account}"
    return found + [Finding(Kind.ACCOUNT, "ledger", said.format_map(row)) for row in apart]


def _not_zero(sums: Sequence[Any]) -> list[Finding]:
    said = "the sum over all {book} accounts in {currency} is not zero"
    return [Finding(Kind.LEDGER_SUM, "ledger", said.format_map(row)) for row in sums]


async def takings(connection: Connection, schema: str) -> list[Finding]:
    """Kinds of what the house takes of which the accounts of tables and tournaments (`/v1/rake-accounts`) and the books
    (`/v1/trial-balance`) say another sum: both are told by the same events, and somebody wrote to one of them."""
    name = f'"{checked(schema)}"'
    may = "select coalesce(has_table_privilege(to_regclass($1), 'select'), false)"
    if not await connection.fetchval(may, f"{name}.rake_accounts"):
        return []  # the wallet never ran here, or is of before this was asked
    rows = await connection.fetch(
        f"""select kind, book, currency
              from (select book, currency, unnest(array['rake', 'commission', 'tips']) as kind,
                           unnest(array[sum(rake), sum(commission) + sum(fees), sum(tips)]) as amount
                      from {name}.rake_accounts group by book, currency) as told
              full join (select book, currency, "group" as kind, sum(balance) as amount from {name}.group_sums
                          where "group" in ('rake', 'commission', 'tips') group by book, currency, "group") as kept
                using (book, currency, kind)
             where coalesce(told.amount, 0) <> coalesce(kept.amount, 0) order by book, currency, kind"""
    )
    said = "what tables and tournaments took as {kind} in {currency} ({book} books) is not what the books have of it"
    return [Finding(Kind.ACCOUNT, "ledger", said.format_map(row)) for row in rows]


Record = Callable[[Connection, Sequence[Finding], int, Marks | None], Awaitable[list[Finding]]]


async def written_by_hand(connection: Connection, schema: str) -> list[Finding]:
    """Accounts whose balance is not the sum of their transfers that the database keeps with it: a balance that somebody
    has written by hand, on both sides, so that the books still add up. How many there are is kept, too; only where
    there is one are the accounts read."""
    if not await _rows(connection, schema, "group_sums", "1", 'group by book, "group" having sum(uneven) <> 0'):
        return []
    apart = await _rows(
        connection,
        schema,
        "balances",
        "distinct book, account",
        f"where balance <> moved order by book, account limit {AT_ONCE}",
    )
    return [Finding(Kind.ACCOUNT, "ledger", WRITTEN.format_map(row)) for row in apart]


MARKS_EVERY_S = 1.0


async def positions(connection: Connection, schema: str) -> dict[tuple[str, str, int], int]:
    """Projection, topic and partition to the offset that it reads next."""
    rows = await _rows(connection, schema, "positions", "projection, topic, partition, position")
    return {(row["projection"], row["topic"], row["partition"]): row["position"] for row in rows}


def ahead_of_log(read: Mapping[tuple[str, str, int], int], ends: Mapping[Partition, int]) -> list[Finding]:
    """A read model has seen more than the log holds: it was cut or replaced. `ends` must be younger than `read`."""
    return [
        Finding(Kind.LEDGER_AHEAD, name, f"{name} has read {topic}/{partition} beyond its end", None, topic, partition)
        for (name, topic, partition), position in read.items()
        if (topic, partition) in ends and position > ends[topic, partition]
    ]


async def _wallet(connection: Connection, ends: Mapping[Partition, int]) -> list[int]:
    """Time (ms) of the last event in each partition of the wallet's."""
    of_wallet = topic("wallet", "events").name
    rows = await _rows(connection, SCHEMA, "positions", "topic, partition, event_time")
    last = {(row["topic"], row["partition"]): row["event_time"] for row in rows}
    return [last.get(place, 0) for place in sorted(ends) if place[0].endswith(of_wallet)]


async def gaps(connection: Connection, schema: str) -> list[Finding]:
    return [
        Finding(Kind.PROJECTION_GAP, row["stream"], f"{row['projection']} waits for version {row['version'] + 1}")
        for row in await _rows(connection, schema, "streams", "projection, stream, version", "where gap")
    ]


async def parked(connection: Connection, schema: str) -> list[Finding]:
    rows = await _rows(connection, schema, "parked", 'projection, topic, partition, "offset", reason')
    return [
        Finding(Kind.PARKED, name, f"set aside: {reason}", None, topic, partition, offset)
        for name, topic, partition, offset, reason in rows
    ]


async def set_aside(connection: Connection, schema: str) -> list[Finding]:
    """Streams that a projector could not go on with, each at its first event."""
    name = f'"{checked(schema)}".set_aside'
    if not await is_there(connection, name):
        return []
    return [
        Finding(
            *(Kind.SET_ASIDE, row["stream"], f"{row['projection']} set the stream aside: {row['reason']}"),
            *(row["version"], row["topic"], row["partition"], row["offset"]),
        )
        for row in await connection.fetch(each_stream(name))
    ]


def parked_topics(ends: Mapping[Partition, int]) -> list[Finding]:
    """One finding per record on a parked topic is too many to tell; one per place says how far they go."""
    return [
        Finding(Kind.PARKED, topic, "records were set aside on this topic", None, topic, partition)
        for (topic, partition), end in ends.items()
        if end > 0
    ]


async def _rows(connection: Connection, schema: str, table: str, columns: str, which: str = "") -> list[Any]:
    """None where the schema has no such table: its service has never run here."""
    name = f'"{checked(schema)}".{table}'
    if not await is_there(connection, name):
        return []
    return list(await connection.fetch(f"select {columns} from {name} {which}"))


SUM_SHARE = 100
"""All accounts are summed up again after so many times what it took last: with few of them at every look, with millions
of them that are long over at the cost of a hundredth of a connection. The schemas are held against their migrations as
seldom."""
SUMS_S = HELD_S
"""So long all accounts may take to be summed up: a transaction that stands for longer is told anyway."""
STANDS_S, STANDS_FAR_S = 60.0, 600.0
FAR = 1_000
"""Records that are left of a partition which is caught up with, and not just a moment behind."""


class Watch:
    """`schemas` are those whose projections are watched; `ledger` names the one with the books.

    `ends` knows where the topics end that they read.
    """

    def __init__(
        self,
        pool: Pool,
        ends: KafkaSource,
        schemas: Sequence[str],
        ledger: str,
        on_finding: Callable[[Finding], None] = lambda finding: None,
        marks: Marks | None = None,
        most_promised: int = MOST_PROMISED,
        further_logins: Collection[str] = (),
    ) -> None:
        """`marks`: tell what the wallet wrote into its books from what somebody else did. `most_promised`: to
        tournaments announced on one day (UTC), minor units of each currency. `further_logins`: of the database, that
        may have rights in it beside the house's."""
        self._further_logins = further_logins
        self._held = HeldDatabase()
        self._left = MonthsThatLeft(schemas, ledger)
        self._most_promised = most_promised
        self._pool = pool
        self._marks = marks
        self._ends = ends
        self._schemas = list(schemas)
        self._ledger = ledger
        self._on_finding = on_finding
        self._noted, self._noted_aside = Seen(), Seen()
        self._standing = StandingAlarms()
        self._sums: list[Finding] = []
        self._shape: list[str] = []
        self._shape_again = 0.0
        self._stood: dict[Partition, tuple[int, float]] = {}
        """Positions that were not at the end, and since when."""
        self._caught_up = -STANDS_S
        """When a partition was last seen to move that is far behind."""

    async def look_at_marks(self) -> list[Finding]:
        """Who wrote to the books, and to what the auditor sets aside."""
        if self._marks is None:
            return []
        noted, aside = replace(self._noted), replace(self._noted_aside)
        async with self._pool.acquire() as connection, connection.transaction():
            found = await foreign_writings(connection, self._ledger, Writings(self._marks), noted)
            found += await foreign_aside(connection, writings_of(self._marks), aside)
        self._noted, self._noted_aside = noted, aside  # not where the transaction was lost
        await self._record(found)
        return found

    async def run_all(self, every_s: float, part: Part) -> None:
        """All accounts against all transfers, beside the looks: nothing waits for it, and it has its share of time."""
        await _in_turn(self._hold_all, every_s, part)

    async def run_sums(self, every_s: float, part: Part) -> None:
        """Likewise what adds up all accounts, or all that has been promised."""
        await _in_turn(self.sum_up, every_s, part)

    async def _hold_all(self) -> None:
        async with (
            self._pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            found = await balances_of_all(connection, self._ledger)
        await self._record(found)

    async def sum_up(self) -> None:
        """What it finds each look tells, until it is summed up again."""
        began = int(time.time() * 1000)
        # As of one moment: the books are written meanwhile, and what is kept of them is compared with them.
        async with (
            self._pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            found = await sums(connection, self._ledger) + await takings(connection, self._ledger)
            found += await check_promises(connection, began, self._most_promised, self._marks)
            found += await check_disqualifications(connection, began, self._marks)
        self._sums = found

    async def look(self) -> list[Finding]:
        """What is wrong now, new or not."""
        began, already = int(time.time() * 1000), await self._ends.ends()
        # As of one moment: the books are written meanwhile, and what is kept of them is compared with them.
        async with (
            self._pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            found = await books(connection, self._ledger) + self._sums
            found += await written_by_hand(connection, self._ledger)
            found += await kept_settings(connection)
            found += await lifted_bounds(connection, self._further_logins)
            found += await strangers(connection, self._schemas, self._further_logins)
            if (started := time.monotonic()) >= self._shape_again:
                self._shape = await misshapen(connection, self._further_logins)
                self._shape_again = started + SUM_SHARE * (time.monotonic() - started)
            found += await self._held.look(connection)
            found += await self._left.look(connection, self._marks) if self._marks else []
            found += await roads(connection, self._further_logins, self._shape)
            read: dict[tuple[str, str, int], int] = {}
            for schema in self._schemas:
                read |= await positions(connection, schema)
                found += await gaps(connection, schema)
                found += await parked(connection, schema)
                found += await set_aside(connection, schema)
            heard = await self._heard(connection, began, already)
            found += await check_open_sittings(connection, heard, marks=self._marks)
            found += await check_open_passages(connection, heard, self._marks)
            found += await check_open_fees(connection, heard, await _wallet(connection, already), self._marks)
        ends = await self._ends.ends()
        found += ahead_of_log(read, ends)
        found += parked_topics({place: end for place, end in ends.items() if place[0].endswith(".parked.v1")})
        await self._record(found, self._standing.record)
        return found

    async def _heard(self, connection: Connection, began: int, ends: Mapping[Partition, int]) -> int:
        """Up to when (ms) all public events are read, by whichever processes: `began`, or the last event of a partition
        that is not read up to `ends`. One that stands still there (what is left is foreign, or who reads it is held up,
        which is told elsewhere) is waited for no longer than `STANDS_S`, and while others catch up or much is left, as
        where history is read from its beginning, than `STANDS_FAR_S`."""
        until, now = began, time.monotonic()
        rows = await _rows(connection, SCHEMA, "positions", "topic, partition, position, event_time")
        read = {(row["topic"], row["partition"]): (row["position"], row["event_time"]) for row in rows}
        behind = {
            place: (*found, end - found[0])
            for place, end in ends.items()
            if not place[0].endswith(".parked.v1") and (found := read.get(place, (0, 0)))[0] < end
        }
        moved = {place for place, (position, *_) in behind.items() if self._stood.get(place, (-1,))[0] != position}
        self._stood |= {place: (behind[place][0], now) for place in moved}
        if any(behind[place][2] > FAR for place in moved):
            self._caught_up = now
        for place, (_, event_time, left) in behind.items():
            stands = now - self._stood[place][1]
            if stands < STANDS_S or (stands < STANDS_FAR_S and (left > FAR or now - self._caught_up < STANDS_S)):
                until = min(until, event_time)
        return until

    async def _record(self, found: Sequence[Finding], by: Record = record) -> None:
        async with self._pool.acquire() as connection, connection.transaction():
            new = await by(connection, found, int(time.time() * 1000), self._marks)
        for finding in new:
            self._on_finding(finding)


async def _in_turn(sum_up: Callable[[], Awaitable[None]], every_s: float, part: Part) -> None:
    """Again and again, a hundredth of the time; `part` is told of each time, so that one that never ends is told."""
    while True:
        started = time.monotonic()
        with part.step():
            await sum_up()
        await asyncio.sleep(max(every_s, SUM_SHARE * (time.monotonic() - started)))
