"""The watch over a house at play: a break is an incident once, folds outlive a restart, silence is noticed."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts import conduct_events as conduct
from libs.contracts import live_events as live
from libs.contracts import poker_events
from libs.contracts import table_events as t
from libs.contracts import wallet_events as w
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact
from libs.contracts.topics import topic
from libs.contracts.tournament_events import EntrantBarred
from libs.contracts.tournament_play_events import EverybodyAway, PrizesFixed
from libs.contracts.tournaments_events import (
    Credit,
    CreditsDue,
    ExclusionConfirmed,
    FeesEarned,
    Held,
    MoveOrdered,
    NoticeGiven,
    PlayerDisqualified,
    PlayerExcluded,
    PrizeReleased,
    TournamentAnnounced,
    TournamentPaused,
    TournamentProposed,
)
from libs.projecting import Partition, Pool, Projector, migrate, open_pool, project
from libs.projecting.source import Arrived
from services.audit import watch as alarms
from services.audit.incidents import IncidentRow, incidents
from services.audit.projections import live_checks, waiting_checks
from services.audit.projections.live_checks import LiveChecks
from services.audit.projections.waiting_checks import (
    _WAITING,
    UNDECIDED_MS,
    check_disqualifications,
    check_open_sittings,
    check_promises,
)
from services.audit.settings import MIGRATIONS, SCHEMA
from services.audit.verifying.findings import Kind
from services.audit.verifying.sittings import NEVER
from tests.audit.scripted import SEATS, T0, Script, _sit_down, _start, evening
from tests.testkit.memory_source import MemorySource
from tests.testkit.partitions import partition_of
from tests.tournament.course import definition
from tests.tournament.hall import Hall

SITTINGS = "check_name = 'sitting' and not over order by 1"
pytestmark = pytest.mark.stack
NOW = T0 + 10**9
"""Long after everything that the scripts tell."""


TOPICS_READ = tuple(topic(service, "events").name for service in ("table", "wallet"))


def source_of(events: Iterable[PublicEvent]) -> MemorySource:
    """Wallet events before the table's, as two topics may be read."""
    placed = [(topic(e.type.split(".")[1], "events").name, partition_of(e.stream), e) for e in events]
    return MemorySource(sorted(placed, key=lambda each: each[0], reverse=True))


async def fresh(database: str) -> Pool:
    await migrate(database, SCHEMA, MIGRATIONS)
    return await open_pool(database, SCHEMA)


async def watched(pool: Pool, script: Script, limit: int = 500, name: str = "audit") -> list[IncidentRow]:
    await project(pool, name, [LiveChecks()], source_of(script.events), limit=limit)
    async with pool.acquire() as connection:
        return (await incidents(connection))[0]


def lie(script: Script) -> None:
    """The first bet leaves one chip too many in the stack."""
    place = next(p for p, fact in enumerate(script.facts) if isinstance(fact, poker_events.BetPlaced))
    told = replace(script.facts[place], stack=script.facts[place].stack + 1)  # type: ignore[attr-defined]
    script.events[place] = replace(script.events[place], data=encode_fact(told)[1])


@pytest.mark.parametrize("limit", [1, 7, 500])
async def test_an_honest_evening_leaves_nothing_however_it_is_cut(database: str, limit: int) -> None:
    pool = await fresh(database)
    assert await watched(pool, evening(), limit) == []
    async with pool.acquire() as connection:
        assert await check_open_sittings(connection, NOW, grace_ms=0) == []
        kept = await connection.fetch(f"select stream from check_states where {SITTINGS}")
    assert [row["stream"] for row in kept] == ["s-ann", "s-bob"], "what is over is not kept"
    await pool.close()


async def test_a_break_is_an_incident_where_it_happened_and_stays_one_when_read_again(database: str) -> None:
    pool = await fresh(database)
    script = evening()
    lie(script)
    found = await watched(pool, script, limit=3)
    place = next(p for p, fact in enumerate(script.facts) if isinstance(fact, poker_events.BetPlaced))
    assert (found[0].kind, found[0].stream, found[0].version) == (Kind.CHIPS, "table-1", script.events[place].version)

    async with pool.acquire() as connection:
        await connection.execute("truncate check_states, positions, streams")
    again = await watched(pool, script, limit=500)
    assert [(each.id, each.count) for each in again] == [(each.id, each.count) for each in found]
    await pool.close()


