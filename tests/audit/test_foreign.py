"""What is told of foreign records: each with its place, a flood of small batches in one row an hour beside those."""

import pytest

from libs.journal.foreign import Foreign
from libs.projecting import Pool
from services.audit.foreign import PLACED, Foreigners
from services.audit.incidents import incidents
from services.audit.verifying.findings import Finding, Kind
from tests.testkit.marks import AUDIT

pytestmark = pytest.mark.stack
HOUR = 3_600_000
TOPIC = "croupier.table.events.v1"


class At:
    """A clock that stands: milliseconds since the epoch."""

    ms = 500_000 * HOUR

    def __call__(self) -> int:
        return self.ms


async def flood(foreign: Foreigners, batches: int, first: int = 0, topic: str = TOPIC) -> None:
    for offset in range(first, first + batches):
        foreign.tell(Foreign(topic, offset % 4, offset, "it has no mark"))
        await foreign.write()


async def told(pool: Pool, **only: str) -> list[tuple[int | None, int]]:
    async with pool.acquire() as connection:
        rows, _ = await incidents(connection, None, 500, AUDIT, only)
    return [(row.offset, row.count) for row in rows]


async def test_many_small_batches_bury_nothing(pool: Pool) -> None:
    """Found by an attacker: 4,320 critical rows of one flood, and nobody sees the one between them."""
    at = At()
    foreign = Foreigners(pool, AUDIT, now=at)
    await flood(foreign, 300)
    await foreign.add([Finding(Kind.PUBLICATION, "table-1", "another event than its commit tells", 7)])
    rows = await told(pool)
    assert len(rows) == PLACED + 2
    assert rows[PLACED] == (None, 300 - PLACED), "all others in one row"
    await flood(foreign, 1, first=9_000, topic="croupier.wallet.events.v1")
    assert (9_000, 1) in await told(pool), "another topic has places of its own"

    at.ms += HOUR
    await flood(foreign, PLACED + 3, first=1_000)
    rows = await told(pool, kind=Kind.FOREIGN)
    assert len(rows) == 2 * (PLACED + 1) + 1
    assert rows[-1] == (None, 3), "the next hour has a row of its own"
    assert await told(pool, kind=Kind.PUBLICATION) == [(None, 1)]
    assert await told(pool, severity="minor") == []
    assert len(await told(pool, severity="critical", kind=Kind.FOREIGN)) == len(rows)


async def test_what_is_forged_behind_a_flood_of_something_else_is_named(pool: Pool) -> None:
    """Found by an attacker: after fifty records of anybody a forged one was a count in a row for the whole topic."""
    foreign = Foreigners(pool, AUDIT, now=At())
    await flood(foreign, 300)
    foreign.tell(Foreign(TOPIC, 1, 7_000, "its mark is another's", "wallet"))
    await foreign.write()
    assert (7_000, 1) in await told(pool)
    for offset in range(8_000, 8_300):  # whatever classes of them somebody thinks of
        foreign.tell(Foreign(TOPIC, offset, offset, "it has no mark"))
    await foreign.write()
    assert len(await told(pool)) == 2 * PLACED + 1


async def test_what_could_not_be_written_is_told_the_next_time(pool: Pool) -> None:
    foreign = Foreigners(pool, AUDIT, now=At())
    for _ in range(PLACED + 5):
        foreign.pool = None  # type: ignore[assignment]
        with pytest.raises(AttributeError):
            await flood(foreign, 1)
    foreign.pool = pool
    await foreign.write()
    assert await told(pool) == [(0, 1)], "and has used up nothing"
