"""Who has the auditor's database login keeps it from judging nothing: its positions, heads and links bear its mark."""

import asyncio
import time
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace
from uuid6 import uuid7

from libs.broker import Broker
from libs.contracts.house import HouseCreated
from libs.contracts.topics import topic
from libs.journal.commit import Commit, decode, digest, encode
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import Headers, LogRecord
from libs.journal.machine import journal_name
from libs.journal.marks import Place
from libs.projecting import Pool, PositionLost, open_pool
from libs.stack import StackError
from services.audit.journal_audit import JournalAudit
from services.audit.reconciling import Reconciliation
from services.audit.settings import ROLE, SCHEMA
from services.cli.journals import books
from services.cli.verify import commands_of, verify_log
from tests.audit.played import KEYRING, played
from tests.audit.test_reconciling import Site, site
from tests.audit.test_service import settings_for
from tests.conftest import login_at
from tests.testkit.marks import AUDIT, GATEWAY, TABLE
from tests.testkit.partitions import PARTITIONS, partition_of

pytestmark = pytest.mark.stack
NAME = topic("table", "journal").name
LINK = """insert into journal_links values ($1, $2, $3, $4, $5, $6, $7, 'valid', $8, $9, $10, $11)"""


class OfRows:
    """The auditor's marks on a log that bears none."""

    def marked(self, place: Place, key: bytes | None, value: bytes | None, headers: Headers) -> Headers:
        return AUDIT.marked(place, key, value, headers)

    def why_foreign(self, place: Place, record: LogRecord) -> str | None:
        return AUDIT.why_foreign(place, record)

    def why_not_asked(self, place: Place, record: LogRecord) -> str | None:
        return None


class Followed:
    """A played table's partition, and an auditor that has judged it."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.house = pool, played(hands=1)
        self.place = NAME, partition_of(self.house.table)
        self.judge = self.another()

    def another(self) -> JournalAudit:
        house = HouseCreated("h", 1, PARTITIONS, 0)
        against = Reconciliation(self.house.log, OfRows(), self.pool, "table", "", house)
        return JournalAudit(
            *(self.pool, self.house.log, *self.place, PARTITIONS, journal_name("table")),
            reconciliation=against,
            marks=OfRows(),
        )

    async def follow(self, judge: JournalAudit | None = None) -> None:
        judge = judge or self.judge
        await judge.load()
        while not judge.caught_up:
            await judge.step()

    def forge(self) -> tuple[int, Commit]:
        """What the service's login and marks can write: a commit of no command, chained as it must be."""
        raw = self.house.broker.records(*self.place)[-1].value or b""
        made = forged(decode(raw), raw)
        return self.house.broker.land(*self.place, [(made.stream.encode(), encode(made), ())]), made

    async def incidents(self) -> list[tuple[str, str]]:
        return [tuple(row) for row in await self.pool.fetch("select kind, stream from incidents order by id")]


def forged(last: Commit, raw: bytes) -> Commit:
    return replace(
        last, base=last.version, prev=digest(raw), command_id=uuid7().bytes, verdict="rejected", reason="forged",
        events=(), sealed=b"",
    )  # fmt: skip


async def passed(connection: Any, place: tuple[str, int], offset: int, commit: Commit) -> None:
    """All that the auditor's login can write, so that the auditor seems to have judged this commit."""
    seen = digest(encode(commit))
    said = "update readers set next = $3, last = $4, digest = $5 where topic = $1 and partition = $2"
    assert await connection.execute(said, *place, offset + 1, offset, seen) == "UPDATE 1"
    link = (commit.stream, commit.version, commit.prev, seen, commit.command_id, b"answer", 1, b"mine")
    await connection.execute(LINK, *place, offset, *link)
    said = "update journal_heads set version = $3, digest = $4, last_offset = $5 where topic = $1 and stream = $2"
    assert await connection.execute(said, place[0], commit.stream, commit.version, seen, offset) == "UPDATE 1"


NAMED = [
    ("evidence_written_by_hand", "audit.journal_links"),
    ("position_moved", NAME),
    ("evidence_written_by_hand", "audit.journal_heads"),
]


async def test_a_commit_that_the_database_passes_over_is_judged_all_the_same(pool: Pool) -> None:
    at = Followed(pool)
    await at.follow()
    assert await at.incidents() == []
    offset, commit = at.forge()
    await passed(pool, at.place, offset, commit)
    with pytest.raises(PositionLost):  # by the one who was following
        await at.judge.step()
    await at.follow()
    assert await at.incidents() == [*NAMED, ("commit_without_command", at.house.table)]
    ours = "select judgement from journal_links where \"offset\" = $1 and mark <> 'mine'"
    assert [row["judgement"] for row in await pool.fetch(ours, offset)] == ["valid"], "beside that of the other"
    await at.follow(at.another())
    assert len(await at.incidents()) == 4, "and once: what it wrote itself it believes"