@pytest.mark.parametrize(("by", "reason", "kinds"), [
    ("house", "entropy_unhealthy", [Kind.ENTROPY]),
    ("house", "something else", []),
    ("carla", "entropy_unhealthy", []),
])  # fmt: skip
async def test_a_table_that_deals_no_more_for_its_entropy_is_an_incident(
    database: str, by: str, reason: str, kinds: list[Kind]
) -> None:
    pool = await fresh(database)
    script = evening()
    script.at_table(t.TablePaused, by=by, reason=reason)
    assert [incident.kind for incident in await watched(pool, script)] == kinds
    await pool.close()


def announced(*tournaments: str, **rules: Any) -> Script:
    """The evening, and tournaments that two people have asked for."""
    script = evening()
    for name in tournaments:
        told: dict[str, Any] = {"tournament": name, "at": T0}
        script.say(name, TournamentProposed(name=name, definition=definition(**rules), by="carla", **told))
        script.say(name, TournamentAnnounced(by="dora", **told))
    return script


@pytest.mark.parametrize(("by", "kinds"), [("house", [Kind.STANDS]), ("carla", [])])
async def test_a_notice_that_a_tournament_stands_is_an_incident(database: str, by: str, kinds: list[Kind]) -> None:
    pool = await fresh(database)
    script = announced("t-1")
    script.say("t-1", NoticeGiven(tournament="t-1", at=T0, text="Table 1 has not done what it was asked.", by=by))
    assert [incident.kind for incident in await watched(pool, script)] == kinds
    await pool.close()


async def test_a_tournament_that_plays_without_anybody_is_an_incident(database: str) -> None:
    """Found by an attacker (issue 11): it dealt for ever, and the director's page alone said why."""
    pool = await fresh(database)
    script = announced("t-1")
    script.say("t-1", EverybodyAway(tournament="t-1", at=T0, left=3))
    [incident] = await watched(pool, script)
    assert (incident.kind, incident.stream, "nobody of the 3" in incident.detail) == (Kind.STANDS, "t-1", True)
    await pool.close()


async def test_who_disqualifies_several_alone_is_an_incident_and_prizes_that_wait(database: str) -> None:
    pool = await fresh(database)
    script = announced("t-1")
    for name, by in (("ann", "carla"), ("bob", "dora"), ("cid", "carla"), ("dan", "carla")):
        script.say("t-1", PlayerDisqualified(tournament="t-1", at=T0, reason="?", by=by, player=name, entry=name))
    for name in ("ann", "bob", "cid"):
        script.say("t-1", PrizeReleased(tournament="t-1", at=T0, reason="?", by="erin", player=name))
    found = await watched(pool, script, 2)
    assert {(each.kind, each.severity, each.stream) for each in found} == {(Kind.PUT_OUT, "major", "t-1")}
    assert [int(each.detail.split()[4]) for each in found] == [2, 3]
    async with pool.acquire() as connection:
        assert await check_disqualifications(connection, T0 + UNDECIDED_MS) == []
        [waits] = await check_disqualifications(connection, T0 + UNDECIDED_MS + 1)
    assert (waits.kind, waits.stream, waits.detail.split()[:4]) == (
        Kind.PUT_OUT, "t-1", ["dan,", "disqualified", "by", "carla,"],
    )  # fmt: skip
    await pool.close()


async def test_who_excludes_several_alone_is_an_incident(database: str) -> None:
    """Before the start and after it; one that another person has confirmed counts for nothing."""
    pool = await fresh(database)
    script = announced("t-1")
    for name, table in (("ann", 0), ("bob", 1), ("cid", 1), ("dan", 2)):
        exclusion = PlayerExcluded(
            tournament="t-1", at=T0, reason="?", by="carla", player=name, entry=name, table=table
        )  # fmt: skip
        script.say("t-1", exclusion)
        if name == "bob":
            script.say("t-1", ExclusionConfirmed(tournament="t-1", at=T0, reason="?", by="erin", player=name))
    found = await watched(pool, script, 3)
    assert [(each.kind, int(each.detail.split()[4])) for each in found] == [(Kind.PUT_OUT, n) for n in (2, 2, 3)]
    async with pool.acquire() as connection:
        waits = await check_disqualifications(connection, T0 + UNDECIDED_MS + 1)
    assert [each.detail.split()[:4] for each in waits] == [
        [f"{who},", "excluded", "by", "carla,"] for who in ("ann", "cid", "dan")
    ]
    await pool.close()


