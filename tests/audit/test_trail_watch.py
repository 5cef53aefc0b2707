"""The trails of reads are walked on from where they are proven; what somebody changes before it is found, too."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import libs.identity.reads as trail
from libs.identity.purpose import Read
from libs.identity.reads import Reached, Reads, Trail, of_audit
from libs.projecting import Connection, Pool
from services.audit.settings import SCHEMA
from services.audit.trail_watch import TrailWatch, trails
from tests.testkit.marks import AUDIT

pytestmark = pytest.mark.stack
OURS = of_audit(SCHEMA)
PAGE = 10
Owner = "asyncpg.Connection[asyncpg.Record]"
_PLACE = "select next, last, digest, mark from readers where reader = 'trails'"
_PUT_BACK = "update readers set next = $1, last = $2, digest = $3, mark = $4 where reader = 'trails'"


@pytest.fixture(autouse=True)
def rows_read(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many rows of trails were read since it was asked before."""
    count, rows = [0], trail._rows

    async def counting(connection: Connection, schema: str, which: str, columns: str) -> list[dict[str, Any]]:
        found = await rows(connection, schema, which, columns)
        count[0] += len(found)
        return found

    monkeypatch.setattr(trail, "_rows", counting)
    monkeypatch.setattr(trail, "_PAGE", PAGE)

    def since() -> int:
        found, count[0] = count[0], 0
        return found

    return since


def watch(pool: Pool, kept: Sequence[Trail] = (OURS,)) -> TrailWatch:
    return TrailWatch(pool, kept, AUDIT)


async def grow(pool: Pool, rows: int) -> None:
    reads = Reads(pool, AUDIT, OURS)
    for number in range(rows):
        await reads.record(Read(
            at=number, principal="staff:eva", roles=["support"], scopes=[], purpose="a complaint, nº 7",
            what="GET /v1/hands", target="/v1/hands", address="127.0.0.1",
        ))  # fmt: skip


async def looked(watch: TrailWatch) -> list[tuple[str, str]]:
    return [(each.kind.value, each.detail) for each in await watch.look()]


async def told(pool: Pool) -> set[str]:
    return {row["detail"] for row in await pool.fetch("select detail from incidents")}


def broken(row: int) -> str:
    return f"row {row} of audit.reads does not follow from those before it"


async def by_force(owner: Any, statement: str) -> None:
    await owner.execute(f"alter table reads disable trigger user; {statement}; alter table reads enable trigger user")


async def test_a_look_costs_what_came_since_also_at_a_start(pool: Pool, rows_read: Callable[[], int]) -> None:
    """All of a trail was read every hour, and at each start."""
    await grow(pool, 35)
    rows_read()
    first = watch(pool)
    assert (await looked(first), rows_read()) == ([], 35)
    assert (await looked(first), rows_read()) == ([], 0)
    assert (await looked(watch(pool)), rows_read()) == ([], 0), "a process that starts"
    await grow(pool, 3)
    rows_read()
    assert (await looked(watch(pool)), rows_read()) == ([], 3)
    assert (await looked(first), rows_read()) == ([], 0), "it goes on with the place of the other"
    assert await told(pool) == set()


async def test_what_is_changed_behind_the_place_is_found_at_once(pool: Pool, owner: Any) -> None:
    await grow(pool, 15)
    walked = watch(pool)
    assert await looked(walked) == []
    await grow(pool, 5)
    await by_force(owner, "delete from reads where id = 17")
    assert await looked(watch(pool)) == [("trail_of_reads_broken", broken(18))]
    assert await told(pool) == {broken(18)}


