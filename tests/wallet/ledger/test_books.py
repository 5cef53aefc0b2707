"""The ledger on the real database: complete, balanced, append-only, and the same whoever writes it."""

import asyncio
from collections.abc import Sequence

import asyncpg
import msgspec
import pytest
from msgspec.structs import replace

from libs.projecting import (
    Connection,
    Pool,
    Told,
    completeness,
    migrate,
    open_gaps,
    open_pool,
    project,
    projector,
)
from libs.projecting.projector import Projector
from services.wallet.projections import BOOKS, COMPARED, MIGRATIONS, ROLE, SCHEMA, books
from services.wallet.projections.balances import account, rake_accounts, trial_balance
from tests.testkit.memory_source import MemorySource
from tests.wallet.script import Script, evening

pytestmark = pytest.mark.stack


async def rows(pool: Pool, table: str) -> list[tuple[object, ...]]:
    return sorted((tuple(row) for row in await pool.fetch(f"select * from {table}")), key=repr)


@pytest.mark.parametrize("at_hand", [50_000, 1])
async def test_a_start_reads_no_stream_that_nothing_comes_of(
    books_pool: Pool, monkeypatch: pytest.MonkeyPatch, at_hand: int
) -> None:
    monkeypatch.setattr(projector, "_STREAMS", at_hand)
    long_over = "select $1, 'croupier.table.events.v1', 'table-of-' || n, 9, 9 from generate_series(1, 5000) n"
    await books_pool.execute("insert into streams " + long_over, BOOKS)
    script = evening(hands=20)
    for records in (script.records[:60], script.records):  # the second one meets what it knows from the database alone
        one = Projector(books_pool, BOOKS, books(), MemorySource(records), limit=7)
        await one.run()
        assert len(one._streams) < 20
    async with books_pool.acquire() as connection:
        assert (await trial_balance(connection)).balanced
        assert await open_gaps(connection, BOOKS) == []
    assert await books_pool.fetchval("select sum(accepted)::int from positions") == len(script.records)


async def test_an_evening_adds_up(books_pool: Pool) -> None:
    script = evening(hands=20)
    figures = await project(books_pool, BOOKS, books(), MemorySource(script.records))

    async with books_pool.acquire() as connection:
        balance = await trial_balance(connection)
        rake = await rake_accounts(connection)
        ann = await account(connection, "ann")
    assert figures.accepted == len(script.records)
    assert balance.balanced
    assert balance.difference == {"EUR": 0}
    assert balance.disagreements == 0
    assert balance.open_pots == 0
    assert {group.group: group.balance for group in balance.groups} == {
        "operator-cash": -3_000_000,
        "player": 3_000_000 - 2 * 20 * 15,
        "in-transit": 0,
        "stack": 0,
        "pot": 0,
        "rake": 2 * 20 * 15,
    }
    assert [(account.rake, account.hands, account.hands_raked) for account in rake] == [(300, 20, 20), (300, 20, 20)]
    assert ann[0].at_tables == 0


async def test_an_account_is_known_from_its_opening(books_pool: Pool) -> None:
    script = Script()
    script.open_account("ann")
    script.open_account("eva", "demo")
    await project(books_pool, BOOKS, books(), MemorySource(script.records))
    async with books_pool.acquire() as connection:
        [ann], [eva] = await account(connection, "ann"), await account(connection, "eva", "demo")
        assert (ann.currency, ann.kind, ann.available, ann.at_tables) == ("EUR", "real", 0, 0)
        assert (eva.currency, eva.kind, eva.available) == ("EUR", "demo", 0)
        assert await account(connection, "eva") == await account(connection, "bob") == []
        assert (await trial_balance(connection)).balanced
    before = await rows(books_pool, "balances")
    script.deposit("ann", 700)
    await project(books_pool, BOOKS, books(), MemorySource(script.records))
    async with books_pool.acquire() as connection:
        [ann] = await account(connection, "ann")
    assert (ann.available, len(before)) == (700, 2)


async def test_accounts_opened_before_are_known_after_the_migration(books_pool: Pool, database: str) -> None:
    script = Script()
    script.open_account("ann")
    script.open_account("a-b-EUR", "demo")
    script.open_table("account-x-EUR")
    script.deposit("cleo", 500)
    await project(books_pool, BOOKS, books(), MemorySource(script.records))
    wanted = await rows(books_pool, "balances")
    owner = await asyncpg.connect(database)
    await owner.execute(f"set search_path to {SCHEMA}")
    await owner.execute("delete from balances where balance = 0")
    await owner.execute((MIGRATIONS / "009_accounts_from_their_opening.sql").read_text())
    await owner.close()
    assert await rows(books_pool, "balances") == wanted
    assert len(wanted) == 4