async def test_the_third_pause_of_a_tournament_and_the_second_move_of_a_player_are_incidents(database: str) -> None:
    """Found by an attacker: 25 pauses and 412 orders to move, and nobody was told."""
    pool = await fresh(database)
    script = announced("t-1", "t-2")
    for number in range(4):
        script.say("t-1", TournamentPaused(tournament="t-1", at=T0, reason="?", by="carla", tables=[1]))
        for name in ("ann", "ann", "bob") if number == 1 else ():
            move = MoveOrdered(tournament="t-1", at=T0, reason="?", by="dora", entry=name, player=name, to_table=2)
            script.say("t-1", move)
    script.say("t-2", TournamentPaused(tournament="t-2", at=T0, reason="?", by="carla", tables=[1]))
    found = await watched(pool, script, 2)
    assert sorted((each.kind, each.severity, each.stream, each.detail) for each in found) == [
        (Kind.DIRECTED, "minor", "t-1", "ann is to be moved by the staff for the second time, by dora"),
        (Kind.DIRECTED, "minor", "t-1", "paused for the 3rd time, by carla"),
    ]
    await pool.close()


async def test_a_prize_of_a_tournament_that_never_was_is_an_incident(database: str) -> None:
    """Found by an attacker with the tournament's login and marks: 77,777.00 were made, and nobody was told."""
    pool = await fresh(database)
    script = evening()
    money: dict[str, Any] = {"tournament": "cup25", "at": T0, "currency": "EUR"}
    script.say("cup25", PrizesFixed(**money, entries=0, pool=9, amount=9, prizes=[9], held=Held(prize=9)))
    script.say("cup25", CreditsDue(**money, why="prize", credits=[Credit("e1.prize", "e1", "eve", prize=9)]))
    [found] = await watched(pool, script, 1)
    assert (found.kind, found.severity, found.stream) == (Kind.NOT_ANNOUNCED, "critical", "cup25")
    assert found.detail == "PrizesFixed of a tournament that was not announced: none"
    await pool.close()


async def test_who_announces_alone_is_an_incident(database: str) -> None:
    pool = await fresh(database)
    script = evening()
    told: dict[str, Any] = {"tournament": "t-1", "at": T0}
    script.say("t-1", TournamentProposed(name="t", definition=definition(), by="carla", **told))
    script.say("t-1", TournamentAnnounced(by="carla", **told))
    assert [each.kind for each in await watched(pool, script, 1)] == [Kind.NOT_ANNOUNCED]
    await pool.close()


FIXED: dict[str, Any] = {"tournament": "t-1", "at": T0, "currency": "EUR"}


def but_of_places(incidents: list[Any]) -> list[str]:
    """Details. Nobody has entered here, so no place pays anything (test_owed.py)."""
    of_places = ("by the definition they are", "more than the places pay")
    return [each.detail for each in incidents if not any(said in each.detail for said in of_places)]


@pytest.mark.parametrize(("told", "detail"), [
    (PrizesFixed(**FIXED, entries=0, pool=500, amount=500, prizes=[500], held=Held(prize=500)), None),
    (PrizesFixed(**FIXED, entries=0, pool=501, amount=501, prizes=[501], held=Held(prize=501)),
     "the house adds 501 to the prizes, of what it promised 500 is due"),
])  # fmt: skip
async def test_the_house_adds_what_was_announced_once(database: str, told: PrizesFixed, detail: str | None) -> None:
    pool = await fresh(database)
    script = announced("t-1", guarantee=500)
    script.say("t-1", told)
    assert but_of_places(await watched(pool, script)) == ([] if detail is None else [detail])
    script.say("t-1", PrizesFixed(**FIXED, entries=0, pool=told.amount, amount=0, prizes=[9], held=told.held))
    assert [each.detail for each in await watched(pool, script)][-1] == "the prizes are fixed twice"
    await pool.close()


