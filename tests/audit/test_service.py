"""The audit service on the real broker and the real database: histories, incidents, checkpoints, readiness."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from httpx import ASGITransport
from msgspec import structs
from prometheus_client import generate_latest

from libs.broker import Broker
from libs.contracts.topics import Kind, topic
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import OutRecord
from libs.journal.marks import Marks
from libs.projecting import open_pool
from libs.stack import Stack
from services.audit import standing_alarms, watch
from services.audit.checkpoints import Lines, disagreements, read_key
from services.audit.http.routes import audit_app
from services.audit.marked_rows import mark_row
from services.audit.settings import AuditSettings
from services.audit.verifying.checkpoint import check_checkpoints, public_hex
from services.audit.wiring import Audit, audit
from services.cli.migrate import migrated
from services.wallet.projections import ROLE as WALLET_ROLE
from tests.audit.played import KEK, PlayedHouse, played
from tests.conftest import login_at
from tests.testkit.logins import AS_PLATFORM, callers
from tests.testkit.marks import AUDIT, GATEWAY, TABLE, WALLET, mark_file
from tests.testkit.partitions import PARTITIONS, partition_of
from tests.testkit.simulated import SimulatedBroker
from tests.testkit.tampering import delete_below

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]


Copied = dict[tuple[str, int], int]
"""How many records of each partition are there already."""


async def copy(broker: SimulatedBroker, kafka: Broker, prefix: str, skip: Copied) -> None:
    """Brings what a played house has written since the last time to the real topics, offsets alike."""
    written: tuple[tuple[str, Marks, tuple[Kind, ...]], ...] = (
        ("table", GATEWAY, ("commands",)),
        ("wallet", GATEWAY, ("commands",)),
        ("table", TABLE, ("journal", "events")),
        ("wallet", WALLET, ("journal", "events")),
    )
    for service, marks, kinds in written:
        publisher = await KafkaLog(kafka, marks).publisher()
        for kind in kinds:
            name = topic(service, kind).name
            for partition in range(PARTITIONS):
                records = broker.records(name, partition)[skip.get((name, partition), 0) :]
                skip[name, partition] = skip.get((name, partition), 0) + len(records)
                out = [OutRecord(prefix + name, r.key or b"", r.value, r.headers, partition) for r in records]
                if out:
                    await (await publisher.send(out))
        await publisher.abandon()


@asynccontextmanager
async def serving(settings: AuditSettings) -> AsyncIterator[tuple[Audit, httpx.AsyncClient]]:
    async with audit(settings) as parts:
        work = asyncio.create_task(parts.run())
        app = audit_app(parts.answering, callers(Path(str(settings.checkpoint_file)).parent), marks=parts.marks)
        client = httpx.AsyncClient(transport=ASGITransport(app), base_url="http://audit", headers=AS_PLATFORM)
        try:
            yield parts, client
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)


async def until(condition: Callable[[], Awaitable[Any]], patience_s: float = 60.0) -> Any:
    async with asyncio.timeout(patience_s):
        while not (found := await condition()):
            await asyncio.sleep(0.1)
    return found


def settings_for(stack: Stack, database: str, prefix: str, folder: Path) -> AuditSettings:
    key = folder / "checkpoint.hex"
    key.write_text("11" * 32 + "\n")
    kek = folder / "kek.hex"
    kek.write_text(KEK.hex() + "\n")
    return AuditSettings(
        **stack.broker("audit").settings(),
        database_url=login_at(stack, database, "audit"),
        topic_prefix=prefix,
        marks_file=mark_file(folder, "audit"),
        kek_file=kek,
        checkpoint_key_file=key,
        checkpoint_file=folder / "checkpoints.jsonl",
        checkpoint_every_s=0.5,
        alarms_every_s=0.3,
    )


async def caught_up(house: PlayedHouse, client: httpx.AsyncClient) -> bool:
    published = sum(
        len(house.broker.records(topic(service, "events").name, partition))
        for service in ("table", "wallet")
        for partition in range(PARTITIONS)
    )
    rows = (await client.get("/v1/completeness")).json()["partitions"]
    return bool(sum(row["accepted"] for row in rows) >= published)


async def test_an_evening_and_a_restart(
    stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path
) -> None:
    settings, house = settings_for(stack, house_database, topics, tmp_path), played(hands=3)
    copied: Copied = {}
    await copy(house.broker, kafka, topics, copied)
    async with serving(settings) as (parts, client):
        await until(lambda: caught_up(house, client))
        await until(lambda: _ready(parts))
        assert (await client.get("/v1/incidents")).json()["incidents"] == []

        opened = re.search(r"^croupier_audit_decks_total (\S+)$", generate_latest().decode(), re.MULTILINE)
        assert opened is not None
        assert float(opened[1]) >= 3, "a reader that had to start over opens a deck twice"

        hand = (await client.get("/v1/hands/table-1/last")).json()
        assert (hand["hand"], hand["outcome"], hand["replay"]) == (3, "ended", True)
        assert (await client.get("/v1/hands/table-1/99")).json()["type"] == "urn:croupier:problem:no-such-hand"
        mine = (await client.get("/v1/hands", params={"player": "player-1"})).json()["hands"]
        assert [line["hand"] for line in mine] == [3, 2, 1]

    # Play goes on while the auditor is away; it takes up where it stopped, and nothing counts twice.
    house.play(2)
    await copy(house.broker, kafka, topics, copied)
    async with serving(settings) as (parts, client):
        await until(lambda: caught_up(house, client))
        await until(lambda: _ready(parts))
        assert (await client.get("/v1/hands/table-1/last")).json()["hand"] == 5
        assert (await client.get("/v1/incidents")).json()["incidents"] == []

    kept = list(Lines(settings.checkpoint_file or Path()))
    assert len(kept) >= 2
    connection = await asyncpg.connect(house_database, server_settings={"search_path": "audit"})
    try:
        assert await disagreements(connection, kept[-1]) == []
        for cut in (*kept[:-2][-1:], None):
            assert "the file ends with" in (await disagreements(connection, cut))[0].detail
        other = structs.replace(kept[-1], signature=kept[0].signature)
        assert len(await disagreements(connection, other)) == 1
    finally:
        await connection.close()
    assert list(check_checkpoints(kept, public_hex(read_key(settings.checkpoint_key_file or Path())))) == []
    assert {head.stream for each in kept for head in each.heads} >= {"table-1", "account-player-1-EUR"}


async def test_a_hand_that_somebody_rewrites_is_shown_to_nobody_and_told_within_seconds(
    stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path
) -> None:
    """With the auditor's own login: 50.00 more for the winner, and support would have believed it."""
    settings, house = settings_for(stack, house_database, topics, tmp_path), played(hands=3)
    await copy(house.broker, kafka, topics, {})
    async with serving(settings) as (parts, client):
        await until(lambda: caught_up(house, client))
        await until(lambda: _ready(parts))
        one = "/v1/hands/table-1/2"
        assert (await client.get(one)).status_code == 200
        await parts.pool.execute(
            """update histories set mark_version = mark_version + 1,
                      record = regexp_replace(record, '"won":[1-9][0-9]*', '"won":9999') where number = 2"""
        )
        changed = time.monotonic()
        refused = await client.get(one)
        assert (refused.status_code, refused.json()["type"]) == (500, "urn:croupier:problem:record-not-true")
        assert "9999" not in refused.text
        page = await client.get("/v1/hands", params={"player": "player-1"})
        assert (page.status_code, page.json()["number"]) == (500, 2)
        rest = await client.get("/v1/hands", params={"player": "player-1", "before": page.json()["next_before"]})
        assert [line["hand"] for line in rest.json()["hands"]] == [1]

        # Nobody asks for this one.
        await parts.pool.execute(
            "update histories set mark_version = mark_version + 1, outcome = 'void' where number = 1"
        )

        async def told() -> list[dict[str, Any]]:
            rows: list[dict[str, Any]] = (await client.get("/v1/incidents")).json()["incidents"]
            return rows if len(rows) == 2 else []

        found = await until(told, 10)
        assert time.monotonic() - changed < 5
        assert {(each["kind"], each["severity"], each["stream"]) for each in found} == {
            ("history_written_by_hand", "critical", "table-1")
        }