@pytest.mark.rule("pt-217-2007", "9.c")
async def test_duplicates_and_replays_count_once(books_pool: Pool) -> None:
    script = evening(hands=3)
    twice = [record for record in script.records for _ in range(2)]
    await project(books_pool, BOOKS, books(), MemorySource(script.records[:30] + twice), limit=7)
    before = await rows(books_pool, "transfers")

    await project(books_pool, BOOKS, books(), MemorySource(script.records[:30] + twice))  # from the stored position

    assert await rows(books_pool, "transfers") == before
    async with books_pool.acquire() as connection:
        assert (await trial_balance(connection)).balanced


async def test_two_projectors_at_once_write_each_event_once(books_pool: Pool) -> None:
    script = evening(hands=60)
    projectors = [Projector(books_pool, BOOKS, books(), MemorySource(script.records), limit=5) for _ in range(2)]

    await asyncio.gather(*(projector.run() for projector in projectors))

    both = [projector.progress for projector in projectors]
    assert sum(figures.accepted for figures in both) == len(script.records)
    assert sum(figures.lost for figures in both) > 0, "they never met: the test showed nothing"
    async with books_pool.acquire() as connection:
        assert (await trial_balance(connection)).balanced
        assert sum(c.accepted for c in await completeness(connection, BOOKS)) == len(script.records)


async def test_connections_that_break_lose_and_double_nothing(
    books_pool: Pool, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projector, "_PAUSE_S", 0.05)
    script = evening(hands=40)
    running = asyncio.create_task(project(books_pool, BOOKS, books(), MemorySource(script.records), limit=4))
    broken = 0
    breaker = await asyncpg.connect(database)
    while not running.done() and broken < 4:
        broken += await breaker.fetchval(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid() and application_name = 'croupier-wallet'"
        )
        await asyncio.sleep(0.1)
    await breaker.close()
    await running

    assert broken > 1
    async with books_pool.acquire() as connection:
        assert (await trial_balance(connection)).balanced
        assert sum(c.accepted for c in await completeness(connection, BOOKS)) == len(script.records)


class Full:
    """A disk that has no room three times."""

    name = "full"
    refused = 0

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        if self.refused < 3:
            self.refused += 1
            # The error that PostgreSQL gives when it cannot extend a file, raised by the server itself.
            await connection.execute("select no_space_left()")


