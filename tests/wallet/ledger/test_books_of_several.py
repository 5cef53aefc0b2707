"""Several processes keep the books at once, each those of some partitions: nothing is lost, doubled or waited for."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random

import pytest

from libs.contracts.messages import PublicEvent
from libs.contracts.registry import parse_event
from libs.projecting import (
    Connection,
    Pool,
    PostgresStore,
    Projector,
    Told,
    completeness,
    migrate,
    migrator,
    open_pool,
    project,
)  # fmt: skip
from libs.projecting.months import ahead
from libs.projecting.positions import OtherHouse
from services.wallet.projections import BOOKS, COMPARED, MIGRATIONS, ROLE, SCHEMA, books
from services.wallet.projections.balances import trial_balance
from services.wallet.projections.chart import has_floor, has_parts
from services.wallet.projections.transfers import transfers_of
from tests.testkit.memory_source import MemorySource
from tests.wallet.ledger.test_banked_games import night
from tests.wallet.ledger.test_fees_and_tips import hour
from tests.wallet.ledger.test_set_aside import Mended
from tests.wallet.script import START, Script, evening

pytestmark = pytest.mark.stack
Records = Sequence[tuple[str, int, PublicEvent]]


def by_partition(records: Records) -> dict[int, list[tuple[str, int, PublicEvent]]]:
    shares: dict[int, list[tuple[str, int, PublicEvent]]] = defaultdict(list)
    for record in records:
        shares[record[1]].append(record)
    return dict(shares)


def workers(pool: Pool, records: Records, limit: int = 5) -> list[Projector]:
    """One for each partition, as many processes would be."""
    return [
        Projector(pool, BOOKS, books(number), MemorySource(share), limit=limit)
        for number, share in sorted(by_partition(records).items())
    ]


def script() -> Script:
    """Two tables and four players, and all of them meet."""
    return evening(hands=60)


async def rows(pool: Pool, table: str) -> list[str]:
    return sorted(map(repr, await pool.fetch(f"select * from {table}")))


async def test_workers_of_all_partitions_make_the_books_of_one(books_pool: Pool, database: str) -> None:
    records = [*script().records, *hour().records]
    assert len(by_partition(records)) > 2
    several = workers(books_pool, records)
    await asyncio.gather(*(each.run() for each in several))

    await migrate(database, "wallet_alone", MIGRATIONS)
    alone = await open_pool(database, "wallet_alone", role=ROLE)
    await project(alone, BOOKS, books(), MemorySource(records))
    for table in COMPARED:
        assert await rows(alone, table) == await rows(books_pool, table), table
    async with books_pool.acquire() as live, alone.acquire() as fresh:
        assert await completeness(live, BOOKS) == await completeness(fresh, BOOKS)
        assert (await trial_balance(live)).balanced
    await alone.close()
    assert sum(each.progress.lost for each in several) == 0, "nobody's position is another one's"
    assert await books_pool.fetchval("select count(distinct part) from totals") > 1
    assert not await books_pool.fetch("select * from totals where total <> 0")
    assert await books_pool.fetchval("select count(*) from set_aside") == 0


@pytest.mark.parametrize("story", [script, hour, night])
def test_what_has_a_floor_and_is_taken_from_is_of_one_stream(story: Callable[[], Script]) -> None:
    """So no order of two streams, whoever reads which first, takes an account below its floor."""
    streams: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    taken: set[str] = set()
    for topic, _, event in story().records:
        for transfer in transfers_of(parse_event(event), "real"):
            taken.add(transfer.debit)
            for account in (transfer.debit, transfer.credit):
                streams[account].add((topic, event.stream))
    shared = {account for account, of in streams.items() if len(of) > 1}
    assert shared
    for account in shared:
        assert not has_floor(account) or (account.startswith("commission/") and account not in taken), account
        assert has_parts(account) or account.startswith(("in-transit/", "commission/")), account


@pytest.mark.parametrize("seed", range(3))
async def test_whichever_stream_is_read_first(books_pool: Pool, seed: int) -> None:
    """One partition far behind another: money comes out of transit before it went in, and the books are the same."""
    shares = list(by_partition(script().records).items())
    Random(seed).shuffle(shares)
    for number, share in shares:
        await Projector(books_pool, BOOKS, books(number), MemorySource(share), limit=50).run()
        assert not await books_pool.fetch("select * from totals where total <> 0")
    async with books_pool.acquire() as connection:
        balance = await trial_balance(connection)
    assert (balance.balanced, balance.disagreements, balance.below_floor) == (True, 0, 0)
    assert next(each.balance for each in balance.groups if each.group == "in-transit") == 0
    assert await books_pool.fetchval("select count(*) from set_aside") == 0


class Slow:
    """Holds a transaction open once everything else is written."""

    name = "slow"

    def __init__(self) -> None:
        self.there, self.go = asyncio.Event(), asyncio.Event()

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        self.there.set()
        await self.go.wait()


async def test_two_deposits_in_two_partitions_wait_for_nothing(books_pool: Pool) -> None:
    players = Script()
    for name in ("ann", "bob", "cleo", "dora", "eva"):
        players.deposit(name, 100)
    one, other, *_ = sorted(by_partition(players.records).items())
    slow = Slow()
    await ahead(books_pool, ["transfers"], START)  # once a month, and in a transaction of its own
    held = Projector(books_pool, BOOKS, [*books(one[0]), slow], MemorySource(one[1]))
    running = asyncio.create_task(held.run())
    await asyncio.wait_for(slow.there.wait(), 10)
    try:
        async with asyncio.timeout(5):
            await Projector(books_pool, BOOKS, books(other[0]), MemorySource(other[1])).run()
    finally:
        slow.go.set()
        await running
    parts = await books_pool.fetch("select part, balance from balances where account = 'operator-cash/EUR'")
    assert {row["part"] for row in parts} == {one[0], other[0]}
    assert sum(row["balance"] for row in parts) == -100 * sum(
        event.type.endswith("deposited.v1") for _, _, event in (*one[1], *other[1])
    )


async def test_two_that_meet_money_in_transit_first_at_the_same_moment(books_pool: Pool) -> None:
    """Found by reading: the second to add the account was told that it is there, and the event was set aside for it."""
    story = Script()
    story.open_table("table-1")
    story.deposit("bob", 10_000)
    prepared = len(story.records)
    story.buy_in("bob", "table-1", "bob@table-1", 1_000)
    before, meeting = story.records[:prepared], by_partition(story.records)
    await project(books_pool, BOOKS, books(), MemorySource(before))
    assert len(meeting) == 2, "both streams lie in one partition: the test shows nothing"
    one, other = sorted(meeting.items())
    slow = Slow()
    held = asyncio.create_task(Projector(books_pool, BOOKS, [*books(one[0]), slow], MemorySource(one[1])).run())
    await asyncio.wait_for(slow.there.wait(), 10)
    second = asyncio.create_task(Projector(books_pool, BOOKS, books(other[0]), MemorySource(other[1])).run())
    await asyncio.sleep(0.3)
    assert not second.done()
    slow.go.set()
    await asyncio.gather(held, second)
    assert await books_pool.fetchval("select count(*) from set_aside") == 0
    assert await books_pool.fetchval("select balance from balances where account = 'in-transit/bob@table-1'") == 0
    async with books_pool.acquire() as connection:
        assert (await trial_balance(connection)).balanced


async def test_a_zombie_writes_nothing(books_pool: Pool) -> None:
    """Frozen with what it has read, while another one takes its partition over and finishes it."""
    number, share = max(by_partition(script().records).items(), key=lambda each: len(each[1]))
    zombie = Projector(books_pool, BOOKS, books(number), MemorySource(share), limit=10)
    await zombie.load()
    assert await zombie.step()
    await Projector(books_pool, BOOKS, books(number), MemorySource(share), limit=10).run()
    before = {table: await rows(books_pool, table) for table in (*COMPARED, "positions")}
    await zombie.run()  # it begins with what it held
    assert zombie.progress.accepted == 10
    assert before == {table: await rows(books_pool, table) for table in (*COMPARED, "positions")}


async def test_a_frozen_transaction_holds_nobody_up_for_long(
    database: str, books_pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that stands still in the middle (a frozen machine) has its transaction taken away."""
    monkeypatch.setattr(migrator, "IDLE_S", 1)
    pool = await open_pool(database, SCHEMA, role=ROLE)
    number, share = min(by_partition(script().records).items())
    slow = Slow()
    frozen = Projector(pool, BOOKS, [*books(number), slow], MemorySource(share))
    standing = asyncio.create_task(frozen.run())
    await asyncio.wait_for(slow.there.wait(), 10)
    async with asyncio.timeout(5):
        await Projector(books_pool, BOOKS, books(number), MemorySource(share)).run()
    before = await rows(books_pool, "transfers")
    slow.go.set()
    await asyncio.wait_for(standing, 10)
    assert before == await rows(books_pool, "transfers")
    await pool.close()