async def test_a_prize_of_who_is_not_in_is_an_incident(database: str) -> None:
    pool = await fresh(database)
    script = announced("t-1", guarantee=500)
    script.say("t-1", PrizesFixed(**FIXED, entries=0, pool=500, amount=500, prizes=[300, 200], held=Held(prize=500)))
    script.say("t-1", CreditsDue(**FIXED, why="prize", credits=[Credit("e1.prize", "e1", "eve", prize=500)]))
    assert but_of_places(await watched(pool, script)) == ["credit e1.prize of 500 to eve, whose it can't be"]
    await pool.close()


async def test_a_day_on_which_tournaments_are_promised_too_much_is_an_incident(database: str) -> None:
    """Each is within what one may cost; forty of them are not, and two people announced them in an hour."""
    pool = await fresh(database)
    script = evening()
    for number in range(5):
        name = f"t-{number}"
        rules = definition(guarantee=100_000, currency="USD" if number == 4 else "EUR")
        script.say(name, TournamentProposed(tournament=name, at=T0, name=name, definition=rules, by="carla"))
        if number != 3:
            script.say(name, TournamentAnnounced(tournament=name, at=T0, by="dora"))
    assert await watched(pool, script, 3) == []
    async with pool.acquire() as connection:
        assert await check_promises(connection, T0, 300_000) == []
        (found,) = await check_promises(connection, T0 + 86_400_000, 299_999)
        assert await check_promises(connection, T0 + 2 * 86_400_000, 299_999) == []
        assert len(await check_promises(connection, T0, 99_999)) == 2
    assert (found.kind, found.severity) == (Kind.PROMISED, "major")
    assert found.detail == (
        "tournaments announced on 2023-11-14 may cost the house more than 299999 EUR of its own money"
    )
    watch = alarms.Watch(pool, Ends({}), [SCHEMA], "wallet", most_promised=1)  # type: ignore[arg-type]
    assert await watch.look() == [], "of long ago"
    await pool.close()


def tournament(*but: type[Fact]) -> Script:
    """One that was played to its end, without the facts of some kinds."""
    script = Script()
    for fact in Hall(4, seed=5, seats=5).run().course.events:
        if not isinstance(fact, but):
            script.say("t-1", fact)
    return script