async def test_what_could_not_be_written_is_found_again(
    pool: Pool, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place goes past nothing that is not told."""

    async def away(*_: object) -> None:
        raise ConnectionResetError

    await grow(pool, 15)
    await by_force(owner, "delete from reads where id = 7")
    with monkeypatch.context() as patched:
        patched.setattr("services.audit.trail_watch.record", away)
        with pytest.raises(ConnectionResetError):
            await watch(pool).look()
    assert await looked(watch(pool)) == [("trail_of_reads_broken", broken(8))]


@pytest.mark.parametrize("grown", [0, 2])
async def test_an_end_that_was_taken_away_is_found_though_the_chain_holds(pool: Pool, owner: Any, grown: int) -> None:
    """Of a chain nobody knows how long it was: this was never found."""
    await grow(pool, 15)
    assert await looked(watch(pool)) == []
    await by_force(owner, "delete from reads where id > 12")
    await grow(pool, grown)
    found = await looked(watch(pool))
    gone = "row 15 of audit.reads, up to which it was walked, is there no more as it was"
    assert found[0] == ("trail_of_reads_broken", gone)
    assert [detail for _, detail in found[1:]] == ([broken(16)] if grown else [])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("delete from reads where id = 7", broken(8)),
        (
            "update reads set purpose = 'routine' where id = 7",
            "row 7 of audit.reads is not of the service that keeps it",
        ),
    ],
)
async def test_what_lies_before_the_place_is_found_by_the_walk_over_the_whole(
    pool: Pool, owner: Any, monkeypatch: pytest.MonkeyPatch, rows_read: Callable[[], int], change: str, said: str
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if seconds > 60:
            await asyncio.Future()

    await grow(pool, 35)
    walked = watch(pool)
    assert await looked(walked) == []
    await by_force(owner, change)
    assert await looked(walked) == []
    rows_read()
    monkeypatch.setattr("services.audit.trail_watch.asyncio.sleep", sleep)
    running = asyncio.ensure_future(walked.run_all())
    while not slept or slept[-1] < 60:
        await asyncio.wait([running], timeout=0.01)
    running.cancel()
    await asyncio.wait([running])
    assert any(each.startswith(said) for each in await told(pool))
    assert rows_read() in (34, 35)
    assert len(slept) == 4, "a share of time between pages, and a day behind the last"


async def test_who_has_the_auditors_login_moves_it_past_nothing(
    pool: Pool, owner: Any, rows_read: Callable[[], int]
) -> None:
    await grow(pool, 5)
    walked = watch(pool)
    assert await looked(walked) == []
    before = await pool.fetchrow(_PLACE)
    assert before is not None
    await grow(pool, 10)
    assert await looked(walked) == []
    await by_force(owner, "delete from reads where id > 5")
    await pool.execute(_PUT_BACK, *before)
    found = await looked(walked)
    assert [kind for kind, _ in found] == ["position_moved", "trail_of_reads_broken"], "who has seen more knows it"
    await pool.execute(_PUT_BACK, 9, 9, b"made up", b"made up")
    rows_read()
    [(kind, detail)] = await looked(watch(pool))
    assert detail.endswith("the trail is walked from its beginning")
    assert (kind, rows_read()) == ("position_moved", 5)
    assert await looked(watch(pool)) == []


async def test_two_auditors_that_walk_at_once_accuse_nobody(pool: Pool) -> None:
    several = [watch(pool) for _ in range(3)]
    for _ in range(4):
        await grow(pool, 12)
        found = await asyncio.gather(*(each.look() for each in several))
        assert found == [[], [], []]
    assert await told(pool) == set()


async def test_verify_goes_on_with_a_trail_from_where_its_point_says(
    pool: Pool, owner: Any, rows_read: Callable[[], int]
) -> None:
    """Each walk read all of both trails, though it went on with the journals."""
    reached: dict[str, Reached] = {}

    async def walked() -> tuple[list[str], int]:
        async with pool.acquire() as connection:
            found = await trails(connection, [OURS], AUDIT, reached)
        return [each.detail for each in found], rows_read()

    await grow(pool, 35)
    rows_read()
    assert await walked() == ([], 35)
    assert await walked() == ([], 0)
    await grow(pool, 3)
    rows_read()
    before = dict(reached)
    assert await walked() == ([], 3)
    await by_force(owner, "delete from reads where id = 37")
    reached = before
    assert await walked() == ([broken(38)], 2), "behind the place"
    await by_force(owner, "delete from reads where id > 36")
    assert await walked() == (["row 38 of audit.reads, up to which it was walked, is there no more as it was"], 0)
