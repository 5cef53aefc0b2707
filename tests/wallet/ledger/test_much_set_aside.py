"""A stream that has long been set aside: each batch costs what it costs without, and it is taken up by the page."""

from collections.abc import AsyncIterator, Sequence

import pytest
import pytest_asyncio

from libs.projecting import Connection, Pool, PostgresStore, Projection, Told, aside, open_pool, store
from services.audit import watch
from services.wallet.projections import BOOKS, ROLE, SCHEMA, books
from tests.wallet.ledger.test_set_aside import Mended, evening, projector, sums
from tests.wallet.script import Script

pytestmark = pytest.mark.stack
MANY = 20_000
OTHERS = 40


@pytest_asyncio.fixture
async def alone(database: str, books_pool: Pool) -> AsyncIterator[Pool]:
    """One connection, which counts what it read."""
    async with await open_pool(database, SCHEMA, role=ROLE, max_size=1) as pool:
        yield pool


async def entries_read(pool: Pool) -> int:
    """Of the table and its indexes."""
    await pool.execute("select pg_stat_force_next_flush()")
    read: int = await pool.fetchval(
        """select seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes i where i.relid = t.relid)
             from pg_stat_user_tables t where relid = 'set_aside'::regclass"""
    )
    return read


async def lay_aside(pool: Pool, events: int, streams: int = 0) -> None:
    """So many behind what is set aside already, and two of each of so many other streams; none can be read."""
    await pool.execute(
        """insert into set_aside
           select projection, topic, partition, 10^6 + n, stream, version + n, '', ''
             from (select * from set_aside order by version desc limit 1) as last, generate_series(1, $1) as n""",
        events,
    )
    await pool.execute(
        """insert into set_aside
           select projection, topic, partition, 10^8 + 10 * n + v, 'other-' || n, v, 'made', ''
             from (select * from set_aside limit 1) as one, generate_series(1, $1) as n, generate_series(1, 2) as v""",
        streams,
    )


@pytest.mark.parametrize("analysed", [False, True])
async def test_a_batch_reads_no_more_of_what_is_set_aside_the_more_there_is(
    alone: Pool, database: str, analysed: bool
) -> None:
    script = evening()
    await projector(alone, script).run()
    await lay_aside(alone, MANY, OTHERS)
    if analysed:
        async with await open_pool(database, SCHEMA) as owner:
            await owner.execute("analyze set_aside")
    for _ in range(20):
        script.deposit("bob", 10)
        script.deposit("mallory", 20)
    running = projector(alone, script, limit=4)
    before = await entries_read(alone)
    await running.load()
    loaded = await entries_read(alone)
    # Each stream is listed before and after, and the first event of each is tried.
    assert loaded - before < 20 * OTHERS

    while await running.step():
        pass

    assert running.progress.batches >= 10
    assert await entries_read(alone) - loaded < 20 * OTHERS
    assert running.progress.set_aside > MANY
    behind = "select count(*) from set_aside where stream = 'account-mallory-EUR' and \"offset\" < 1000"
    assert await alone.fetchval(behind) == 22


async def test_the_auditor_reads_two_rows_of_each_stream(alone: Pool) -> None:
    await projector(alone, evening()).run()
    await lay_aside(alone, MANY, OTHERS)
    before = await entries_read(alone)
    async with alone.acquire() as connection:
        found = await watch.set_aside(connection, SCHEMA)
    assert {(each.stream, each.version, each.detail.partition(": ")[2]) for each in found} == {
        ("account-mallory-EUR", 3, "CharacterNotInRepertoireError"),
        *((f"other-{n}", 1, "made") for n in range(1, OTHERS + 1)),
    }
    assert await entries_read(alone) - before < 10 * OTHERS


class Breaks:
    """The ledger that can write it, on a connection that breaks after some events, once; and the order they came in."""

    name = "breaks"

    def __init__(self, after: int) -> None:
        self.left = after
        self.seen: list[tuple[str, int]] = []

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        self.left -= len(facts)
        if self.left < 0:
            self.left = 10**9
            raise ConnectionResetError
        self.seen += [(event.stream, event.version) for event, _ in facts]


def long_story() -> Script:
    script = evening()
    for number in range(1_000):
        script.deposit("mallory" if number % 3 else "eve", 10, "eve-\x00" if number == 0 else "")
    return script


async def left(pool: Pool) -> dict[str, tuple[int, int]]:
    rows = await pool.fetch("select stream, count(*) as events, min(version) as first from set_aside group by stream")
    return {row["stream"]: (row["events"], row["first"]) for row in rows}


async def test_what_was_taken_up_before_a_fault_stays_so_and_it_is_gone_on_with(books_pool: Pool) -> None:
    await projector(books_pool, long_story()).run()
    all_of_it = await left(books_pool)
    assert sum(events for events, _ in all_of_it.values()) > 1_000
    breaking = Breaks(700)
    models: list[Projection] = [*(Mended(each) for each in books()), breaking]
    with pytest.raises(ConnectionResetError):
        await PostgresStore(books_pool, BOOKS, models).take_up()

    rest = await left(books_pool)
    assert 0 < sum(events for events, _ in rest.values()) <= sum(events for events, _ in all_of_it.values()) - 300
    for stream, (events, first) in rest.items():  # from the first on, without a hole
        assert first + events == sum(all_of_it[stream])
    taken = await PostgresStore(books_pool, BOOKS, models).take_up()

    assert taken == sum(events for events, _ in rest.values())
    assert await left(books_pool) == {}
    await sums(books_pool)
    assert await books_pool.fetchval("select count(*) from transfers") == len(
        [each for each in long_story().records if "funds_deposited" in each[2].type]
    )


async def test_a_stream_that_breaks_again_keeps_what_is_left_and_the_others_go(books_pool: Pool) -> None:
    class BreaksAt(Mended):
        async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
            if any(event.stream == "account-mallory-EUR" and event.version == 400 for event, _ in facts):
                raise ValueError
            await super().apply(connection, facts)

    await projector(books_pool, long_story()).run()
    (events, first) = (await left(books_pool))["account-mallory-EUR"]

    await PostgresStore(books_pool, BOOKS, [BreaksAt(each) for each in books()]).take_up()

    assert await left(books_pool) == {"account-mallory-EUR": (first + events - 400, 400)}
    await sums(books_pool)


async def test_a_start_does_not_wait_for_all_of_it(books_pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches come in between, and what comes of the stream meanwhile comes behind what is set aside of it."""
    monkeypatch.setattr(store, "_LOAD_S", 0.0)
    monkeypatch.setattr(aside, "_EVENTS", 50)
    script = long_story()
    await projector(books_pool, script).run()
    for _ in range(10):
        script.deposit("bob", 7)
        script.deposit("mallory", 8)
    order = Breaks(10**9)
    running = projector(books_pool, script, [*(Mended(each) for each in books()), order], limit=2)

    await running.load()
    at_first = await left(books_pool)
    assert await running.step()
    after_one = await left(books_pool)
    assert sum(events for events, _ in at_first.values()) > 900
    assert sum(e for e, _ in after_one.values()) < sum(e for e, _ in at_first.values())
    while await running.step():
        pass

    assert await left(books_pool) == {}
    assert running.progress.set_aside == 0
    for stream in {each for each, _ in order.seen}:
        versions = [version for each, version in order.seen if each == stream]
        assert versions == list(range(versions[0], versions[0] + len(versions)))
    await sums(books_pool)
    assert await books_pool.fetchval("select count(*) from transfers") == len(
        [each for each in script.records if "funds_deposited" in each[2].type]
    )
