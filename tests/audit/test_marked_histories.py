"""Histories that somebody rewrote with the auditor's login: shown to nobody, told, and nothing goes on from them."""

from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pytest

from libs.contracts.topics import topic
from libs.edge.paging import NEWEST, place_of
from libs.journal.mark_keys import HISTORIES, Plan, hand_out, keys_of, marks_in, marks_of
from libs.journal.marks import Marks
from libs.projecting import Pool, PostgresStore, Projector
from libs.sealing.key_files import BadKey
from services.audit import record_watch
from services.audit.projections.histories import (
    RECORDS,
    Histories,
    last_record,
    place_in_list,
    record_of,
    records_of,
)
from services.audit.projections.record_marks import MARKED, WrittenByHand, check_marks, mark_history
from services.audit.record_watch import RecordWatch
from services.audit.verifying.findings import Kind
from tests.audit.scripted import TABLE, evening
from tests.testkit.memory_source import MemorySource
from tests.testkit.partitions import partition_of

pytestmark = pytest.mark.stack
ROOT = bytes(range(32))
MARKS = marks_of("audit", ROOT, Plan())
EVENTS = [(topic("table", "events").name, partition_of(e.stream), e) for e in evening().events if e.stream == TABLE]
RICHER = "regexp_replace(record, '\"won\":[1-9][0-9]*', '\"won\":9999', 'g')"
"""A record in which whoever won anything has won something else."""


async def project(pool: Pool, since: int = 0, until: int | None = None, marks: Marks | None = MARKS) -> Projector:
    """Events up to `until`; those below `since` were read before."""
    source = MemorySource(EVENTS[:until])
    projector = Projector(pool, "audit", [Histories(marks)], source, limit=5)
    await projector.run()
    return projector


async def looks(pool: Pool, watch: RecordWatch | None = None) -> list[str]:
    found = await (watch or RecordWatch(pool, MARKS)).look()
    assert {each.kind for each in found} <= {Kind.HISTORY}
    assert {each.stream for each in found} <= {TABLE}
    return [each.detail.partition(", ")[0] + each.detail.partition("wrote it")[2] for each in found]


async def test_what_the_auditor_wrote_is_shown_and_tells_nothing(pool: Pool) -> None:
    await project(pool)
    watch = RecordWatch(pool, MARKS)
    assert await looks(pool, watch) == await looks(pool, watch) == []
    async with pool.acquire() as connection:
        assert await record_of(connection, "hand", TABLE, 1, MARKS)
        assert len(await records_of(connection, "hand", "ann", place_of(NEWEST), 9, MARKS)) == 2


async def test_a_rewritten_hand_is_shown_to_nobody_and_told(pool: Pool) -> None:
    """The winner has more, and only a rebuild would have seen it."""
    await project(pool)
    before = await pool.fetchval("select record from histories where number = 1")
    await pool.execute(f"update histories set mark_version = mark_version + 1, record = {RICHER} where number = 1")
    assert before != await pool.fetchval("select record from histories where number = 1")
    async with pool.acquire() as connection:
        with pytest.raises(WrittenByHand, match=TABLE):
            await record_of(connection, "hand", TABLE, 1, MARKS)
        assert await record_of(connection, "hand", TABLE, 2, MARKS)
        with pytest.raises(WrittenByHand) as wrong:
            await records_of(connection, "hand", "ann", place_of(NEWEST), 9, MARKS)
    assert wrong.value.number == 1
    assert await looks(pool) == ["number 1: a wrong mark"]
    incident = await pool.fetchrow("select kind, severity, stream from incidents")
    assert incident is not None
    assert tuple(incident) == ("history_written_by_hand", "critical", TABLE)


@pytest.mark.parametrize(
    "change",
    [
        "outcome = 'running'",
        "players = array['ann']",
        "mark = (select mark from histories where number = 2)",
        "mark = ''",
        "(record, mark) = (select record, mark from histories where number = 2)",
    ],
)
async def test_every_column_that_the_login_may_write_is_covered(pool: Pool, change: str) -> None:
    await project(pool)
    await pool.execute(f"update histories set mark_version = mark_version + 1, {change} where number = 1")
    assert [each.partition(":")[0] for each in await looks(pool)] == ["number 1"]


