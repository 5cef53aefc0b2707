"""`croupier rebuild --compare` on the real database: equal to the row, and every planted difference is shown."""

from typing import Any

import asyncpg
import pytest

from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.topics import TOPICS
from libs.journal.mark_keys import Plan, marks_of
from libs.projecting import migrate, open_pool, project
from libs.projecting.writings import Writings
from services.audit import noted_writings, watch
from services.audit.verifying.findings import Kind
from services.cli import rebuild
from services.cli.comparing import MODELS, SHOWN
from services.cli.journals import books
from services.cli.rebuild import rebuild_log
from tests.audit.played import KEYRING, PlayedHouse, played
from tests.testkit.memory_source import MemorySource
from tests.testkit.partitions import PARTITIONS
from tests.testkit.simulated import SimulatedLog

pytestmark = pytest.mark.stack


async def project_live(house: PlayedHouse, database: str) -> None:
    """The live read models, made from the public topics as the services' projectors make them."""
    for model in MODELS:
        await migrate(database, model.schema, model.migrations)
        pool = await open_pool(database, model.schema, role=model.role, max_size=1)
        events = [
            (topic.name, partition, from_record(record.key, record.value, record.headers))
            for topic in TOPICS
            if topic.kind == "events"
            for partition in range(topic.partitions(PARTITIONS))
            for record in house.broker.records(topic.name, partition)
        ]
        await project(pool, model.projector, model.projections(None), MemorySource(events))
        await pool.close()


async def test_rebuilt_from_the_journals_nothing_differs(database: str) -> None:
    house = played(hands=6)
    await project_live(house, database)
    report = await rebuild_log(house.log, lambda: books(KEYRING, PARTITIONS), database)
    assert (report.problem, report.differences, report.journal_findings) == ("", 0, 0)
    rows = {f"{each.schema}.{each.table}": each.rebuilt for each in report.tables}
    assert rows["audit.histories"] == 6
    assert rows["wallet.transfers"] > 50
    assert rows["wallet.sittings"] == 4
    assert rows["audit.positions"] >= 1
    connection = await asyncpg.connect(database)
    assert await connection.fetchval("select count(*) from pg_namespace where nspname like '%rebuilt%'") == 0
    await connection.close()


async def test_what_tables_took_is_held_against_the_books(database: str) -> None:
    house = played(hands=4)
    await project_live(house, database)
    connection = await asyncpg.connect(database)
    assert await connection.fetchval("select sum(rake) from wallet.rake_accounts") > 0
    assert await watch.takings(connection, "wallet") == []
    await connection.execute("update wallet.rake_accounts set rake = rake - 1 where rake > 0")
    (found,) = await watch.takings(connection, "wallet")
    assert (found.kind, found.detail) == (
        Kind.ACCOUNT,
        "what tables and tournaments took as rake in EUR (real books) is not what the books have of it",
    )
    await connection.execute("update wallet.rake_accounts set rake = rake + 1, tips = 1 where rake > 0")
    assert ["tips" in each.detail for each in await watch.takings(connection, "wallet")] == [True]
    assert await watch.takings(connection, "nowhere") == []
    await connection.close()


@pytest.mark.parametrize(
    ("harm", "place", "only_live", "only_rebuilt"),
    [
        ("update wallet.balances set balance = balance + 1 where account like 'rake/%'", "wallet.accounts", 1, 1),
        ("update wallet.balances set balance = balance + 2::numeric ^ 70 where account like 'rake/%'",
         "wallet.accounts", 1, 1),
        ("delete from audit.histories where number = (select max(number) from audit.histories)",
         "audit.histories", 0, 1),
        ("insert into wallet.sittings (table_id, reservation, player, book, currency)"
         " values ('t', 'r', 'p', 'real', 'EUR')", "wallet.sittings", 1, 0),
        ("update audit.histories set mark_version = 10 ^ 6, record = replace(record, '\"rake\":', '\"rake\":1')"
         " where number = 1",
         "audit.histories", 1, 1),
    ],
)  # fmt: skip
async def test_a_planted_difference_is_shown(
    database: str, harm: str, place: str, only_live: int, only_rebuilt: int
) -> None:
    house = played(hands=4)
    await project_live(house, database)
    connection = await asyncpg.connect(database)
    if "balances" in harm:
        await connection.execute("alter table wallet.balances disable trigger all")
    await connection.execute(harm)
    await connection.close()
    report = await rebuild_log(house.log, lambda: books(KEYRING, PARTITIONS), database)
    wrong = {f"{e.schema}.{e.table}": (e.only_live, e.only_rebuilt) for e in report.tables if e.rows}
    assert wrong == {place: (only_live, only_rebuilt)}
    shown = next(each for each in report.tables if each.rows)
    assert (len(shown.sample_live), len(shown.sample_rebuilt)) == (only_live, only_rebuilt)