async def test_a_true_position_of_before_is_told_and_nothing_is_judged_twice(pool: Pool) -> None:
    at = Followed(pool)
    await at.judge.load()
    await at.judge.step()
    [before] = await pool.fetch("select * from readers where reader = 'audit' and partition = $1", at.place[1])
    at.house.play(1)
    await at.follow()
    at.forge()
    set_back = "update readers set next = $1, last = $2, digest = $3, mark = $4 where partition = $5"
    again = (before["next"], before["last"], before["digest"], before["mark"], at.place[1])
    await pool.execute(set_back, *again)
    await at.follow(at.another())
    assert await at.incidents() == [("position_moved", NAME), ("commit_without_command", at.house.table)]
    judged = await pool.fetch("select judgement from journal_links")
    assert {row["judgement"] for row in judged} == {"valid"}
    assert len(judged) == len(at.house.broker.records(*at.place))


async def test_without_a_true_link_it_goes_on_from_the_beginning(pool: Pool, owner: Any) -> None:
    """As where an archive has taken them out. True heads are of what comes later then: none is gone on with."""
    at = Followed(pool)
    await at.follow()
    await owner.execute("truncate journal_links")
    await pool.execute("update readers set mark = 'mine'")
    at.forge()
    await at.follow(at.another())
    assert await at.incidents() == [("position_moved", NAME), ("commit_without_command", at.house.table)]
    judged = [row["judgement"] for row in await pool.fetch("select judgement from journal_links")]
    assert judged == ["valid"] * len(at.house.broker.records(*at.place))


async def test_a_head_that_somebody_changed_is_made_anew_from_the_journal(pool: Pool) -> None:
    at = Followed(pool)
    await at.follow()
    changed = "update journal_heads set last_offset = last_offset + 1, digest = 'x' where stream = $1"
    assert await pool.execute(changed, at.house.table) == "UPDATE 1"
    at.house.play(1)
    await at.follow(at.another())
    assert await at.incidents() == [("evidence_written_by_hand", "audit.journal_heads")]
    head = await pool.fetchrow("select * from journal_heads where stream = $1", at.house.table)
    assert head is not None
    assert head["digest"] == digest(at.house.broker.records(*at.place)[-1].value or b"")


async def test_a_refusal_is_gone_on_from_after_a_restart(pool: Pool) -> None:
    """It leaves a stream's version: its head was not kept, and for the next auditor all that followed was void."""
    at = Followed(pool)
    for judge in (at.judge, at.another(), at.another()):
        await at.follow(judge)
        at.forge()
    judged = await pool.fetch("select judgement from journal_links")
    assert {row["judgement"] for row in judged} == {"valid"}
    assert [kind for kind, _ in await at.incidents()] == ["commit_without_command"] * 2


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("insert into readers values ('audit', 't', 0, 1, 0, '')", asyncpg.NotNullViolationError),
        ("update readers set mark = null", asyncpg.NotNullViolationError),
        ("update readers set partition = 7", asyncpg.InsufficientPrivilegeError),
        ("delete from readers", asyncpg.InsufficientPrivilegeError),
        ("update journal_links set mark = 'x'", asyncpg.InsufficientPrivilegeError),
        ("delete from journal_links", asyncpg.InsufficientPrivilegeError),
        ("insert into journal_links values ('t', 0, 1, 's', 1, '', '', 'valid', '', '', 1)",
         asyncpg.NotNullViolationError),
    ],
)  # fmt: skip
async def test_no_row_is_without_a_mark_or_makes_room(pool: Pool, statement: str, refusal: type[Exception]) -> None:
    await Followed(pool).follow()
    with pytest.raises(refusal):
        await pool.execute(statement)


@pytest.mark.usefixtures("created")
async def test_an_insider_with_both_logins_is_named_within_seconds_and_by_verify(
    kafka: Broker, topics: str, stack: Any, house_database: str, tmp_path: Any
) -> None:
    """The service's login and marks write a commit, and the auditor's database login holds the row that the auditor
    waits for, until all is said as if it had judged it."""
    settings = settings_for(stack, house_database, topics, tmp_path)
    async with site(kafka, settings, topics) as at:
        await _pass_over(at, login_at(stack, house_database, "audit"))
        await at.found("position_moved", "is not its own")
        await at.found("commit_without_command", "another command stands where")
        assert {kind for kind, _ in await at.incidents()} == {
            *("position_moved", "evidence_written_by_hand", "commit_without_command")
        }
    log, house = KafkaLog(kafka, GATEWAY), books(KEYRING, PARTITIONS)
    created = HouseCreated("h", 1, PARTITIONS, time.time_ns() // 1_000_000)  # behind the times of the copied log
    report = await verify_log(log, house, prefix=topics, commands=commands_of(log, GATEWAY, topics, created, house))
    assert [(each["kind"], each["stream"]) for each in report.findings] == [("commit_without_command", at.house.table)]
    with pytest.raises(StackError, match="hand-out"):
        commands_of(log, TABLE, topics, created, house)


async def _pass_over(at: Site, url: str) -> None:
    last, raw = at.last
    commit, place = forged(last, raw), (at.journal, at.place)
    offset = len(at.house.broker.records(topic("table", "journal").name, at.place))
    async with await open_pool(url, SCHEMA, role=ROLE) as pool, pool.acquire() as holds, holds.transaction():
        held = "select from readers where reader = 'audit' and topic = $1 and partition = $2 for update"
        async with asyncio.timeout(60):
            while await holds.fetchrow(held, *place) is None:
                await asyncio.sleep(0.1)  # the auditor has not begun there
        await at.write(topic("table", "journal").name, commit.stream, encode(commit))
        await asyncio.sleep(2)
        await passed(holds, place, offset, commit)
