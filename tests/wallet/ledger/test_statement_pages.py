"""A page of sessions is that of all sessions, however sittings lie, and reads no more of them than it needs."""

from random import Random

import pytest

from libs.projecting import Pool
from services.wallet.projections import statements
from services.wallet.projections.statements import sessions_of, statement

pytestmark = pytest.mark.stack
_INSERT = """insert into sittings (table_id, reservation, player, book, currency, started_at, ended_at)
             values ($1, $2, 'ann', 'real', 'EUR', $3, $4)"""


def sittings(random: Random) -> list[tuple[str, str, int, int | None]]:
    """Many short ones, some that begin or end together, a few that reach over many others, one still open."""
    found: list[tuple[str, str, int, int | None]] = []
    for number in range(60):
        start = random.randrange(1, 600)
        length = random.choice((0, 1, 2, 3, 5, 5, 8, random.choice((5, 60))))
        found.append((f"table-{number % 3}", f"s{number}", start, start + length))
    return [*found, ("table-1", "open", random.randrange(550, 600), None)]


@pytest.mark.parametrize("seed", range(6))
async def test_pages_of_any_length_from_anywhere(books_pool: Pool, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(statements, "_A_SESSION", 1)
    random = Random(seed)
    rows = sittings(random)
    async with books_pool.acquire() as connection:
        await connection.executemany(_INSERT, rows)
        known = [{"table": t, "reservation": r, "start": s, "end": e} for t, r, s, e in rows]
        whole = [(each[0]["start"], sorted(row["reservation"] for row in each)) for each in sessions_of(known)][::-1]
        assert len(whole) > 5
        for _ in range(40):
            before, limit = random.choice((2**61, random.randrange(1, 620))), random.choice((1, 2, 3, 7, 50))
            found = await statement(connection, "ann", before=before, limit=limit)
            told = [(each.start, sorted(part.reservation for part in each.parts)) for each in found]
            assert told == [each for each in whole if each[0] < before][:limit], (before, limit)
        paged, before = [], 2**61
        while page := await statement(connection, "ann", before=before, limit=3):
            paged += [each.start for each in page]
            before = page[-1].start
    assert paged == [start for start, _ in whole]