async def test_what_the_wallets_login_writes_to_the_books_is_told_within_seconds(
    stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path
) -> None:
    """Put right again before anybody looks: it is told all the same."""
    settings, house = settings_for(stack, house_database, topics, tmp_path), played(hands=1)
    await copy(house.broker, kafka, topics, {})
    async with serving(settings) as (parts, client):
        await until(lambda: _ready(parts))
        async with await open_pool(login_at(stack, house_database, "wallet"), "wallet", role=WALLET_ROLE) as thief:
            await thief.execute("insert into house_edges values ('t', 'a', 1); update sittings set won = won + 1")
            await thief.execute("update house_edges set edge_ppm = 0")
        written = time.monotonic()

        async def told() -> list[dict[str, Any]]:
            rows: list[dict[str, Any]] = (await client.get("/v1/incidents")).json()["incidents"]
            return rows if len(rows) == 2 else []

        found = await until(told, 10)
        assert time.monotonic() - written < 5
        assert {(each["kind"], each["severity"]) for each in found} == {("ledger_written_by_hand", "critical")}
        assert {each["detail"].partition(" wrote to ")[2] for each in found} == {
            "house_edges, sittings: no mark",
            "house_edges: no mark",
        }


async def test_what_somebody_says_in_the_auditors_name_is_told(
    stack: Stack, house_database: str, topics: str, tmp_path: Path
) -> None:
    """With its database login: an incident before it happens, a read, a lifted block, a device that two share, a case,
    and what a check remembers. Each is named within seconds, and none of them is on a list."""
    forged = (
        """insert into incidents (identity, kind, severity, stream, detail, first_seen, last_seen, mark)
           values ('i', 'bank_alarm', 'minor', 'bank', 'a drill', 1, 1, 'x')""",
        """insert into reads (at, principal, roles, scopes, purpose, what, target, address, before, digest)
           values (1, 'staff:sam', '{}', '{}', 'curious', 'GET', '/', '', '', 'x')""",
        """insert into restrictions (identity, at, about, player, whose, holds, until, principal, reason, notice, mark)
           values ('i', 1, 'blocked', 'bob', '', false, 0, 'staff:sam', 'a friend', '', 'x')""",
        """insert into account_signals (account, report, player, kind, value, at, mark)
           values ('a', 'r', 'ann', 'device', 'd', 1, 'x')""",
        """insert into cases (identity, kind, players, hands, evidence, opened_at, last_seen, mark)
           values ('i', 'soft_play', '{ann,bob}', '[]', '{}', 1, 1, 'x')""",
        """insert into check_states (check_name, stream, state, over, mark_version, mark)
           values ('account', 'account-ann-EUR', '{}', false, 1, 'x')""",
    )
    async with serving(settings_for(stack, house_database, topics, tmp_path)) as (parts, client):
        await until(lambda: _ready(parts))
        for statement in forged:
            await parts.pool.execute(statement)
        began = time.monotonic()

        async def told() -> list[dict[str, Any]]:
            rows: list[dict[str, Any]] = (await client.get("/v1/incidents")).json()["incidents"]
            return rows if len(rows) >= len(forged) else []

        found = await until(told, 20)
        assert time.monotonic() - began < 10
    assert sorted((each["kind"], each["severity"], each["stream"]) for each in found) == [
        *(
            ("evidence_written_by_hand", "critical", f"audit.{table}")
            for table in ("account_signals", "cases", "check_states", "incidents", "restrictions")
        ),
        ("trail_of_reads_broken", "critical", "audit"),
    ]