async def test_a_tournament_s_money_that_does_not_add_up_is_an_incident(database: str) -> None:
    """Found by an attacker: the fold was kept, and nobody checked it. One that runs at the update is believed once."""
    pool = await fresh(database)
    script = tournament()
    whole, script.events = script.events, script.events[: len(script.events) // 2]
    assert await watched(pool, script, limit=7) == []
    await pool.execute("delete from check_states where check_name = 'tournament'")
    script.events = whole
    assert await watched(pool, script, limit=7) == []
    twice = [Credit("c", "e", "mallory", prize=100)] * 2
    script.say("t-1", CreditsDue(tournament="t-1", at=T0, why="prize", credits=twice, held=Held(prize=5)))
    found = [(each.kind, each.detail.split(" {")[0]) for each in await watched(pool, script)]
    assert found == [(Kind.ACCOUNT, "a credit counts twice"), (Kind.ACCOUNT, "told")]
    await pool.close()


async def test_of_a_tournament_s_credits_so_many_are_remembered(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row is written at each batch, and a field of 2,500 has some 7,500 of them."""
    monkeypatch.setattr(live_checks, "MOST_CREDITS", 0)
    pool = await fresh(database)
    assert await watched(pool, tournament(), limit=1) == []
    state = await pool.fetchval("select state from check_states where check_name = 'tournament'")
    assert msgspec.json.decode(state)["credits"] == []
    await pool.close()


async def test_a_tournament_that_is_over_and_holds_money_is_an_incident(database: str) -> None:
    pool = await fresh(database)
    [found] = await watched(pool, tournament(FeesEarned))
    assert (found.kind, found.detail.split(" {")[0]) == (Kind.ACCOUNT, "the tournament is over and holds")
    await pool.close()


async def test_a_sitting_that_never_comes_home_is_noticed_by_the_clock(database: str) -> None:
    pool = await fresh(database)
    script = evening()
    del script.events[-1]
    assert await watched(pool, script) == []
    async with pool.acquire() as connection:
        (finding,) = await check_open_sittings(connection, NOW)
    assert (finding.kind, "s-cem" in finding.detail) == (Kind.RESERVE_OPEN, True)
    await pool.close()


async def test_two_processes_that_hear_of_one_sitting_lose_no_word_of_it(database: str) -> None:
    """One reads the table's events, the other one the wallet's, each batch at the same moment."""
    pool = await fresh(database)
    script = evening()
    theirs = [[e for e in script.events if (e.stream == "table-1") is table] for table in (True, False)]
    workers = [Projector(pool, "audit", [LiveChecks()], source_of(events), limit=1) for events in theirs]
    await asyncio.gather(*(each.run() for each in workers))
    async with pool.acquire() as connection:
        assert (await incidents(connection))[0] == []
        assert await check_open_sittings(connection, NOW, grace_ms=0) == []
    kept = await pool.fetch(f"select stream from check_states where {SITTINGS}")
    assert [row["stream"] for row in kept] == ["s-ann", "s-bob"]
    await pool.close()


class Ends:
    """Where the topics end."""

    def __init__(self, ends: Mapping[Partition, int]) -> None:
        self._ends = ends

    async def ends(self) -> Mapping[Partition, int]:
        return self._ends


@pytest.mark.parametrize("late", [topic("wallet", "events").name, topic("table", "events").name])
async def test_who_reads_one_side_long_before_the_other_accuses_nobody(
    database: str, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    """Its process was killed, say, and the next one has minutes to catch up: time runs to where all have read."""
    pool = await fresh(database)
    script = evening()
    for place, event in enumerate(script.events):
        script.events[place] = replace(event, time=T0 + 60_000 * place)
    del script.events[-1]  # cem's settlement
    sources = {name: [r for r in source_of(script.events)._records if r.topic == name] for name in TOPICS_READ}
    ends = {(r.topic, r.partition): r.offset + 1 for records in sources.values() for r in records}
    watch = alarms.Watch(pool, Ends(ends), [SCHEMA], "wallet")  # type: ignore[arg-type]
    for name in sorted(TOPICS_READ, key=lambda each: each == late):
        assert await watch.look() == []
        await project(pool, "audit", [LiveChecks()], MemorySource(
            (r.topic, r.partition, r.event) for r in sources[name] if r.event is not None
        ))  # fmt: skip
    (finding,) = await watch.look()
    assert (finding.kind, "s-cem" in finding.detail) == (Kind.RESERVE_OPEN, True)
    async with pool.acquire() as connection:
        assert [each.kind for each in (await incidents(connection))[0]] == [Kind.RESERVE_OPEN]

    # A record of nobody's at the end of a partition moves no position. It is not waited for.
    await pool.execute("delete from incidents")
    monkeypatch.setattr(alarms, "STANDS_S", 0.3)
    ends[next(place for place in ends if place[0] == late)] += 1
    await pool.execute("update positions set event_time = 0 where topic = $1", late)
    assert await watch.look() == []
    await asyncio.sleep(0.35)
    assert [each.kind for each in await watch.look()] == [Kind.RESERVE_OPEN]
    await pool.close()


async def test_while_history_is_caught_up_with_nobody_is_accused_of_what_lies_unread(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wallet's topic is read long before the table's, which stands still: its reader has other partitions first."""
    monkeypatch.setattr(alarms, "STANDS_S", 0.2)
    monkeypatch.setattr(alarms, "STANDS_FAR_S", 1.5)
    monkeypatch.setattr(alarms, "FAR", 3)
    pool = await fresh(database)
    records = source_of(evening().events)._records
    ends = {(r.topic, r.partition): r.offset + 1 for r in records}
    wallets = [r for r in records if r.topic == topic("wallet", "events").name]
    await project(pool, "audit", [LiveChecks()], MemorySource(
        (r.topic, r.partition, r.event) for r in wallets if r.event is not None
    ))  # fmt: skip
    place = topic("tournament", "events").name, 0
    ends[place] = 1_000
    watch = alarms.Watch(pool, Ends(ends), [SCHEMA], "wallet")  # type: ignore[arg-type]
    for position in range(6):
        await pool.execute(
            """insert into positions (projection, topic, partition, position, event_time) values ('audit', $1, 0, $2, 0)
            on conflict (projection, topic, partition) do update set position = $2""", place[0], position,
        )  # fmt: skip
        assert [each.kind for each in await watch.look()] == []
        await asyncio.sleep(0.1)
    assert await watch.look() == [], "much is left of the table's, too"
    await asyncio.sleep(1.6)
    assert {each.kind for each in await watch.look()} == {Kind.RESERVE}, "at last nobody waits for it"
    await pool.close()


async def test_of_open_sittings_those_that_wait_are_asked_for_page_by_page(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_checks, "_PAGE", 1)
    pool = await fresh(database)
    script = evening()
    assert await watched(pool, script, limit=1) == []
    rows = await pool.fetch(f"select stream, state from check_states where {SITTINGS}")
    assert rows
    assert all(json.loads(row["state"])["waits"] == NEVER for row in rows), "both sides agree so far"
    async with pool.acquire() as connection:
        assert await check_open_sittings(connection, T0 + 10**9) == []
        asked = _WAITING.replace("$1", "0").replace("$2", "0").replace("$3", "''").replace("$4", "500")
        await connection.execute("set enable_seqscan = off")
        plan = "\n".join(row[0] for row in await connection.fetch(f"explain {asked}"))
        assert "check_states_waiting" in plan
    older = """state - 'waits' || '{"left_with": 5, "left_at": 7}', mark_version = mark_version + 1"""
    await pool.execute(f"update check_states set state = {older} where check_name = 'sitting' and not over")
    async with pool.acquire() as connection:
        found = await check_open_sittings(connection, T0 + 10**9)
    assert len(found) == len(rows) > 1, "what an older build has written is looked at, and each page"
    await pool.close()


@pytest.mark.parametrize("seat_first", [False, True])
async def test_a_refused_reservation_is_over_and_not_kept(database: str, seat_first: bool) -> None:
    pool = await fresh(database)
    script = evening()
    reserve = {"reserve": "s-dan", "sitting": "s-dan", "table": "table-1", "amount": 10, "available": 0}
    script.at_wallet("dan", w.ReserveRefused, **reserve, reason="insufficient_funds")
    who = {"reservation": "s-dan", "player": "dan", "seat": 4, "currency": "EUR"}
    script.at_table(t.SeatReleased, **who, reason="reserve_refused")
    if seat_first:
        script.events.sort(key=lambda event: event.stream != "table-1")
    assert await watched(pool, script, limit=1) == []
    kept = await pool.fetch(f"select stream from check_states where {SITTINGS}")
    assert [row["stream"] for row in kept] == ["s-ann", "s-bob"]
    await pool.close()


async def test_gaps_parked_records_and_positions_are_told(database: str) -> None:
    pool = await fresh(database)
    script = evening()
    place = next(p for p, fact in enumerate(script.facts) if isinstance(fact, poker_events.HandStarted))
    missing = script.events.pop(place)
    source = source_of(script.events)
    name = topic("table", "events").name
    source._records.append(Arrived(name, 3, 0, None, "ce_id is missing", key=b"k", value=b"v"))
    source._ends[name, 3] = 1
    await project(pool, "audit", [LiveChecks()], source)
    async with pool.acquire() as connection:
        (gap,) = await alarms.gaps(connection, SCHEMA)
        (parked,) = await alarms.parked(connection, SCHEMA)
        read = await alarms.positions(connection, SCHEMA)
    assert (gap.kind, gap.stream) == (Kind.PROJECTION_GAP, "table-1")
    assert f"version {missing.version}" in gap.detail
    assert (parked.kind, parked.topic, parked.partition, parked.offset) == (Kind.PARKED, name, 3, 0)
    at = read["audit", name, partition_of("table-1")]
    assert alarms.ahead_of_log(read, {(name, partition_of("table-1")): at}) == []
    assert [f.kind for f in alarms.ahead_of_log(read, {(name, partition_of("table-1")): at - 1})] == [Kind.LEDGER_AHEAD]
    await pool.close()


@pytest.mark.rule("pt-811-2015", "11.d")
@pytest.mark.parametrize(("names_cards", "kinds"), [(True, [Kind.CHAT_DURING_HAND]), (False, [])])
async def test_cards_named_while_a_hand_runs_are_an_incident(
    database: str, names_cards: bool, kinds: list[Kind]
) -> None:
    pool = await fresh(database)
    script = evening()
    script.at_table(
        conduct.MessageWithheld, message="m1", player="ann", sealed="AAEC", round=3, names_cards=names_cards
    )
    found = await watched(pool, script)
    assert [incident.kind for incident in found] == kinds
    assert all("ann" in incident.detail for incident in found)
    await pool.close()


async def test_cards_named_again_and_again_are_one_incident_a_round_that_counts(database: str) -> None:
    """Found by an attacker: each message was a row that nobody can delete, and a true incident stood between them."""
    pool = await fresh(database)
    script = evening()
    for number in range(6):
        who = {"player": "ann" if number < 5 else "bob", "round": 3 + (number == 4), "reason": "round_running"}
        script.at_table(conduct.MessageBlocked, message=f"m{number}", sealed="AAEC", names_cards=True, **who)
    found = await watched(pool, script, limit=2)
    assert [(each.detail.split(" ran")[0], each.count) for each in found] == [
        ("ann named cards while round 3", 4), ("ann named cards while round 4", 1),
        ("bob named cards while round 3", 1),
    ]  # fmt: skip
    await pool.close()


@pytest.mark.rule("pt-217-2007", "69")
async def test_a_hand_that_an_error_voided_is_an_incident_with_its_dealer(database: str) -> None:
    pool = await fresh(database)
    script = evening()
    common = {"hand": 3, "incident": 1, "code": "DE-69e"}
    script.at_table(live.LiveDealOpened, hand=3, pack="R", dealer="dealer-1", unposted=[])
    report = {"seats": [], "currency": "EUR", "reported_by": "p1", "state_before": "PAYING"}
    waits = {"state_after": "SUPERVISOR_DECISION", "outcome": "to_decide", "choices": ["void", "go_on"]}
    script.at_table(live.IncidentRecorded, **common, **report, **waits)
    script.at_table(
        live.SupervisorDecided, **common, decision="void", state_after="VOID", by="floor-1", reason="51 cards"
    )
    (found,) = [incident for incident in await watched(pool, script) if incident.kind == Kind.LIVE_VOID]
    assert found.severity == "minor"
    assert found.detail == "hand 3, dealer dealer-1: void by DE-69e, decided by floor-1"
    await pool.close()


@pytest.mark.rule("pt-217-2007", "69")
async def test_a_dealers_voids_before_the_first_action_are_counted_over_all_tables(database: str) -> None:
    """Found by an attacker: a bad start of a friend's was thrown away for one round of blinds at a time."""
    pool = await fresh(database)
    script = evening()
    void: dict[str, Any] = {"incident": 1, "code": "DE-69a", "seats": [], "currency": "EUR", "reported_by": "dealer-1"}
    void |= {"state_before": "DEALING", "state_after": "VOID", "outcome": "void", "decided_by": "dealer-1"}
    for number, (table, by) in enumerate([(1, "dealer-1"), (2, "dealer-2"), (2, "Dealer-1"), (3, "dealer-1")], 1):
        at = {"table": f"table-{table}", "at": T0, "hand": number, "decided_by": by}
        script.say(f"table-{table}", live.IncidentRecorded(**void | at))
    found = await watched(pool, script, limit=1)
    voids = [(each.kind, each.stream) for each in found if each.kind in (Kind.LIVE_VOID, Kind.MISDEALS)]
    once = [(Kind.LIVE_VOID, f"table-{table}") for table in (1, 2, 2)]
    assert sorted(voids) == sorted([*once, (Kind.LIVE_VOID, "table-3"), (Kind.MISDEALS, "table-3")])
    (often,) = [each for each in found if each.kind == Kind.MISDEALS]
    assert "number 3 of this dealer within 24 hours" in often.detail
    await pool.close()


async def test_who_is_put_out_in_a_hand_is_an_incident_at_the_first_time(database: str) -> None:
    """Found by an attacker: one person's word about a pot was told with the second player only."""
    pool = await fresh(database)
    script = Script()
    _sit_down(script)
    _start(script, 1, dict.fromkeys(SEATS, 5_000))
    script.at_table(EntrantBarred, tournament="t-1", player="cem", seat=3, reservation="s-cem", why="disqualified")
    [found] = await watched(pool, script, 1)
    assert (found.kind, found.severity, found.stream) == (Kind.BARRED, "major", "table-1")
    assert "with 100 in a pot of 150" in found.detail
    await pool.close()