async def test_a_made_up_hand_is_told(pool: Pool) -> None:
    await project(pool)
    await pool.execute("insert into histories select table_id, 7, game, kind, outcome, started_at, players, record,"
                       " mark_version, mark from histories where number = 1")  # fmt: skip
    assert await looks(pool) == ["number 7: a wrong mark"]


@pytest.mark.parametrize("column", ["table_id = 'x'", "number = 9", "started_at = 1", "kind = 'x'", "game = 'round'"])
async def test_which_hand_a_row_is_of_stays(pool: Pool, column: str) -> None:
    """Else a row could be moved away, and an older one with its true mark put in its place."""
    await project(pool)
    for statement in (f"update histories set mark_version = mark_version + 1, {column}", "delete from histories"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await pool.execute(statement)


async def test_an_older_state_of_the_hand_does_not_come_back(pool: Pool) -> None:
    """It has a true mark: as it ran, nobody had won yet."""
    await project(pool, until=20)
    running = await pool.fetchrow("select * from histories where number = 1")
    assert running is not None
    assert running["outcome"] == "running"
    await project(pool)
    back = "update histories set outcome = $1, players = $2, record = $3, mark_version = $4, mark = $5 where number = 1"
    values = tuple(running[name] for name in ("outcome", "players", "record", "mark_version", "mark"))
    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="does not go back"):
        await pool.execute(back, *values)
    await pool.execute(back, *values[:3], 10**6, values[4])  # as if it were a newer one
    assert await looks(pool) == ["number 1: a wrong mark"]


async def test_a_row_of_before_the_marks_is_believed_as_long_as_nobody_writes_to_it(pool: Pool, owner: Any) -> None:
    await project(pool, marks=None)
    await owner.execute("alter table histories drop constraint histories_marked")
    await owner.execute("update histories set mark_version = null, mark = null")
    await owner.execute(
        "alter table histories add constraint histories_marked check (mark_version is not null and mark is not null)"
        " not valid"
    )
    assert await looks(pool) == []
    async with pool.acquire() as connection:
        assert await record_of(connection, "hand", TABLE, 1, MARKS)
    for change in (f"record = {RICHER}", f"record = {RICHER}, mark_version = 1", f"record = {RICHER}, mark = ''"):
        with pytest.raises(asyncpg.CheckViolationError):
            await pool.execute(f"update histories set {change} where number = 1")
    await pool.execute(f"update histories set mark_version = 0, mark = '', record = {RICHER} where number = 1")
    assert await looks(pool) == ["number 1: a writer without a key"]


async def test_nothing_goes_on_from_a_forged_row(pool: Pool, owner: Any) -> None:
    """Otherwise the auditor itself would mark what somebody wrote. Once the row is as it was, nothing is missing."""
    await project(pool)
    whole = await pool.fetch("select * from histories order by number")
    await owner.execute("truncate histories, openings, positions, streams")
    await project(pool, until=20)
    as_it_was = await pool.fetchrow("select * from histories")
    assert as_it_was is not None
    await pool.execute(
        """update histories set record = replace(record, '"stack_before":', '"stack_before":1'),
                                               mark_version = mark_version"""
        + " + 1"
    )
    projector = await project(pool)
    assert projector.progress.set_aside > 0
    assert await pool.fetchval("select max(reason) from set_aside") == "WrittenByHand"
    assert await looks(pool) == ["number 1: a wrong mark"]

    await owner.execute("delete from histories")
    await owner.execute(f"insert into histories values ({', '.join(f'${n}' for n in range(1, 11))})", *as_it_was)
    await PostgresStore(pool, "audit", [Histories(MARKS)]).take_up()
    again = await pool.fetch("select * from histories order by number")
    assert [row["record"] for row in again] == [row["record"] for row in whole]
    assert await looks(pool) == []


async def test_a_forged_opening_gives_no_hand_its_name(pool: Pool) -> None:
    await project(pool, until=20)
    await pool.execute("""update openings set mark_version = mark_version + 1,
                                              state = replace(state, '"stakes":100', '"stakes":1')""")
    assert '"stakes":1' in await pool.fetchval("select state from openings")
    projector = await project(pool)
    assert projector.progress.set_aside > 0
    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="openings of version"):
        await pool.execute("update openings set mark_version = mark_version")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await pool.execute("update openings set table_id = 'x'")