async def test_what_is_wrong_becomes_one_incident(
    stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path
) -> None:
    settings, house = settings_for(stack, house_database, topics, tmp_path), played(hands=1)
    copied: Copied = {}
    house.broker.land(topic("table", "journal").name, 0, [(b"table-x", b"nonsense", ())])
    await copy(house.broker, kafka, topics, copied)
    async with serving(settings) as (_, client):
        found = await until(lambda: _incidents(client))
    assert [(each["kind"], each["stream"], each["count"]) for each in found] == [("undecodable", "table-x", 1)]

    # Read again from the beginning: the row is found again and stays one.
    connection = await asyncpg.connect(house_database)
    await connection.execute("truncate audit.readers, audit.journal_heads, audit.journal_links")
    await connection.close()
    async with serving(settings) as (parts, client):
        await until(lambda: _ready(parts))
        again = (await client.get("/v1/incidents")).json()["incidents"]
    assert [(each["id"], each["count"]) for each in again] == [(found[0]["id"], 1)]


async def test_a_rewritten_log_is_an_incident_and_ends_readiness(
    stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path
) -> None:
    settings, house = settings_for(stack, house_database, topics, tmp_path), played(hands=1)
    await copy(house.broker, kafka, topics, {})
    connection = await asyncpg.connect(house_database)
    async with serving(settings) as (parts, client):
        await until(lambda: _ready(parts))
        await until(lambda: connection.fetchval("select count(*) from audit.readers where last >= 0"))
    read = "select topic, partition, next, last from audit.readers where topic like '%table%' and last >= 0"
    for topic_, partition, next_, last in await connection.fetch(read):
        row = ("audit", topic_, partition, next_, last, b"of another log")
        changed = "update audit.readers set digest = $1, mark = $2 where topic = $3 and partition = $4"
        await connection.execute(changed, row[-1], mark_row(AUDIT, b"reader", row), topic_, partition)
    await connection.close()
    async with serving(settings) as (parts, client):
        found = await until(lambda: _incidents(client))
        assert {each["kind"] for each in found} == {"log_rewritten"}
        # Told as soon as it is kept, and the follower ends once its own work is done.
        await until(lambda: _says(parts, "not the log"))


