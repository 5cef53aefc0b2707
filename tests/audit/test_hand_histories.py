"""A recalled hand is the fold of its events (GAM-13): results, stakes, every action and amount, no card more."""

import re

import msgspec
import pytest

from libs.contracts.topics import topic
from libs.edge.paging import NEWEST, place_of
from libs.projecting import Pool, make_months, migrate, open_pool, project
from libs.views.hand import Hand
from libs.views.records import Record
from services.audit.projections.histories import (
    _LAST,
    RECORDS,
    Histories,
    last_record,
    place_in_list,
    record_of,
    records_of,
)
from services.audit.settings import MIGRATIONS, SCHEMA
from tests.audit.scripted import TABLE, evening
from tests.testkit.memory_source import MemorySource
from tests.testkit.partitions import partition_of

pytestmark = pytest.mark.stack


async def projected(database: str) -> Pool:
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA)
    script = evening()
    events = [(topic("table", "events").name, partition_of(e.stream), e) for e in script.events]
    await project(pool, "audit", [Histories()], MemorySource(events))
    # Once more under another name: the same rows are met again.
    await project(pool, "again", [Histories()], MemorySource(events))
    return pool


async def recalled(pool: Pool, hand: int) -> Hand:
    async with pool.acquire() as connection:
        found = known(await record_of(connection, "hand", TABLE, hand))
    assert isinstance(found, Hand)
    return found


def known(document: str | None) -> Record:
    assert document is not None
    return RECORDS.decode(document)


@pytest.mark.rule("pt-811-2015", "65")
async def test_a_hand_is_recalled_whole(database: str) -> None:
    pool = await projected(database)
    hand = await recalled(pool, 1)
    assert (hand.replay, hand.outcome, hand.table_name, hand.rake, hand.burned) == (
        True,
        "ended",
        "One",
        65,
        [12, 16, 18],
    )
    assert (hand.button, hand.small_blind, hand.big_blind) == (1, 2, 3)
    assert [(a.street, a.seat, a.blind or a.act, a.amount, a.stack) for a in hand.actions] == [
        ("preflop", 2, "small", 50, 4950),
        ("preflop", 3, "big", 100, 4900),
        ("preflop", 1, "call", 100, 4900),
        ("preflop", 2, "call", 50, 4900),
        ("preflop", 3, "check", 0, None),
        ("flop", 2, "bet", 200, 4700),
        ("flop", 3, "fold", 0, None),
        ("flop", 1, "raise", 600, 4300),
        ("flop", 2, "call", 300, 4400),
        ("flop", 1, "uncalled_returned", 100, 4400),
    ]
    assert [(s.seat, s.stack_before, s.stack_after, s.staked, s.won, s.rake) for s in hand.seats] == [
        (1, 5000, 5635, 600, 1235, 65),
        (2, 5000, 4400, 600, 0, 0),
        (3, 5000, 4900, 100, 0, 0),
    ]
    (pot,) = hand.awards
    assert (pot.amount, pot.rake, [(p.seat, p.gross, p.net) for p in pot.payments]) == (1300, 65, [(1, 1300, 1235)])
    await pool.close()


async def test_only_shown_cards_are_kept(database: str) -> None:
    pool = await projected(database)
    script = evening()
    hand = await recalled(pool, 1)
    assert len(hand.board) == 5
    assert [len(seat.cards) for seat in hand.seats] == [4, 4, 0]
    assert (await recalled(pool, 2)).cards == ()
    assert script.decks, "other decks: the two evenings share no card order"
    assert len(hand.cards) == 13
    await pool.close()


@pytest.mark.rule("pt-811-2015", "72")
async def test_a_void_hand_stands_with_stakes_zero(database: str) -> None:
    pool = await projected(database)
    hand = await recalled(pool, 2)
    assert (hand.outcome, hand.void_cause, hand.void_by) == ("void", "lost", "staff")
    assert [(s.seat, s.staked, s.won, s.rake, s.refunded, s.stack_after) for s in hand.seats] == [
        (1, 0, 0, 0, 0, 5635),
        (2, 0, 0, 0, 50, 4400),
        (3, 0, 0, 0, 100, 4900),
    ]
    await pool.close()


async def test_the_last_hand_is_one_that_is_over(database: str) -> None:
    pool = await projected(database)
    async with pool.acquire() as connection:
        assert known(await last_record(connection, "hand", TABLE)).number == 2
        assert await last_record(connection, "round", TABLE) is None
        await connection.execute("update histories set mark_version = 1000, outcome = 'running' where number = 2")
        assert known(await last_record(connection, "hand", TABLE, "bob")).number == 1
        assert await last_record(connection, "hand", TABLE, "nobody") is None
        listed = await records_of(connection, "hand", "cem", place_of(NEWEST), 10)
        assert [(record.number, record.seats[2].staked) for record in listed] == [(2, 0), (1, 100)]
    assert (await recalled(pool, 1)).stakes == 100
    await pool.close()


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 50])
async def test_hands_of_one_millisecond_are_on_the_pages_whole(database: str, limit: int) -> None:
    """Nine hands of each of four tables, three tables at once: each on one page, whatever the page's length."""
    pool = await projected(database)
    async with pool.acquire() as connection:
        await connection.execute("delete from histories where number > 1")
        row = await connection.fetchrow("select * from histories")
        assert row is not None
        hand = RECORDS.decode(row["record"])
        assert isinstance(hand, Hand)
        for table in ("Faro-1", "faro-1", "faro_1", "x"):
            for number in range(1, 10):
                at = 1_000 + number + (table == "x")
                record = msgspec.structs.replace(hand, table=table, hand=number, started_at=at)
                await connection.execute(
                    "insert into histories values ($1, $2, $3, $4, $5, $6, $7, $8, 1, '')",
                    *(table, number, row["game"], row["kind"], row["outcome"], at, row["players"]),
                    msgspec.json.encode(record).decode(),
                )
        await connection.execute(
            """insert into played select unnest(players), game, started_at, table_id, number from histories
               on conflict do nothing"""
        )
        found, before = [], place_of("1000000")
        while page := await records_of(connection, "hand", "cem", before, limit):
            found += page
            before = place_of(place_in_list(page[-1]).cursor())
    assert len(found) == len({(each.table, each.number) for each in found}) == 36
    assert [each.started_at for each in found] == sorted((each.started_at for each in found), reverse=True)
    await pool.close()


async def test_a_tables_last_hand_is_looked_for_in_the_latest_months(database: str) -> None:
    """And in all of them only where there is none."""
    pool = await projected(database)
    async with pool.acquire() as connection:
        at: int = await connection.fetchval("select max(started_at) from histories")
        await make_months(connection, "histories", [at - month * 31 * 86_400_000 for month in range(24)])
        said = _LAST.replace("$1", f"array['{TABLE}']").replace("$2", str(at - 86_400_000))
        plan = "\n".join(row[0] for row in await connection.fetch(f"explain {said}"))
        assert len(set(re.findall(r"histories_\d{4}_\d\d", plan))) <= 3, plan
        young, old = [await Histories()._load(connection, {TABLE}, since) for since in (at, at + 1)]
        assert young == old, "the last hand is from before"
        assert young[TABLE].record is not None
    await pool.close()
