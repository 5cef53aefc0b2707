"""Searches of an hour: they find of whom has played since yesterday what one of the whole window finds."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from libs.projecting import Pool
from libs.views.hand import Hand
from services.audit.integrity import checks, kept_sums
from services.audit.integrity.acts import played_hand
from services.audit.integrity.behind import Behind
from services.audit.integrity.cases import Case
from services.audit.integrity.checks import first_day, look
from services.audit.integrity.in_common import Reports, shared_identity
from services.audit.integrity.kept_sums import DAY_MS
from services.audit.integrity.sums import Sums, decode_sums
from services.audit.verifying.findings import Finding
from tests.audit.integrity.folded import ForEver, month_of
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


async def no_finding(amiss: list[Finding]) -> None:
    assert not amiss


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

        def of_interest(case: Case, pairs: set[frozenset[str]] = pairs) -> bool:
            return case.kind not in OF_A_PAIR or frozenset(case.players) in pairs

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
    with closing(Behind()) as none:
        assert await searched(pool, NOW + 2, none) == found


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


async def test_a_hand_of_long_ago_that_comes_late_is_judged_within_the_hour(pool: Pool, behind: Behind) -> None:
    """As after a stand of the auditor, or of one stream, of days. At a table that has dealt nothing since, too."""
    yesterday = MIDNIGHT - DAY_MS // 2
    back = [dealt(n, yesterday + n, 5_000, "t", "ann bob") for n in (1, 2)]
    await lay(pool, back)
    (case,) = await searched(pool, NOW, behind)
    assert (case.players, case.evidence["from"]) == (("ann", "bob"), "ann")
    late = [dealt(n, NOW - 3 * DAY_MS + n, 20_000, "u", "bob ann") for n in (1, 2)]
    await lay(pool, late)
    (case,) = await searched(pool, NOW + 1, behind)
    assert case.evidence["from"] == "bob"
    assert [case] == whole(back + late, NOW + 1)
    more = [dealt(3, NOW - 3 * DAY_MS + 3, 90_000, "u", "ann bob"), dealt(3, NOW + 2, 1, "t", "bob ann")]
    await lay(pool, more)
    assert await searched(pool, NOW + 3, behind) == whole(back + late + more, NOW + 3)


async def test_a_hand_that_another_process_counted_is_judged_within_the_hour(pool: Pool, behind: Behind) -> None:
    hands = [dealt(n, NOW - 3 * DAY_MS + n, 20_000) for n in (1, 2)]
    await lay(pool, hands[:1])
    assert await searched(pool, NOW, behind) == []
    await lay(pool, hands[1:])
    with closing(Behind()) as other:
        found = await searched(pool, NOW + 1, other)
    assert found
    assert await searched(pool, NOW + 2, behind) == found


async def test_a_search_of_an_hour_judges_stacks_as_the_first_one_of_the_day(pool: Pool, behind: Behind) -> None:
    """Who sat down first at a table decides nothing alone: before yesterday one who was short, since then many who were
    not. By whole stacks it would be a case."""
    short = dealt(1, NOW - 3 * DAY_MS, 1, "t", "cem dan")
    short = replace(short, seats=tuple(replace(seat, stack_before=3_000) for seat in short.seats))
    deep = [dealt(n, NOW - DAY_MS // 2 + n, 1_200, "t") for n in range(2, 10)]
    deep = [
        replace(hand, seats=tuple(replace(seat, reservation=f"{seat.player}-{hand.number}") for seat in hand.seats))
        for hand in deep
    ]
    await lay(pool, [short, *deep])
    assert await searched(pool, NOW, behind) == []
    assert await searched(pool, NOW + 1, behind) == []


async def test_what_two_have_in_common_is_asked_of_all_by_the_hour(pool: Pool, behind: Behind) -> None:
    """Also of two who have not played since yesterday, when it is reported."""
    shared = {("device", "5f"): Reports()}
    for player in ("ann", "bob"):
        shared["device", "5f"].add(player, ["operator:o"])
    await lay(pool, [dealt(1, NOW - 9 * DAY_MS, 1), dealt(1, NOW - 1, 1, "u", "cem dan")])
    assert await searched(pool, NOW, behind) == []
    with closing(await behind.read(pool, first_day(NOW), TODAY, no_finding, AUDIT)) as month:
        assert not month.whole
        (case,) = shared_identity(month.together["hands"], shared)
    assert (case.players, case.hands) == (("ann", "bob"), (("t1", 1),))


async def test_a_search_of_an_hour_that_is_cancelled_ends_and_the_next_one_is_whole(
    pool: Pool, behind: Behind, monkeypatch: pytest.MonkeyPatch
) -> None:
    for_ever = ForEver()
    hands = [dealt(n, NOW - 9 * DAY_MS + n, 20_000) for n in range(1, 4)]
    await lay(pool, [*hands, dealt(4, NOW - 1, 1)])
    assert await look(pool, NOW, AUDIT, behind=behind)
    with monkeypatch.context() as patched:
        patched.setattr(checks, "chip_dumping", for_ever)
        searching = asyncio.create_task(look(pool, NOW + 1, AUDIT, behind=behind))
        assert await asyncio.to_thread(for_ever.begun.wait, 30)
        searching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await searching
        assert await asyncio.to_thread(for_ever.ended.wait, 30)
    with closing(await behind.read(pool, first_day(NOW), TODAY, no_finding, AUDIT)) as month:
        assert month.whole
