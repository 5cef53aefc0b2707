"""Sums as the database keeps them: each hand is counted once, and nobody hides one by what he takes away."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import closing
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from libs.projecting import Connection, Pool, make_months, write_rows
from libs.views.hand import Hand, InHand
from libs.views.recorded import Action
from services.audit.integrity import kept_sums
from services.audit.integrity.acts import played_hand
from services.audit.integrity.behind import Behind
from services.audit.integrity.checks import WINDOW_MS, first_day, look
from services.audit.integrity.kept_sums import DAY_MS
from services.audit.integrity.sums import FORM, Sums, decode_sums
from services.audit.projections.histories import _WRITE, RECORDS, Histories
from services.audit.verifying.findings import Finding, Kind
from tests.audit.integrity.folded import folded
from tests.testkit.marks import AUDIT

pytestmark = pytest.mark.stack
NOW = 1_790_000_000_000
TODAY = NOW // DAY_MS
SINCE = first_day(NOW)
WORDS: dict[str, Any] = {
    "rulebook": "pt-811-2015", "rulebook_hash": "00", "configuration_version": 1, "deck_leaves": 53,
    "button": 1, "small_blind": 1, "big_blind": 2, "stakes": 100,
    "currency": "EUR", "kind": "real", "outcome": "ended",
}  # fmt: skip


def dealt(number: int, at: int, lost: int = 2_000, table: str = "t1", players: str = "ann bob", **more: Any) -> Hand:
    """The first of them loses so much to the second, at a big blind of 100."""
    seats = tuple(
        InHand(seat=seat, player=player, reservation=f"s-{player}", stack_before=50_000, staked=staked, won=won)
        for seat, (player, staked, won) in enumerate(
            zip(players.split(), (lost, lost, 0), (0, 2 * lost, 0), strict=False), 1
        )
    )
    acts = tuple(
        Action(version=seat.seat, at=at + seat.seat, seat=seat.seat, player=seat.player, act="call", amount=lost)
        for seat in seats
    )
    known = {"table": table, "table_name": table, "hand": number, "version": number * 10, "started_at": at}
    return Hand(**(WORDS | known | more), seats=seats, actions=acts)


async def lay(pool: Pool, hands: Iterable[Hand]) -> None:
    histories, records = Histories(AUDIT), list(hands)
    async with pool.acquire() as connection, connection.transaction():
        await make_months(connection, "histories", (each.started_at for each in records))
        await write_rows(connection, _WRITE, [histories._row(each) for each in records])


class Counting:
    """Counts what is decoded."""

    def __init__(self) -> None:
        self.times = 0

    def decode(self, document: str) -> Any:
        self.times += 1
        return RECORDS.decode(document)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Counting:
    counting = Counting()
    monkeypatch.setattr(kept_sums, "RECORDS", counting)
    return counting


async def counted(pool: Pool, now: int = NOW) -> list[str]:
    """Goes through a month; what is told of what was kept."""
    told: list[Finding] = []

    async def tell(amiss: list[Finding]) -> None:
        told.extend(amiss)

    with (
        closing(Behind()) as behind,
        closing(await behind.read(pool, first_day(now), now // DAY_MS, tell, AUDIT)) as month,
    ):
        assert sum(len(went) for _, went in month.went) >= 0
    assert {(each.kind, each.stream) for each in told} <= {(Kind.EVIDENCE, "audit.hand_sums")}
    return [each.detail for each in told]


async def kept(pool: Pool) -> dict[str, dict[int, Sums]]:
    tables: dict[str, dict[int, Sums]] = {}
    for row in await pool.fetch("select table_id, day, sums from hand_sums order by table_id, day"):
        tables.setdefault(row["table_id"], {})[row["day"]] = decode_sums(row["sums"])
    return tables


def sums_of(hands: Iterable[Hand]) -> dict[str, dict[int, Sums]]:
    return folded(played_hand(each) for each in hands if each.outcome == "ended")


def a_week(table: str = "t1", each_day: int = 4) -> list[Hand]:
    return [dealt(n, NOW - 7 * DAY_MS + n * DAY_MS // each_day, table=table) for n in range(1, 7 * each_day)]


async def test_each_hand_is_read_once(pool: Pool, decoded: Counting) -> None:
    old = [*a_week(), *a_week("t2")]
    await lay(pool, old)
    assert await counted(pool) == []
    assert decoded.times == len(old)
    assert await kept(pool) == sums_of(old)
    assert await counted(pool) == []
    assert decoded.times == len(old), "none of them again"
    new = [dealt(100 + n, NOW - 9 + n) for n in range(3)]
    await lay(pool, new)
    assert await counted(pool) == []
    assert decoded.times == len(old) + 3
    assert await kept(pool) == sums_of([*old, *new])


async def test_a_look_finds_what_the_days_say_and_says_so_again(pool: Pool, decoded: Counting) -> None:
    await lay(pool, a_week())
    (case,) = await look(pool, NOW, AUDIT)
    assert (case.kind, case.players, len(case.hands)) == ("chip_flow", ("ann", "bob"), 27)
    decoded.times = 0
    assert await look(pool, NOW + 1, AUDIT) == []
    assert decoded.times == 0
    assert await pool.fetchval("select last_seen from cases") == NOW + 1


async def test_what_is_no_hand_for_money_is_not_read_and_one_that_runs_waits(pool: Pool, decoded: Counting) -> None:
    at = NOW - DAY_MS
    hands = [
        dealt(1, at),
        dealt(2, at, outcome="void"),
        dealt(3, at),
        dealt(1, at, table="play", kind="demo"),
        dealt(1, at, table="chips", kind="tournament", currency="XXX", players="cem dan"),
    ]
    await lay(pool, [*hands, dealt(4, at, outcome="running")])
    await counted(pool)
    assert decoded.times == 3
    there = await kept(pool)
    assert set(there) == {"t1", "chips"}
    assert (there["chips"][at // DAY_MS].of, there["chips"][at // DAY_MS].went) == ("tournament", {})
    assert there["t1"] == sums_of([hands[0], hands[2]])["t1"]
    await lay(pool, [dealt(4, at, version=41)])
    await counted(pool)
    assert (await kept(pool))["t1"] == sums_of([hands[0], hands[2], dealt(4, at)])["t1"]


async def test_days_leave_the_window(pool: Pool) -> None:
    hands = [dealt(n, (SINCE - 1) * DAY_MS + n * DAY_MS // 2) for n in range(8)]
    await lay(pool, hands)
    for days in range(4):
        assert await counted(pool, NOW + days * DAY_MS) == []
        since = (SINCE + days) * DAY_MS
        there = {day: sums for day, sums in (await kept(pool))["t1"].items() if day * DAY_MS >= since}
        assert there == sums_of(each for each in hands if each.started_at >= since).get("t1", {})
        assert await pool.fetchval("select min(day) from hand_sums") >= SINCE + days - 1
        assert await counted(pool, NOW + (days - 1) * DAY_MS) == [], "another process is a day behind, round midnight"
    assert await counted(pool, NOW + 2 * WINDOW_MS) == []
    assert await kept(pool) == {}


class Failed(Exception):
    pass


@pytest.mark.parametrize("seed", range(4))
async def test_what_ends_between_two_pages_goes_on_and_counts_none_twice(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Random hands, that come in random parts, and a search that fails at any time."""
    monkeypatch.setattr(kept_sums, "_HANDS", kept_sums._HANDS.replace(f"limit {kept_sums._PAGE}", "limit 3"))
    monkeypatch.setattr(kept_sums, "_PAGE", 3)
    dice, real = Random(seed), kept_sums._keep

    async def failing(connection: Connection, *given: Any) -> None:
        if dice.random() < 0.3:
            raise Failed
        await real(connection, *given)

    monkeypatch.setattr(kept_sums, "_keep", failing)
    tables = {name: list[Hand]() for name in ("t1", "t2")}
    for name, hands in tables.items():
        at = NOW - 4 * DAY_MS
        for number in range(1, 25):
            at += dice.randrange(-5, 2 * DAY_MS // 10)
            who = " ".join(dice.sample(["ann", "bob", "cem", "dan"], 3))
            outcome = dice.choice(("ended", "ended", "void"))
            hands.append(dealt(number, at, dice.randrange(1, 9_000), name, who, outcome=outcome))
    laid = list[Hand]()
    while left := [name for name, hands in tables.items() if hands]:
        name, size = dice.choice(left), dice.randrange(1, 9)
        await lay(pool, tables[name][:size])
        laid += tables[name][:size]
        del tables[name][:size]
        try:
            assert await counted(pool) == []
        except Failed:
            continue
    monkeypatch.setattr(kept_sums, "_keep", real)
    assert await counted(pool) == []
    rows = await pool.fetch("select table_id, first, last from hand_sums order by table_id, day")
    for before, after in pairwise(rows):
        assert before["table_id"] != after["table_id"] or after["first"] == before["last"] + 1
    for name, days in (await kept(pool)).items():
        theirs = [played_hand(each) for each in laid if each.table == name and each.outcome == "ended"]
        ids = [number for sums in days.values() for raw in sums.together.values() for number in _numbers(raw)]
        assert sorted(ids) == [each.id[1] for each in theirs]
        assert _lost(days.values()) == _lost(sums for of in folded(theirs).values() for sums in of.values())


def _numbers(raw: bytes) -> Sequence[int]:
    return [int.from_bytes(raw[n : n + 4], "big") for n in range(0, len(raw), 4)]


def _lost(days: Iterable[Sums]) -> dict[tuple[str, str], int]:
    lost: dict[tuple[str, str], int] = {}
    for sums in days:
        names = list(sums.players)
        for (first, second, *_), went in sums.went.items():
            for pair, way in (((first, second), True), ((second, first), False)):
                who = names[pair[0]], names[pair[1]]
                lost[who] = lost.get(who, 0) + went.lost[way]
    return {who: amount for who, amount in lost.items() if amount}


async def test_two_searches_at_once_count_each_hand_once(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = [*a_week(each_day=20), *a_week("t2", each_day=20)]
    await lay(pool, hands)
    monkeypatch.setattr(kept_sums, "_HANDS", kept_sums._HANDS.replace(f"limit {kept_sums._PAGE}", "limit 10"))
    monkeypatch.setattr(kept_sums, "_PAGE", 10)
    await asyncio.gather(*(counted(pool) for _ in range(3)))
    assert await counted(pool) == []
    assert await kept(pool) == sums_of(hands)


@pytest.mark.parametrize("day", [0, 1, 3])
async def test_sums_that_somebody_took_away_are_told_and_made_anew(pool: Pool, day: int) -> None:
    """Those of the first day, too; of what is at the end nobody can tell, and it is counted all the same."""
    hands = a_week()
    await lay(pool, hands)
    await counted(pool)
    before = await kept(pool)
    await pool.execute("delete from hand_sums where day = $1", sorted(before["t1"])[day])
    (told,) = await counted(pool)
    assert told.endswith("of the table t1 were gone, and are made anew of the hands")
    assert await kept(pool) == before
    assert await counted(pool) == []
    await pool.execute("delete from hand_sums where day >= $1", sorted(before["t1"])[-2])
    assert await counted(pool) == []
    assert await kept(pool) == before
    await pool.execute("delete from hand_sums")
    assert await counted(pool) == []
    assert await kept(pool) == before


FORGED = "the sums of the table t1 on day {} are not as the auditor wrote them, and count for nothing: a wrong mark"


@pytest.mark.parametrize(
    "change",
    [
        "sums = (select sums from hand_sums o where o.table_id = 't2' and o.day = h.day)",
        "last = last + 1",
        "first = 0",
        "form = form + 1",
        "mark = (select mark from hand_sums o where o.table_id = 't2' and o.day = h.day)",
        "(sums, mark) = (select sums, mark from hand_sums o where o.table_id = 't2' and o.day = h.day)",
    ],
)
async def test_sums_that_somebody_wrote_clear_nobody(pool: Pool, change: str) -> None:
    await lay(pool, [*a_week(), *(dealt(n, each.started_at, 7, "t2") for n, each in enumerate(a_week(), 1))])
    await counted(pool)
    before, day = await kept(pool), TODAY - 3
    await pool.execute(f"update hand_sums h set {change} where table_id = 't1' and day = $1", day)
    found: list[Finding] = []
    (case,) = await look(pool, NOW, AUDIT, found.append)
    assert (case.players, case.evidence["net"]["EUR"]) == (("ann", "bob"), 27 * 2_000 + 27 * 7)
    assert found[0].detail == FORGED.format(day)
    assert await kept(pool) == before
    assert await counted(pool) == []
    assert await pool.fetchval("select count(*) from incidents where kind = $1", Kind.EVIDENCE.value) == len(found)


async def test_sums_that_somebody_wrote_make_nobody_a_suspect(pool: Pool) -> None:
    """Nor do those of a day, or of a table, at which nothing was dealt."""
    await lay(pool, [*a_week(), *(dealt(n, NOW - DAY_MS, 7, "t2", "cem dan") for n in range(1, 3))])
    await counted(pool)
    for place in ("'t2', day", "'zz', day", "'t2', day - 20"):
        await pool.execute(
            f"""insert into hand_sums select {place}, form, first, last, sums, mark from hand_sums where table_id = 't1'
                on conflict (table_id, day) do update set sums = excluded.sums"""
        )
    assert {case.players for case in await look(pool, NOW, AUDIT)} == {("ann", "bob")}
    assert await pool.fetchval("select count(*) from incidents where detail like '%not as the auditor%'") > 0


async def test_older_sums_that_somebody_put_back_are_told_and_go_on(pool: Pool) -> None:
    hands = a_week()
    await lay(pool, hands[:10])
    await counted(pool)
    old = await pool.fetch("select * from hand_sums order by day desc limit 1")
    await lay(pool, hands[10:])
    await counted(pool)
    before = await kept(pool)
    await pool.execute("delete from hand_sums where day = $1", old[0]["day"])
    await pool.execute("insert into hand_sums values ($1, $2, $3, $4, $5, $6, $7)", *old[0])
    assert await kept(pool) != before
    assert len(await counted(pool)) == 1
    assert _lost((await kept(pool))["t1"].values()) == _lost(before["t1"].values())
    assert await counted(pool) == []


async def test_sums_of_another_form_are_made_anew_and_nothing_is_told(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, decoded: Counting
) -> None:
    """As after an update, in which less or more is asked of the hands."""
    await lay(pool, a_week())
    await counted(pool)
    before, decoded.times = await kept(pool), 0
    monkeypatch.setattr(kept_sums, "FORM", FORM + 1)
    assert await counted(pool) == []
    assert (decoded.times, await kept(pool)) == (27, before)
    assert await counted(pool) == []
    assert decoded.times == 27


async def test_a_hand_that_somebody_rewrote_is_left_out_and_stops_nothing(pool: Pool) -> None:
    hands = a_week()
    await lay(pool, hands)
    await pool.execute(
        "update histories set mark_version = mark_version + 1, outcome = 'running' where number in (5, 27)"
    )
    for _ in range(2):
        assert await counted(pool) == []
        assert await kept(pool) == sums_of(each for each in hands if each.number not in (5, 27))


@pytest.mark.parametrize(
    "change",
    ["'real', started_at - 20 * 86400000::bigint", "'demo', started_at", "'tournament', started_at"],
    ids=["of long ago", "play money", "of a tournament"],
)
async def test_a_hand_that_somebody_wrote_behind_the_last_hides_no_table(pool: Pool, change: str) -> None:
    hands = a_week()
    await lay(pool, hands)
    await pool.execute(
        f"""insert into histories (table_id, number, game, kind, started_at, outcome, players, record,
                                   mark_version, mark)
            select table_id, 1000000, game, {change}, outcome, players, record, mark_version, mark
              from histories where number = 27"""
    )
    for _ in range(2):
        assert await counted(pool) == []
        assert await kept(pool) == sums_of(hands)


async def test_tables_are_listed_by_index_and_not_by_what_they_dealt(pool: Pool) -> None:
    await lay(pool, [dealt(n, NOW - n, table=f"t{n % 20}") for n in range(1, 4_000)])
    async with pool.acquire() as connection:
        plan = await connection.fetch(f"explain analyze {kept_sums._TABLES}", NOW - DAY_MS, "", [], 500)
    text = "\n".join(row[0] for row in plan)
    assert "Seq Scan on histories" not in text
    assert len(await kept_sums.dealt_since(pool, SINCE, AUDIT)) == 20