async def test_a_stream_that_is_set_aside_is_its_own_partitions_matter(books_pool: Pool) -> None:
    """The others neither look after it nor wait for it, and it is projected in one piece with all that is sound."""
    story = evening(hands=5)
    story.deposit("mallory", 700, "bank-\x00-17")
    story.deposit("mallory", 30)
    for name in ("ann", "bob"):
        story.deposit(name, 50)
    [home] = {number for _, number, event in story.records if "mallory" in event.stream}
    several = workers(books_pool, story.records)
    await asyncio.gather(*(each.run() for each in several))
    shares = sorted(by_partition(story.records))
    assert {n: each.progress.set_aside for n, each in zip(shares, several, strict=True)} == {
        number: 2 * (number == home) for number in shares
    }
    async with books_pool.acquire() as connection:
        assert (await trial_balance(connection)).balanced
    assert await books_pool.fetchval("select count(*) from transfers where amount = 50 and kind = 'deposit'") == 2


async def test_mend_takes_up_those_of_all_partitions(books_pool: Pool) -> None:
    story = Script()
    names = ("ann", "bob", "cleo", "dora", "eva")
    for name in names:
        story.deposit(name, 700, f"{name}-\x00-17")
    await asyncio.gather(*(each.run() for each in workers(books_pool, story.records)))
    assert await books_pool.fetchval("select count(distinct partition) from set_aside") > 1
    await PostgresStore(books_pool, BOOKS, [Mended(each) for each in books()]).take_up()
    assert await books_pool.fetchval("select count(*) from set_aside") == 0
    assert await books_pool.fetchval("select sum(balance)::int from accounts where account like 'player/%'") == 3_500


async def test_books_of_a_house_that_was_moved_are_never_booked_twice(books_pool: Pool) -> None:
    """Its topics have another prefix, and what they tell stands in this database already."""
    story = Script()
    story.deposit("ann", 700, "ann-1")
    await project(books_pool, BOOKS, books(), MemorySource(story.records))
    moved = [(f"m2.{topic}", number, event) for topic, number, event in story.records]
    with pytest.raises(OtherHouse, match="are made of croupier"):
        await project(books_pool, BOOKS, books(), MemorySource(moved))
    assert await books_pool.fetchval("select balance::int from accounts where account like 'player/%'") == 700