async def test_a_journal_that_loses_its_front_is_told_within_seconds(
    stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path
) -> None:
    """Whoever follows it reads on, and a service that has snapshots starts: nobody else would notice."""
    settings, house = settings_for(stack, house_database, topics, tmp_path), played(hands=1)
    await copy(house.broker, kafka, topics, {})
    name = topics + topic("table", "journal").name
    async with serving(settings) as (parts, client):
        await until(lambda: caught_up(house, client))
        await until(lambda: _ready(parts))
        assert await _incidents(client) == []
        await delete_below(stack, name, {partition_of(house.table): 2})
        found = await until(lambda: _incidents(client), 5.0)
    assert [(each["kind"], each["severity"], each["stream"], each["offset"]) for each in found] == [
        ("log_rewritten", "critical", name, 2)
    ]


async def test_alarms_of_books_that_do_not_balance_or_run_ahead(
    stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing_alarms, "COUNTED_EVERY", 2)
    monkeypatch.setattr(watch, "SUM_SHARE", 1)
    settings = settings_for(stack, house_database, topics, tmp_path)
    connection = await asyncpg.connect(house_database)
    await connection.execute(
        f"""alter table wallet.balances disable trigger user;
        insert into wallet.balances
        values ('real', 'a', 'EUR', 5, true), ('real', 'b', 'EUR', -4, true), ('demo', 'c', 'EUR', 0, true);
        insert into wallet.positions values ('wallet-books', '{topics}croupier.table.events.v1', 1, 7)"""
    )
    await connection.close()
    async with serving(settings) as (_, client):
        found = await until(lambda: _incidents(client, 9))
        off = "database_has_strangers"  # the triggers, which are told as well
        kinds = sorted(each["kind"] for each in found if each["kind"] != off)
        written = ["account_not_balanced"] * 2  # a and b, which no transfer brought
        sums = ["ledger_sum_not_zero"] * 3  # over all, and what is kept of the kinds a and b
        assert kinds == [*written, "ledger_ahead_of_log", *sums]
        counted = await until(lambda: _counted(client, 2))
    assert len(counted) == 9, "the same alarm counts on its row"


async def _ready(parts: Audit) -> bool:
    return parts.ready() is None


async def _says(parts: Audit, words: str) -> bool:
    return words in (parts.ready() or "")


async def _incidents(client: httpx.AsyncClient, at_least: int = 1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((await client.get("/v1/incidents")).content)["incidents"]
    return found if len(found) >= at_least else []


async def _counted(client: httpx.AsyncClient, at_least: int) -> list[dict[str, Any]]:
    found = await _incidents(client)
    return found if all(each["count"] >= at_least for each in found) else []


async def test_a_database_made_anew_goes_on_behind_the_file(
    stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path
) -> None:
    settings, house = settings_for(stack, house_database, topics, tmp_path), played(hands=1)
    copied: Copied = {}
    await copy(house.broker, kafka, topics, copied)
    async with serving(settings) as (parts, _):
        await until(lambda: _ready(parts))
    connection = await asyncpg.connect(house_database)
    await connection.execute("drop schema audit cascade")
    await connection.close()
    await migrated(house_database)
    before = list(Lines(settings.checkpoint_file or Path()))
    house.play(1)
    await copy(house.broker, kafka, topics, copied)
    async with serving(settings) as (parts, _):
        await until(lambda: _ready(parts))
    after = list(Lines(settings.checkpoint_file or Path()))
    assert after[: len(before)] == before
    assert len(after) > len(before) > 0
    assert list(check_checkpoints(after, public_hex(read_key(settings.checkpoint_key_file or Path())))) == []