async def test_each_page_of_a_list_goes_on_behind_what_is_not_shown(pool: Pool) -> None:
    await project(pool)
    await pool.execute("update histories set mark_version = mark_version + 1 where number = 2")
    async with pool.acquire() as connection:
        with pytest.raises(WrittenByHand) as wrong:
            await records_of(connection, "hand", "ann", place_of(NEWEST), 9, MARKS)
        assert wrong.value.number == 2
        two = RECORDS.decode(await pool.fetchval("select record from histories where number = 2"))
        behind = await records_of(connection, "hand", "ann", place_in_list(two), 9, MARKS)
        with pytest.raises(WrittenByHand):
            await last_record(connection, "hand", TABLE, None, MARKS)
    assert [each.number for each in behind] == [1]


async def test_who_has_not_looked_for_it_is_told_at_the_next_look(
    pool: Pool, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the newest rows at once, of older ones as the pages come to them; and each time again."""
    monkeypatch.setattr(record_watch, "NEWEST", 5)
    monkeypatch.setattr(record_watch, "PAGE", 2)
    await project(pool)
    row = await pool.fetchrow("select * from histories where number = 1")
    assert row is not None
    hand = RECORDS.decode(row["record"])
    async with owner.transaction():
        await owner.execute("delete from histories")
        for number in range(1, 12):
            at = 1_700_000_000_000 + number
            made = msgspec.structs.replace(hand, hand=number, started_at=at)
            values = Histories(MARKS)._row(made)
            marked = ", ".join(f"${n}" for n in range(1, 11))
            await owner.execute(f"insert into histories ({MARKED}) values ({marked})", *values)
    watch = RecordWatch(pool, MARKS)
    for _ in range(8):
        assert await looks(pool, watch) == []

    forge = "update histories set mark_version = mark_version + 1, outcome = 'void' where number = $1"
    await pool.execute(forge, 8)
    assert set(await looks(pool, watch)) == {"number 8: a wrong mark"}
    await pool.execute(forge, 3)
    # As long as any transaction of the cluster is open, what was written since it began is met again, and told once.
    found = {each for _ in range(6) for each in await looks(pool, watch)}
    assert found == {"number 3: a wrong mark", "number 8: a wrong mark"}
    assert await pool.fetchval("select count(*) from incidents") == 2


async def test_a_row_of_another_build_is_told_and_left_out(pool: Pool) -> None:
    """It ended the auditor at every start, and nobody watched any more."""
    await project(pool)
    row = ("zz", 1, EVENTS[0][2].time, "hand", "real", "ended", ["ann"], "{}", 1)
    values = ", ".join(f"${n}" for n in range(1, 11))
    await pool.execute(f"insert into histories ({MARKED}) values ({values})", *row, mark_history(MARKS, row))
    [found] = await RecordWatch(pool, MARKS).look()
    assert (found.kind, found.severity, found.stream) == (Kind.HISTORY_UNREADABLE, "major", "zz")


async def test_under_retired_keys_the_auditor_wrote_it(pool: Pool) -> None:
    await project(pool)
    after = marks_of("audit", ROOT, Plan(accepted=(1, 2), writes=2, retired={1: {}}))
    assert await RecordWatch(pool, after).look() == []
    stranger = marks_of("audit", bytes(32), Plan())
    assert len(await RecordWatch(pool, stranger).look()) == 2


def test_an_auditor_without_the_key_says_so_at_its_start(tmp_path: Path) -> None:
    check_marks(marks_in(hand_out(tmp_path, ROOT, Plan())["audit"]), tmp_path / "audit.json")
    check_marks(marks_of("audit", ROOT, Plan()), tmp_path / "audit.json")
    before = Marks("audit", [each for each in keys_of("audit", ROOT, Plan()) if each.topic != HISTORIES])
    with pytest.raises(BadKey, match=r"audit\.json has no key of croupier\.histories\.v1: run `croupier marks"):
        check_marks(before, tmp_path / "audit.json")


@pytest.mark.parametrize("process", ["gateway", "table", "wallet", "tournament", "house"])
def test_nobody_else_has_the_key(process: str) -> None:
    assert HISTORIES not in {each.topic for each in keys_of(process, ROOT, Plan())}