async def test_a_full_disk_is_waited_for(books_pool: Pool, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found with a database on a file system that was full: the wallet ended."""
    owner = await asyncpg.connect(database)
    await owner.execute(f"""create function {SCHEMA}.no_space_left() returns void language plpgsql
                            as $$ begin raise exception 'no space left' using errcode = '53100'; end $$""")
    await owner.close()
    monkeypatch.setattr(projector, "_PAUSE_S", 0.05)
    script, full = evening(hands=3), Full()

    figures = await project(books_pool, BOOKS, [*books(), full], MemorySource(script.records))

    assert full.refused == 3
    assert figures.accepted == len(script.records)


async def test_a_rebuild_beside_the_live_books_is_equal_row_by_row(books_pool: Pool, database: str) -> None:
    script = evening(hands=25)
    await project(books_pool, BOOKS, books(), MemorySource(script.records), limit=11)
    await migrate(database, "wallet_rebuilt", MIGRATIONS)
    rebuilt = await open_pool(database, "wallet_rebuilt", role=ROLE)
    # Another order across partitions, the same within each: what a rebuild from the journals sees.
    by_partition = sorted(script.records, key=lambda record: (record[0], record[1]))
    await project(rebuilt, BOOKS, books(), MemorySource(by_partition), limit=500)

    for table in COMPARED:
        assert await rows(rebuilt, table) == await rows(books_pool, table), table
    async with books_pool.acquire() as live, rebuilt.acquire() as fresh:
        assert await completeness(live, BOOKS) == await completeness(fresh, BOOKS)
    await rebuilt.close()


@pytest.mark.parametrize(
    "statement",
    [
        "update transfers set amount = amount + 1",
        "delete from transfers",
        "truncate transfers",
        "drop table transfers",
        "alter table transfers disable trigger all",
        "alter table transfers drop constraint transfers_pkey",
        "drop trigger transfers_are_final on transfers",
        "delete from balances",
        "drop schema wallet cascade",
    ],
)
async def test_the_service_cannot_rewrite_its_books(books_pool: Pool, statement: str) -> None:
    await project(books_pool, BOOKS, books(), MemorySource(evening(hands=1).records))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await books_pool.execute(statement)


async def test_even_the_owner_cannot_change_a_transfer(books_pool: Pool, database: str) -> None:
    await project(books_pool, BOOKS, books(), MemorySource(evening(hands=1).records))
    owner = await open_pool(database, SCHEMA, role="croupier_ledger_owner")
    for statement in ("update transfers set amount = 1", "delete from transfers", "truncate transfers"):
        with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="append-only"):
            await owner.execute(statement)
    await owner.close()


async def test_books_that_do_not_balance_are_not_committed(books_pool: Pool) -> None:
    await project(books_pool, BOOKS, books(), MemorySource(evening(hands=1).records))
    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="do not balance"):
        await books_pool.execute("update balances set balance = balance + 1 where account = 'player/ann/EUR'")
    with pytest.raises(asyncpg.CheckViolationError, match="never_below_its_floor"):
        await books_pool.execute("update balances set balance = -1 where account = 'player/ann/EUR'")


async def test_money_that_is_not_there_sets_its_table_aside_and_the_books_stay_true(books_pool: Pool) -> None:
    script = Script()
    script.open_table("table-1")
    script.deposit("ann", 1000)
    script.buy_in("ann", "table-1", "ann@table-1", 1000)
    script.hand("table-1", {"ann": 400}, "ann")
    wrong = len(script.records)
    script._stacks["table-1", "ann"] = 9_000
    script.hand("table-1", {"ann": 1001}, "ann")
    script.deposit("bob", 700)

    progress = await project(books_pool, BOOKS, books(), MemorySource(script.records), limit=wrong)

    aside = await books_pool.fetch("select stream, reason from set_aside order by version")
    assert {row["stream"] for row in aside} == {"table-1"}
    assert [row["reason"] for row in aside] == ["BooksBroken", *[""] * (len(aside) - 1)]
    assert progress.set_aside == len(aside)
    assert await books_pool.fetchval("select balance from balances where account = 'player/bob/EUR'") == 700
    assert await books_pool.fetchval("select count(*) from transfers where kind = 'blind'") == 1
    async with books_pool.acquire() as connection:
        assert (await trial_balance(connection)).balanced


async def test_a_gap_is_counted_and_closed_when_the_events_come_again(books_pool: Pool) -> None:
    script = evening(hands=2, tables=["table-1"])
    wallet = [record for record in script.records if "wallet" in record[0]]
    table = [record for record in script.records if "table" in record[0]]
    gapped = [*wallet, *table[:5], *table[6:10]]

    first = await project(books_pool, BOOKS, books(), MemorySource(gapped))
    async with books_pool.acquire() as connection:
        gaps = await open_gaps(connection, BOOKS)
        halfway = await trial_balance(connection)
    # Published again from further back, as a follower does after a failure (journal 19).
    await project(books_pool, BOOKS, books(), MemorySource([*gapped, *table[3:]]))

    assert first.gaps == 4
    assert [(gap.stream, gap.version, gap.seen) for gap in gaps] == [("table-1", 5, 10)]
    assert halfway.balanced
    async with books_pool.acquire() as connection:
        assert await open_gaps(connection, BOOKS) == []
        final = await trial_balance(connection)
    assert (final.balanced, final.open_pots, final.disagreements) == (True, 0, 0)


async def test_play_money_has_books_of_its_own(books_pool: Pool) -> None:
    real, play = evening(hands=2, tables=["table-1"]), Script(kind="demo")
    play.open_table("fun-1")
    play.deposit("ann", 50_000)
    play.buy_in("ann", "fun-1", "ann@fun-1", 10_000)
    await project(books_pool, BOOKS, books(), MemorySource([*real.records, *play.records]))

    async with books_pool.acquire() as connection:
        real_money, play_money = await trial_balance(connection), await trial_balance(connection, "demo")
        ann, ann_playing = await account(connection, "ann"), await account(connection, "ann", "demo")
    assert {group.group for group in play_money.groups} == {"play-credit", "player", "stack", "in-transit"}
    assert play_money.balanced
    assert next(g.balance for g in real_money.groups if g.group == "operator-cash") == -3_000_000
    assert (ann_playing[0].available, ann_playing[0].at_tables) == (40_000, 10_000)
    assert ann[0].available > 900_000


async def test_an_event_that_states_another_figure_is_written_down(books_pool: Pool) -> None:
    script = evening(hands=1, tables=["table-1"])
    records = list(script.records)
    at = next(i for i, (_, _, e) in enumerate(records) if e.type.endswith("blind_posted.v1"))
    topic, partition, event = records[at]
    records[at] = (
        topic,
        partition,
        replace(event, data=msgspec.json.encode({**msgspec.json.decode(event.data), "stack": 1})),
    )

    await project(books_pool, BOOKS, books(), MemorySource(records))

    found = await books_pool.fetch("select event_id, account, stated from disagreements")
    assert [tuple(row) for row in found] == [(event.id, "stack/table-1/ann", 1)]
