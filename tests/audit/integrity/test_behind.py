"""Searches of an hour: they find of whom has played since yesterday what one of the whole window finds."""

from collections.abc import Iterator
from contextlib import closing
from random import Random
from typing import Any

import pytest

from libs.projecting import Pool
from libs.views.hand import Hand
from services.audit.integrity import checks, kept_sums
from services.audit.integrity.acts import played_hand
from services.audit.integrity.behind import Behind
from services.audit.integrity.cases import Case
from services.audit.integrity.checks import look
from services.audit.integrity.kept_sums import DAY_MS
from services.audit.integrity.sums import Sums, decode_sums
from tests.audit.integrity.folded import month_of
from tests.audit.integrity.test_kept_sums import NOW, TODAY, dealt, kept, lay
from tests.testkit.marks import AUDIT

pytestmark = pytest.mark.stack
HOUR_MS = 3_600_000
MIDNIGHT = TODAY * DAY_MS
PLAYERS = ["ann", "bob", "cem", "dan", "eva", "fay", "gus", "hal", "ida", "jan", "kim", "leo"]
OF_A_PAIR = ("chip_flow", "soft_play")


@pytest.fixture
def behind() -> Iterator[Behind]:
    with closing(Behind()) as found:
        yield found


async def searched(pool: Pool, now: int, behind: Behind) -> list[Case]:
    return await checks._searched(pool, now, AUDIT, lambda finding: None, behind)


def whole(hands: list[Hand], now: int) -> list[Case]:
    """What there is to find, by no sums that are kept."""
    with closing(month_of([played_hand(hand) for hand in hands], now)) as month:
        return checks.search(month, {"hands": {}, "tournament": {}, "rounds": {}}, now, [])


def random_hands(dice: Random, since: int, until: int, numbers: dict[str, int]) -> list[Hand]:
    """Of two or three; some always lose to some. At one of the tables they sit down with ten big blinds."""
    hands = list[Hand]()
    for at in sorted(dice.randrange(since, until) for _ in range(dice.randrange(30))):
        table = dice.choice(("t1", "t2", "short"))
        numbers[table] = numbers.get(table, 0) + 1
        few = dice.sample(PLAYERS, 2)
        loser, winner = sorted(few, reverse=dice.random() < 0.2) if dice.random() < 0.9 else few
        winner = "leo" if loser != "leo" and dice.random() < 0.3 else winner
        lost = 1_000 if table == "short" else dice.choice((500, 8_000, 30_000))
        hands.append(dealt(numbers[table], at, lost, table, f"{loser} {winner}"))
    if dice.random() < 0.7:
        return hands
    return [each for each in hands if each.table != "t2"]  # and perhaps numbers that never were


@pytest.mark.parametrize("seed", range(6))
async def test_an_hour_finds_of_who_played_what_the_whole_window_finds(pool: Pool, behind: Behind, seed: int) -> None:
    dice, numbers, now = Random(seed), dict[str, int](), MIDNIGHT - 5 * DAY_MS
    laid = list[Hand]()
    met: list[tuple[int, frozenset[str]]] = []
    told = {"in part": 0, "whole": 0, "left out": 0}
    while now < MIDNIGHT + 3 * DAY_MS:
        before, now = now, now + dice.randrange(1, 9) * HOUR_MS
        hands = random_hands(dice, before, now, numbers)
        await lay(pool, hands)
        laid += hands
        met += [(each.started_at // DAY_MS, frozenset(seat.player for seat in each.seats)) for each in hands]
        part, found = await searched(pool, now, behind), whole(laid, now)
        if before // DAY_MS != now // DAY_MS:
            assert part == found, "the first one of a day"
            told["whole"] += len(found)
            continue
        pairs = {both for day, both in met if day >= now // DAY_MS - 1}
        here = set[str]().union(*pairs)

        def of_interest(case: Case, pairs: set[frozenset[str]] = pairs, here: set[str] = here) -> bool:
            if case.kind in OF_A_PAIR:
                return frozenset(case.players) in pairs
            return case.kind != "chips_to_one" or case.players[0] in here

        assert part == [case for case in found if of_interest(case)]
        told["in part"] += len(part)
        told["left out"] += len(found) - len(part)
    assert all(told.values()), told


async def test_an_hour_reads_two_days_and_what_it_goes_on_from(
    pool: Pool, behind: Behind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole window is read once a day."""
    read = list[bytes]()

    def counting(raw: bytes) -> Sums:
        read.append(raw)
        return decode_sums(raw)

    monkeypatch.setattr(kept_sums, "decode_sums", counting)
    days = [dealt(29 - n, NOW - n * DAY_MS, table=f"t{table}") for table in range(3) for n in range(20, 0, -1)]
    await lay(pool, days)
    await searched(pool, NOW, behind)
    assert not read, "they were made just now"
    await searched(pool, NOW + 1, behind)
    assert len(read) == 3 * 2
    await lay(pool, [dealt(30, NOW + 2, table="t1")])
    await searched(pool, NOW + 3, behind)
    assert len(read) == 3 * 2 * 2
    read.clear()
    await searched(pool, MIDNIGHT + DAY_MS, behind)
    assert len(read) == 3 * 20 + 1


@pytest.mark.parametrize(
    "change",
    [
        "delete from hand_sums",
        f"delete from hand_sums where day >= {TODAY - 1}",
        f"delete from hand_sums where day < {TODAY - 1}",
        f"update hand_sums set first = 0 where day >= {TODAY - 2}",
        f"update hand_sums set form = form + 1 where day >= {TODAY - 3}",
    ],
)
async def test_sums_that_somebody_took_away_are_made_anew_within_the_hour(
    pool: Pool, behind: Behind, change: str
) -> None:
    """Of a table that has played since yesterday; also where nothing is left of it to go on from."""
    hands = [dealt(n, NOW - 7 * DAY_MS + n * DAY_MS // 4, table=table) for table in ("t1", "t2") for n in range(1, 28)]
    await lay(pool, hands)
    found = await searched(pool, NOW, behind)
    assert found
    before = await kept(pool)
    await pool.execute(change)
    assert await searched(pool, NOW + 1, behind) == found
    assert await kept(pool) == before
    assert await searched(pool, NOW + 2, Behind()) == found


async def test_a_case_that_could_not_be_kept_is_found_again_within_the_hour(
    pool: Pool, behind: Behind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of two who have not met since yesterday, whom only a search of the whole window finds."""
    await lay(pool, [dealt(n, NOW - 9 * DAY_MS + n, 20_000) for n in range(1, 4)])

    async def failing(*given: Any) -> list[Case]:
        raise OSError("no connection")

    with monkeypatch.context() as patched:
        patched.setattr(checks, "open_cases", failing)
        with pytest.raises(OSError, match="no connection"):
            await look(pool, NOW, AUDIT, behind=behind)
    (case,) = await look(pool, NOW + HOUR_MS, AUDIT, behind=behind)
    assert case.players == ("ann", "bob")
    assert await look(pool, NOW + 2 * HOUR_MS, AUDIT, behind=behind) == []
    assert await pool.fetchval("select last_seen from cases") == NOW + HOUR_MS
