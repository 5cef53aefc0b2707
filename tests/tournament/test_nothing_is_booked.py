"""Chips of a tournament are nobody's money: no policy moves them, no book has them, and the auditor counts them all.

mo-97-2010 4.2: they do not leave the table, by whatever consumer of its events.
"""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import draw_events, poker_events, table_events
from libs.contracts.facts import Fact
from libs.contracts.topics import topic
from libs.money.chips import NO_CURRENCY
from libs.projecting import Pool, project
from services.audit.verifying.facts import FactChecks
from services.audit.verifying.findings import Kind
from services.table.policies import reactions as of_table
from services.wallet.policies import reactions as of_wallet
from services.wallet.projections import BOOKS, COMPARED, books
from services.wallet.projections.balances import account, rake_accounts, trial_balance
from services.wallet.projections.statements import statement
from services.wallet.projections.transfers import transfers_of
from tests.table.tournament.play import TABLE
from tests.testkit.memory_source import MemorySource
from tests.tournament.cashier import public
from tests.tournament.hall import Hall
from tests.tournament.night import decks, night
from tests.wallet.script import Script

MOVES_MONEY: dict[str, tuple[type[Fact], ...]] = {
    "when_player_left": (table_events.PlayerLeft,),
    "when_refund_sent": (table_events.RefundSent,),
    "when_seat_released": (table_events.SeatReleased,),
    "when_seat_reserved": (table_events.SeatReserved,),
    "when_session_fee_due": (poker_events.SessionFeeDue,),
    "when_top_up_due": (table_events.TopUpDue,),
    "when_top_up_failed": (table_events.TopUpFailed,),
    "when_funds_reserved": (),
    "when_reserve_refused": (),
    "when_fee_charged": (),
    "when_fee_refused": (),
    "when_tables_drawn": (draw_events.TablesDrawn,),
    "when_table_change_granted": (draw_events.TableChangeGranted,),
    **dict.fromkeys(
        (
            "when_payment_due",
            "when_credits_due",
            "when_payment_returned",
            "when_announced",
            "when_tournament_cancelled",
        ),
        (),
    ),
}
"""Every policy of these two, and to which facts of a table it answers with a command; four hear the wallet alone, four
the tournament: what is paid for an entry is money."""


def test_the_night_has_everything_that_happens_to_entrants() -> None:
    told = {type(fact).__name__ for _, fact in night()}
    assert {"EntrantSeated", "EntrantEliminated", "EntrantMoved", "EntrantFinished", "HandVoided"} <= told
    assert {"BlindPosted", "BetPlaced", "PotAwarded", "HandEnded", "ConfigurationActivated", "PlayerSatOut"} <= told
    assert {getattr(fact, "currency", NO_CURRENCY) for _, fact in night()} == {NO_CURRENCY}


@pytest.mark.rule("mo-97-2010", "4.2")
def test_no_policy_answers_a_tournament_table_with_a_command() -> None:
    """None that moves money hears of anything; what is told all the same is answered with nothing."""
    there = {name for policies in (of_table, of_wallet) for name in vars(policies) if name.startswith("when_")}
    assert there == set(MOVES_MONEY), "a new policy: say here what it answers to"
    told = {type(fact) for _, fact in night()}
    assert not told & {fact for facts in MOVES_MONEY.values() for fact in facts}
    assert not told & {*of_table.TO_TABLES, *of_table.TO_WALLET, *of_wallet.REACTIONS}


@pytest.mark.rule("mo-97-2010", "4.2")
@pytest.mark.parametrize("book", ["real", "demo"])
def test_no_fact_of_the_night_is_a_transfer(book: Any) -> None:
    for _, fact in night():
        assert transfers_of(fact, book) == [], fact


@pytest.mark.stack
@pytest.mark.rule("mo-97-2010", "4.2")
async def test_the_books_know_the_table_and_nothing_of_its_chips(books_pool: Pool) -> None:
    """Beside a cash table, whose money is booked; read in two goes, as after a restart."""
    script = Script()
    script.open_table("cash-1")
    script.deposit("p1", 50_000)
    script.buy_in("p1", "cash-1", "p1@cash-1", 20_000)
    name, partition, _ = script.records[0]
    records = [*script.records, *((name, partition, event) for event, _ in night())]
    half = len(records) // 2
    await project(books_pool, BOOKS, books(), MemorySource(records[:half]))
    await project(books_pool, BOOKS, books(), MemorySource(records))

    for table in set(COMPARED) - {"tables"}:
        for row in await books_pool.fetch(f"select * from {table}"):
            assert NO_CURRENCY not in row.values(), (table, row)
            assert row.get("table_id", "cash-1") == "cash-1", (table, row)
    known = await books_pool.fetch("select table_id, kind, tournament from tables order by table_id")
    assert [tuple(row) for row in known] == [("cash-1", "real", ""), (TABLE, "tournament", "macau-open-1")]
    async with books_pool.acquire() as connection:
        for book in ("real", "demo"):
            balance = await trial_balance(connection, book)
            assert balance.balanced
            assert NO_CURRENCY not in balance.difference
        (own,) = await account(connection, "p1")
        assert (own.available, own.at_tables) == (30_000, 20_000)
        assert await account(connection, "p2") == []
        assert [each.table for each in await rake_accounts(connection)] == ["cash-1"]
        assert await statement(connection, "p2") == []


@pytest.mark.stack
async def test_what_a_tournament_has_earned_stands_among_the_rake_accounts(books_pool: Pool) -> None:
    hall = Hall(4, buy_in={"amount": 2_300, "prize": 2_000, "fee": 300}).run()
    place = topic("tournament", "events").name, 0
    told = [
        (*place, replace(public(event, version), stream="t-1")) for version, event in enumerate(hall.course.events, 1)
    ]
    await project(books_pool, BOOKS, books(), MemorySource(told))
    async with books_pool.acquire() as connection:
        [earned] = await rake_accounts(connection)
        groups = {each.group: each.balance for each in (await trial_balance(connection)).groups}
    assert (earned.table, earned.rulebook, earned.currency) == ("t-1", "common-holdem", "EUR")
    assert earned.commission == groups["commission"] == 4 * 300
    assert {groups[f"tournament-{part}"] for part in ("prize", "fee")} == {0}


@pytest.mark.rule("mo-97-2010", "4.2")
def test_the_auditor_counts_the_chips_and_misses_none() -> None:
    checks = FactChecks()
    found = [
        finding
        for event, fact in night()
        for finding in checks.take(event, fact, decks().get(event.version))  # type: ignore[arg-type]
    ]
    assert found == []
    assert list(checks.end(now=night()[-1][0].time + 10**9)) == [], "no reserve is missed, for there is none"
    chips = checks.chips[TABLE]
    assert (chips.on_table, chips.rake, chips.commission, chips.bank) == (0, 0, 0, 0)
    assert chips.brought == chips.taken == 4 * 30_000 + 1_000 + 30_000
    assert (chips.hands_ended, chips.hands_voided) == (5, 1)


def test_the_auditor_sees_a_chip_that_is_missing() -> None:
    checks = FactChecks()
    found = []
    for event, fact in night():
        if type(fact).__name__ == "EntrantMoved":
            fact = replace(fact, chips=fact.chips - 1)  # type: ignore[attr-defined]
        found += list(checks.take(event, fact, decks().get(event.version)))  # type: ignore[arg-type]
    assert {finding.kind for finding in found} == {Kind.CHIPS}
