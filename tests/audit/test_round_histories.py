"""A recalled round is the fold of its events: stakes, decisions, credits, net; a void one stands as void."""

import pytest

from libs.contracts.bank_events import BankAlarmRaised
from libs.edge.paging import NEWEST, place_of
from libs.projecting import Pool, Projection, migrate, open_pool, project
from libs.views.round import RoundRecord, StakedSeat
from services.audit.projections.histories import RECORDS, TABLES, Histories, last_record, record_of, records_of
from services.audit.projections.live_checks import LiveChecks
from services.audit.settings import MIGRATIONS, SCHEMA
from services.audit.verifying.chips import Chips, check_chips
from tests.banked.script import BACCARAT, POKER, BankedScript, baccarat, night
from tests.testkit.memory_source import MemorySource


async def projected(database: str, script: BankedScript) -> Pool:
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA)
    projections: list[Projection] = [Histories(), LiveChecks()]
    await project(pool, "audit", projections, MemorySource(script.records), limit=3)
    return pool


async def recalled(pool: Pool, table: str, number: int) -> RoundRecord:
    async with pool.acquire() as connection:
        document = await record_of(connection, "round", table, number)
    assert document is not None
    found = RECORDS.decode(document)
    assert isinstance(found, RoundRecord)
    return found


@pytest.mark.stack
@pytest.mark.rule("pt-803-2015-no-draw", "37")
async def test_a_round_of_no_draw_poker_is_recalled_whole(database: str) -> None:
    pool = await projected(database, night())
    played = await recalled(pool, POKER, 1)
    assert (played.replay, played.outcome, played.house, played.currency) == (True, "ended", -200, "EUR")
    assert [(a.player, a.act, a.area, a.amount, a.to) for a in played.actions] == [
        ("ann", "stake", "ante", 700, 700),
        ("ann", "withdraw", "ante", 200, 500),
        ("bob", "stake", "ante", 300, 300),
        ("ann", "continue", "bet", 1_000, 1_000),
    ]
    assert [(s.player, s.staked, s.credited, s.net) for s in played.seats] == [
        ("ann", 1_500, 2_000, 500),
        ("bob", 300, 0, -300),
    ]
    assert [(bet.area, bet.staked, bet.credited) for bet in played.seats[0].bets] == [
        ("ante", 500, 1_000),
        ("bet", 1_000, 1_000),
    ]
    lapsed, void = await recalled(pool, POKER, 2), await recalled(pool, POKER, 4)
    assert (lapsed.outcome, lapsed.seats) == ("lapsed", ())
    assert (void.outcome, void.void_cause, void.seats[0].refunded, void.seats[0].net) == (
        "void", "the house stood still", 900, 0,
    )  # fmt: skip
    async with pool.acquire() as connection:
        last = await last_record(connection, "round", POKER, "ann")
        of_bob = await records_of(connection, "round", "bob", place_of(NEWEST), 50)
    assert last is not None
    assert RECORDS.decode(last).number == 4
    bob = {(each.table, each.number, seat.net) for each in of_bob for seat in each.seats
           if isinstance(seat, StakedSeat) and seat.player == "bob"}  # fmt: skip
    assert bob == {(POKER, 1, -300), (BACCARAT, 1, -1_000)}
    await pool.close()


@pytest.mark.stack
async def test_a_round_is_remembered_of_who_sat_there_when_it_was_paid(database: str) -> None:
    """Ann takes her stake back and goes while bets are open; Bob sits down on her seat and bets."""
    script = BankedScript()
    for player in ("ann", "bob"):
        script.deposit(player, 100_000)
    script.open_against(BACCARAT, baccarat())
    script.sit("ann", BACCARAT, 20_000)
    script.betting(BACCARAT)
    script.stake(BACCARAT, "ann", "ponto", 500)
    script.stake(BACCARAT, "ann", "ponto", -500)
    script.stand_up("ann", BACCARAT, 20_000)
    script.sit("bob", BACCARAT, 20_000)
    script.stake(BACCARAT, "bob", "ponto", 700)
    script.settle_round(BACCARAT, {})
    pool = await projected(database, script)
    coup = await recalled(pool, BACCARAT, 1)
    assert [(s.seat, s.player, s.staked, s.net) for s in coup.seats] == [(1, "bob", 700, -700)]
    assert [(a.player, a.act) for a in coup.actions] == [("ann", "stake"), ("ann", "withdraw"), ("bob", "stake")]
    async with pool.acquire() as connection:
        assert await records_of(connection, "round", "ann", place_of(NEWEST), 50) == []
    await pool.close()


@pytest.mark.stack
@pytest.mark.rule("pt-812-2015-baccarat", "31")
async def test_a_coup_is_recalled_with_its_shoe(database: str) -> None:
    pool = await projected(database, night())
    coup = await recalled(pool, BACCARAT, 1)
    assert (coup.shoe, coup.deck_root, coup.house) == (1, "ab" * 32, -900)
    assert coup.details is not None
    assert (coup.details["winner"], coup.details["ponto"], coup.details["banca"]) == ("banca", 6, 8)
    assert [(s.player, s.staked, s.credited, s.commission) for s in coup.seats] == [
        ("ann", 2_000, 3_900, 100),
        ("bob", 1_000, 0, 0),
    ]
    assert await pool.fetchval("select count(*) from incidents") == 0
    await pool.close()


@pytest.mark.stack
async def test_the_same_rows_whoever_writes_them_and_however_often(database: str) -> None:
    pool = await projected(database, night())
    before = {name: sorted(map(repr, await pool.fetch(f"select * from {name}"))) for name in TABLES}
    await project(pool, "again", [Histories()], MemorySource(night().records))
    after = {name: sorted(map(repr, await pool.fetch(f"select * from {name}"))) for name in TABLES}
    assert after == before
    assert before["histories"]
    await pool.close()


@pytest.mark.stack
async def test_a_bank_alarm_is_an_incident(database: str) -> None:
    script = night()
    script.emit(BACCARAT, BankAlarmRaised(table=BACCARAT, bank=1_000, exposure=9_000, currency="EUR", cause="macau"))
    pool = await projected(database, script)
    rows = await pool.fetch("select kind, severity, stream from incidents")
    assert [tuple(row) for row in rows] == [("bank_alarm", "major", BACCARAT)]
    await pool.close()


def test_a_night_passes_every_check_of_chips() -> None:
    script = night()
    chips: dict[str, Chips] = {}
    for (_, _, event), fact in zip(script.records, script.facts, strict=True):
        if "table" in event.type.split(".")[1]:
            assert list(check_chips(chips.setdefault(event.stream, Chips()), event, fact)) == []
    assert {name: (c.rounds_settled, c.rounds_voided, c.on_table) for name, c in chips.items()} == {
        POKER: (2, 1, 0),
        BACCARAT: (2, 1, 0),
    }
