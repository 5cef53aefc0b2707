"""The audit job on the real database: cases open once, signals are the wallet's events, no hand is touched."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import poker_events as p
from libs.contracts import wallet_events as w
from libs.contracts.registry import encode_fact
from libs.contracts.topics import topic
from libs.projecting import Pool, migrate, open_pool, project
from services.audit.incidents import incidents
from services.audit.integrity.cases import cases
from services.audit.integrity.checks import look
from services.audit.projections.histories import TABLES, Histories
from services.audit.projections.signals import _OF_PEOPLE, _TIMES, MOST_A_DAY, ForbiddenPrograms, Signals
from services.audit.settings import MIGRATIONS, SCHEMA
from services.audit.verifying.findings import Kind
from tests.audit.scripted import T0, Script, evening
from tests.table.omaha.play import seated
from tests.table.play import TableUnderTest
from tests.testkit.cases import Case as Figures
from tests.testkit.memory_source import MemorySource
from tests.testkit.partitions import partition_of

pytestmark = pytest.mark.stack
PORTUGAL = "pt-811-2015"
LISTED = ForbiddenPrograms(version="2026-7", programs=("holdem-bot",))


async def known_to(database: str, script: Script) -> Pool:
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA)
    placed = [(topic(e.type.split(".")[1], "events").name, partition_of(e.stream), e) for e in script.events]
    await project(pool, "audit", [Histories(), Signals(LISTED)], MemorySource(placed))
    return pool


async def rows(pool: Pool) -> dict[str, list[Any]]:
    async with pool.acquire() as connection:
        return {name: [tuple(row) for row in await connection.fetch(f"select * from {name}")] for name in TABLES}


@pytest.mark.rule(PORTUGAL, "11.c/1")
@pytest.mark.parametrize("kind", ["device", "address", "payment"])
async def test_what_two_share_at_one_table_opens_one_case_and_changes_no_hand(database: str, kind: Any) -> None:
    script = evening()
    for player, report in (("ann", "n1"), ("bob", "n2")):
        script.at_wallet(player, w.SignalReported, by="operator:o", report=report, kind=kind, value="5f" * 16)
    pool = await known_to(database, script)
    before = await rows(pool)
    (case,) = await look(pool, T0 + 86_400_000)
    assert (case.kind, case.players) == ("shared_identity", ("ann", "bob"))
    assert case.hands == (("table-1", 1),)
    assert await look(pool, T0 + 86_400_001) == [], "the same case is opened once"
    async with pool.acquire() as connection:
        ((kept,), _) = await cases(connection)
    assert (kept["kind"], kept["players"], kept["hands"]) == ("shared_identity", ["ann", "bob"], [["table-1", 1]])
    assert await rows(pool) == before
    await pool.close()


@pytest.mark.parametrize(("kind", "opened"), [("tournament", 1), ("demo", 0)])
async def test_what_two_share_in_a_tournament_is_a_case_too(database: str, kind: Any, opened: int) -> None:
    script = evening()
    for place, fact in enumerate(script.facts):
        if isinstance(fact, p.HandStarted):
            data = encode_fact(replace(fact, kind=kind, currency="XXX"))[1]
            script.events[place] = replace(script.events[place], data=data)
    for player in ("ann", "bob"):
        script.at_wallet(player, w.SignalReported, by="operator:o", report="n1", kind="device", value="5f" * 16)
    pool = await known_to(database, script)
    found = await look(pool, T0 + 86_400_000)
    await pool.close()
    told = ("shared_identity", ("ann", "bob"), (("table-1", 1),))
    assert [(each.kind, each.players, each.hands) for each in found] == [told] * opened


@pytest.mark.rule(PORTUGAL, "11.f/1")
async def test_a_forbidden_program_is_an_incident_with_the_version_of_the_list(database: str) -> None:
    script = evening()
    script.at_wallet("ann", w.SignalReported, by="operator:o", report="n1", kind="program", value="Holdem Bot")
    script.at_wallet("bob", w.SignalReported, by="operator:o", report="n2", kind="program", value="solitaire")
    pool = await known_to(database, script)
    async with pool.acquire() as connection:
        ((found,), _) = await incidents(connection)
    assert (found.kind, found.severity, found.stream) == (Kind.FORBIDDEN_PROGRAM, "major", "account-ann-EUR")
    assert "list 2026-7" in found.detail
    assert found.detail.startswith("operator:o reports that ann ran Holdem Bot, ")
    await pool.close()


async def test_who_reports_very_much_in_a_day_is_an_incident_and_a_platform_is_not(database: str) -> None:
    script = evening()
    for number in range(MOST_A_DAY + 1):
        by, other = ("staff:ana", "staff:Ana")[number % 2], ("staff:bo" if number else "staff:bo2")
        for who in (by, other, "operator:o", "operator:o"):
            name = f"{who.partition(':')[2]}-{number}"
            script.at_wallet(f"p{number}", w.SignalReported, by=who, report=name, kind="device", value=f"{number:032x}")
    pool = await known_to(database, script)
    async with pool.acquire() as connection:
        ((found,), _) = await incidents(connection)
    assert (found.kind, found.severity, found.count) == (Kind.MANY_SIGNALS, "major", 1)
    assert "staff:ana had reported more than 20 " in found.detail
    await pool.close()


HOUR, DAY, WEEK = 3_600_000, 86_400_000, 7 * 86_400_000
MIDNIGHT = 19_676 * DAY


async def told_of(database: str, times: list[int]) -> list[tuple[str, str]]:
    """The day, and within what time, of the incidents of a person who reports then, in this order."""
    script = Script()
    for number, at in enumerate(times):
        report = {"report": f"r{number}", "kind": "device", "value": f"{number:032x}"}
        script.at_wallet("ann", w.SignalReported, by="staff:ana", **report)
        script.events[-1] = replace(script.events[-1], time=at)
    pool = await known_to(database, script)
    async with pool.acquire() as connection:
        found, _ = await incidents(connection)
    await pool.close()
    assert {each.kind for each in found} <= {Kind.MANY_SIGNALS}
    return sorted((each.detail[3:13], each.detail.partition(" within ")[2]) for each in found)


@pytest.mark.parametrize(
    ("times", "told"),
    [
        ([MIDNIGHT + n * 1_000 for n in range(-10, 10)], []),
        ([MIDNIGHT + n * 1_000 for n in range(-10, 11)], [("2023-11-15", "24 hours")]),
        ([MIDNIGHT + n * 1_000 for n in range(30)], [("2023-11-15", "24 hours")]),
        ([MIDNIGHT + n * (DAY // 20) for n in range(40)], []),
        ([MIDNIGHT + n * (WEEK // 50) for n in range(200)], []),
        ([MIDNIGHT + n * (WEEK // 50 - HOUR // 10) for n in range(51)], [("2023-11-21", "seven days")]),
        ([MIDNIGHT + day * DAY + n for day in range(7) for n in range(8)], [("2023-11-21", "seven days")]),
        ([MIDNIGHT + n * 1_000 for n in (*range(11), *range(-10, 0))], [("2023-11-14", "24 hours")]),
    ],
    ids=[
        "twenty",
        "round midnight",
        "in a day",
        "twenty each day",
        "fifty a week",
        "more",
        "eight a day",
        "out of order",
    ],
)
async def test_a_person_is_told_of_who_reports_much_in_any_day_or_week(
    database: str, times: list[int], told: list[tuple[str, str]]
) -> None:
    """Found by an attacker: twenty before midnight and twenty after it were no incident."""
    assert await told_of(database, times) == told


async def test_what_people_reported_is_counted_by_index(database: str) -> None:
    pool = await known_to(database, Script())
    await pool.execute(
        "insert into account_signals (account, report, player, kind, value, at, by, mark)"
        " select 'a', 'r' || n, 'p', 'device', 'd', n * 1000, 'operator:o', '' from generate_series(1, 20000) n"
    )
    await pool.execute("analyze account_signals")
    async with pool.acquire() as connection:
        for asked, more in ((_OF_PEOPLE, ()), (_TIMES, (["staff:ana"],))):
            plan = "\n".join(row[0] for row in await connection.fetch(f"explain {asked}", 1, 2**40, *more))
            assert "account_signals_of_people" in plan
            assert "Seq Scan" not in plan
    await pool.close()


def dumps(stakes: list[int]) -> TableUnderTest:
    """p1 puts these in, hand by hand, each 95 % of the stack, and folds to p2 on the flop."""
    table = seated({1: 1_000_000, 2: 2_000_000}, big_blind=10)
    for stake in stakes:
        table.wake()
        before = () if table.turn == 1 else ("2 call",)
        after = ("2 bet 100",) if table.hand.button == 1 else ("1 check", "2 bet 100")
        table.plays(*before, f"1 raise {stake}", "2 call", *after, "1 fold")
    return table


@pytest.mark.rule(PORTUGAL, "11.e/1")
async def test_the_job_finds_what_was_dumped_at_a_real_table(database: str, case: Figures) -> None:
    """Hands as the log has them, through the histories and the job itself."""
    stakes = [950_000, 47_500, 2_375][: case.int("times")]
    table, script = dumps(stakes), Script()
    for fact in table.told:
        script.say(fact.table, fact)
    pool = await known_to(database, script)
    found = await look(pool, table.now)
    later = await look(pool, table.now + 3_600_000)
    await pool.close()
    assert [(each.kind, each.players) for each in later] == [("chip_flow", ("p1", "p2"))], "once they play no more"
    assert [(each.kind, each.players) for each in found] == [("chip_dumping", ("p1", "p2"))]
    assert (found[0].evidence["times"], found[0].evidence["staked"]) == (case["times"], sum(stakes))
    assert all(
        stake * 100 > case.int("part") * stack for stake, stack in zip(stakes, (10**6, 50_000, 2_500), strict=True)
    )
    assert 2 * stakes[-1] > case.int("blinds") * 10


@pytest.mark.rule(PORTUGAL, "11.c", "11.f")
async def test_the_job_finds_who_never_bet_against_each_other_and_who_always_takes_the_same_time(database: str) -> None:
    """A third folds each hand at once, in a time that is never the same."""
    table, script = seated((1, 2, 3), big_blind=10), Script()
    for number in range(200):
        table.wake()
        while table.state.hand is not None:
            table.now += 1_000 if table.turn == 1 else 1_000 + number % 7 * 100
            table.plays(f"{table.turn} {'fold' if table.turn == 3 else 'check' if table.legal[0] else 'call'}")
    for fact in table.told:
        script.say(fact.table, fact)
    pool = await known_to(database, script)
    found = await look(pool, table.now)
    await pool.close()
    assert [(each.kind, each.players) for each in found] == [
        ("soft_play", ("p1", "p2")),
        ("decision_software", ("p1",)),
    ]
    assert len(found[0].hands) == 200
    assert found[1].evidence["shortest_ms"] == found[1].evidence["longest_ms"] == 1_000


def test_the_scripted_hand_is_one_of_three_players() -> None:
    assert len([fact for fact in evening().facts if isinstance(fact, p.HandStarted)]) == 2