async def test_live_read_models_that_stay_behind_are_said_to_be(database: str) -> None:
    house = played(hands=2)
    await project_live(house, database)
    house.play(1)
    report = await rebuild_log(house.log, lambda: books(KEYRING, PARTITIONS), database, patience_s=0.3)
    assert "of croupier.table.events.v1" in report.problem
    assert not report.good


async def test_without_live_read_models_it_says_so(bare_database: str) -> None:
    report = await rebuild_log(played(hands=1).log, lambda: books(KEYRING, PARTITIONS), bare_database)
    assert "no live schema" in report.problem


async def test_play_goes_on_while_it_is_compared(database: str) -> None:
    """The live read models move on after the walk has begun, and beyond where the journals ended then."""
    house = played(hands=2)
    await project_live(house, database)
    house.play(2)
    told: list[str] = []

    class AtPlay(SimulatedLog):
        async def reader(self, topic: str, partition: int) -> Any:
            if topic == "croupier.wallet.journal.v1" and partition == 0 and not told:
                told.append("played")
                house.play(3)
                house.leave("player-3")
                house.settle()
                await project_live(house, database)
                house.play(1)  # not in the live read models: nor is it compared
            return await super().reader(topic, partition)

    report = await rebuild_log(AtPlay(house.broker), lambda: books(KEYRING, PARTITIONS), database)
    assert told
    assert (report.problem, report.differences, report.set_aside) == ("", 0, 0)
    rows = {f"{each.schema}.{each.table}": each.rebuilt for each in report.tables}
    assert rows["audit.histories"] == 7


async def test_what_is_rebuilt_may_take_the_place_of_the_live_books(database: str) -> None:
    """Its transactions are marked: nobody takes them for somebody else's."""
    house, root = played(hands=3), bytes(range(32))
    await project_live(house, database)
    marks = {each: marks_of(each, root, Plan()) for each in ("wallet", "audit")}
    asked = rebuild.Asked(database, keep=True, suffix="ab12cd34", marks=marks["audit"], wallet_marks=marks["wallet"])
    report = await rebuild.rebuild_house(house.log, books(KEYRING, PARTITIONS), asked)
    assert (report.problem, report.differences) == ("", 0)
    connection = await asyncpg.connect(database)
    noted = "select count(*) from {}.writings"
    assert await connection.fetchval(noted.format("wallet_rebuilt_ab12cd34")) > 0
    known = Writings(marks["audit"])
    assert await noted_writings.foreign_writings(connection, "wallet_rebuilt_ab12cd34", known) == []
    assert await connection.fetchval(noted.format("wallet_rebuilt_ab12cd34")) == 0
    assert await noted_writings.foreign_writings(connection, "wallet", known) != [], "made without a mark in this test"
    await connection.close()


async def test_an_interrupted_rebuild_is_gone_on_with(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    house = played(hands=6)
    await project_live(house, database)
    monkeypatch.setattr(rebuild, "_PAGE", 40)
    written = 0

    class Ended(Exception):
        pass

    whole = rebuild.Rebuilt.write

    async def write(self: rebuild.Rebuilt) -> None:
        nonlocal written
        written += 1
        if written == 7:
            raise Ended
        await whole(self)

    monkeypatch.setattr(rebuild.Rebuilt, "write", write)
    asked = rebuild.Asked(database, suffix="ab12cd34")
    with pytest.raises(Ended):
        await rebuild.rebuild_house(house.log, books(KEYRING, PARTITIONS), asked)
    connection = await asyncpg.connect(database)
    had = await connection.fetchval("select count(*) from wallet_rebuilt_ab12cd34.transfers")
    assert had > 0
    await connection.close()
    report = await rebuild.rebuild_house(house.log, books(KEYRING, PARTITIONS), asked)
    assert (report.problem, report.differences, report.kept) == ("", 0, [])


async def test_what_differs_is_shown_and_no_more_than_a_few_rows(database: str) -> None:
    house = played(hands=6)
    await project_live(house, database)
    connection = await asyncpg.connect(database)
    await connection.execute(
        "insert into wallet.sittings (table_id, reservation, player, book, currency)"
        " select 't', 'r' || n, 'p', 'real', 'EUR' from generate_series(1, 50) n"
    )
    report = await rebuild_log(house.log, lambda: books(KEYRING, PARTITIONS), database)
    (wrong,) = (each for each in report.tables if each.rows)
    assert (wrong.only_live, wrong.only_rebuilt, len(wrong.sample_live)) == (50, 0, SHOWN)
    assert (wrong.live, wrong.rebuilt) == (54, 4)
    await connection.close()
