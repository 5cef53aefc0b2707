"""Tables against the house over the real house: the table process is killed mid-round, and the same cards go on.

pt-803-2015-no-draw 33; pt-812-2015-baccarat 29. A round that staff have to void is refunded to the cent.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from libs.client import Operator, Player, Staff, TableState
from services.cli.house import House
from tests.e2e.evening import croupier

PATIENCE_S = 240.0
"""For a machine that is slow and busy; everything here waits for a condition."""
BROUGHT = 50_000
_SINGLE: dict[str, Any] = {
    "mode": "single", "seats": 1, "approval": "TEST-1", "between_rounds_ms": 0, "buy_in_min": 1_000,
    "buy_in_max": BROUGHT, "top_up_to": BROUGHT, "resume_ms": 3_600_000,
}  # fmt: skip
NO_DRAW = {**_SINGLE, "min_ante": 100, "max_ante": 2_500, "decision_ms": 600_000, "extra_ms": 600_000}
BACCARAT = {
    **_SINGLE, "approved_on": "2026-01-02", "min_bet": 100, "max_ponto_banca": 7_000, "max_tie": 1_500,
    "max_pair": 800, "commission_mode": "five-percent",
}  # fmt: skip


async def wait_for(player: Player, true: Callable[[], bool]) -> None:
    await player.until(true, PATIENCE_S)


@asynccontextmanager
async def sitting(house: House, operator: Operator, table: str) -> AsyncIterator[tuple[Player, TableState]]:
    """A player with money and a seat at the table."""
    name = f"{table}-player"
    session = await operator.open_session(name)
    assert (await operator.open_account(name)).accepted
    assert (await operator.deposit(name, f"{name}-1", BROUGHT)).accepted
    async with Player(house.gateway_url, session.token, patience=PATIENCE_S) as player:
        state = await player.subscribe(table)
        assert (await player.take_seat(table, BROUGHT)).accepted
        await wait_for(player, lambda: (seat := state.seat_of(name)) is not None and seat.status == "playing")
        yield player, state


async def killed_and_back(house: House) -> None:
    table = house.processes["table"]
    await table.kill()
    await table.start()
    await table.ready()


def finished(state: TableState, number: int) -> bool:
    """The round is over; the next one may have been opened already."""
    round = state.view.round
    assert round is not None
    return round.round > number or (round.round == number and round.over)


def stack_of(player: Player, state: TableState) -> int:
    seat = state.seat_of(player.name)
    assert seat is not None
    return seat.stack


async def a_round_of_poker(house: House, player: Player, state: TableState) -> None:
    """Dealt, killed, decided, paid: own cards, the dealer's open card and the commitment are those from before."""
    await wait_for(player, lambda: state.betting)
    assert (await player.place_ante(state.table, 500)).accepted
    number = state.number
    assert number is not None
    assert (await player.command("deal_round", state.table, round=number)).accepted
    await wait_for(player, lambda: state.decides(player.name) and len(state.hole_cards) == 5)
    before = await player.view(state.table)
    await killed_and_back(house)
    assert (await player.decide(state.table, number, "continue")).accepted
    await wait_for(player, lambda: finished(state, number))
    after = await player.last_round(state.table)
    assert (after["round"], after["outcome"], after["deck_root"]) == (number, "ended", before["round"]["deck_root"])
    assert after["own"]["cards"] == before["own"]["cards"]
    assert (after["cards"][0]["owner"], after["cards"][0]["card"]) == ("dealer", before["round"]["dealer"]["up"])
    assert after["own"]["stakes"] == {"ante": 500, "bet": 1_000}
    assert stack_of(player, state) == BROUGHT + after["own"]["net"]


async def a_coup(house: House, player: Player, state: TableState) -> None:
    """Staked, killed, dealt: the stakes are there still and the cards come from the shoe that was committed to."""
    await wait_for(player, lambda: state.betting)
    number = state.number
    assert number is not None
    assert (await player.place_stake(state.table, "banca", 2_000, number)).accepted
    assert (await player.place_stake(state.table, "empate", 200, number)).accepted
    before = await player.view(state.table)
    await killed_and_back(house)
    assert (await player.command("deal_round", state.table, round=number)).accepted
    await wait_for(player, lambda: finished(state, number))
    after, shown = await player.last_round(state.table), await player.view(state.table)
    assert (after["round"], after["outcome"], after["deck_root"]) == (number, "ended", before["shoe"]["deck_root"])
    assert shown["shoe"]["deck_root"] == before["shoe"]["deck_root"]
    assert after["own"]["stakes"] == {"banca": 2_000, "empate": 200}
    assert len(after["cards"]) >= 4
    assert stack_of(player, state) == BROUGHT + after["own"]["net"]


async def a_void_round(supervisor: Staff, second: Staff, player: Player, state: TableState) -> None:
    """Two of the staff void what can't go on: every cent comes back, and the round is shown as void."""
    before = stack_of(player, state)
    await wait_for(player, lambda: state.betting)
    assert (await player.place_ante(state.table, 700)).accepted
    number = state.number
    assert number is not None
    assert (await player.command("deal_round", state.table, round=number)).accepted
    await wait_for(player, lambda: state.decides(player.name))
    why = "the deck can't be trusted"
    assert (await supervisor.void_round(state.table, number, why)).accepted
    assert (await supervisor.void_round(state.table, number, why)).reason == "own_request"
    assert not finished(state, number), "one alone voids nothing once cards are out"
    assert (await second.void_round(state.table, number, why)).accepted
    await wait_for(player, lambda: finished(state, number))
    last = await player.last_round(state.table)
    assert (last["outcome"], last["own"]["refunded"], last["void_cause"]) == ("void", 700, why)
    assert stack_of(player, state) == before


async def new_rules(operator: Operator, supervisor: Staff, cashier: Staff) -> None:
    """Nobody alone, and no machine, changes what the house's money is played with."""
    newer = {**BACCARAT, "version": 2, "approval": "A-2"}
    assert (await operator.change_configuration("bacara", newer)).reason == "not_allowed"
    assert (await supervisor.change_configuration("bacara", newer)).accepted
    rules = await operator.rules("bacara")
    assert (rules["configuration"]["version"], rules["requested"]["version"]) == (1, 2)
    assert (await supervisor.approve_configuration("bacara", 2)).reason == "own_request"
    assert (await cashier.approve_configuration("bacara", 2)).accepted
    rules = await operator.rules("bacara")
    assert (rules["configuration"]["version"], rules["requested"]) == (2, None)


@pytest.mark.stack
@pytest.mark.timeout(900)
@pytest.mark.rule("pt-803-2015-no-draw", "33")
@pytest.mark.rule("pt-812-2015-baccarat", "29")
async def test_the_same_cards_go_on_after_a_kill_and_the_books_close_at_zero(house: House) -> None:
    async with (
        Operator(house.gateway_url, house.operator_token, patience=PATIENCE_S) as operator,
        Staff(house.gateway_url, await house.log_in("supervisor"), patience=PATIENCE_S) as supervisor,
        Staff(house.gateway_url, await house.log_in("supervisor-2"), patience=PATIENCE_S) as second,
        Staff(house.gateway_url, await house.log_in("cashier"), patience=PATIENCE_S) as cashier,
    ):
        tables = (("caribe", "pt-803-2015-no-draw", NO_DRAW), ("bacara", "pt-812-2015-baccarat", BACCARAT))
        for table, rulebook, configuration in tables:
            opened = await supervisor.open_table(table, table, rulebook, configuration, bank=10_000_000)
            assert opened.accepted, opened
            assert (
                await supervisor.approve_bank_change(table, "opening", "top_up", 10_000_000)
            ).reason == "own_request"
            assert (await cashier.approve_bank_change(table, "opening", "top_up", 10_000_000)).accepted
        await new_rules(operator, supervisor, cashier)
        refused = await supervisor.approve_bank_change("bacara", "c1", "top_up", 5_000)
        assert not refused.accepted
        assert (await supervisor.request_bank_change("bacara", "c1", "top_up", 5_000, "test")).accepted
        assert (await supervisor.approve_bank_change("bacara", "c1", "top_up", 5_000)).reason == "own_request"
        assert (await cashier.approve_bank_change("bacara", "c1", "top_up", 5_000)).accepted
        async with sitting(house, operator, "caribe") as (ann, poker), sitting(house, operator, "bacara") as (bo, bac):
            await a_round_of_poker(house, ann, poker)
            await a_coup(house, bo, bac)
            await a_void_round(supervisor, second, ann, poker)
            left_with = {player.name: stack_of(player, state) for player, state in ((ann, poker), (bo, bac))}
            for table, _, _ in tables:
                assert (await operator.close_table(table, "end of the test")).accepted
            await wait_for(ann, lambda: poker.view.status == "closed")
            await wait_for(bo, lambda: bac.view.status == "closed")
        for name, stack in left_with.items():
            await at_home(operator, name, stack)
    await books_closed(house)
    for command in (("rebuild", "--compare"), ("verify",), ("scan",)):
        status, report = await croupier(house, *command)
        assert status == 0, (command, report)


async def at_home(operator: Operator, name: str, stack: int) -> None:
    """All that left the table is at the wallet again."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            (account,) = await operator.account(name)
            if (account["available"], account["at_tables"]) == (stack, 0):
                return
            await asyncio.sleep(0.1)


async def books_closed(house: House) -> None:
    """Every account of a table is at zero, and what the players lost is what the treasury has won."""
    async with (
        house.reader("wallet") as books,
        asyncio.timeout(PATIENCE_S),
    ):
        while True:
            balance = (await books.get("/v1/trial-balance")).json()
            groups = {group["group"]: group["balance"] for group in balance["groups"]}
            open_money = {name: groups.get(name, 0) for name in ("round", "bank", "stack", "in-transit")}
            if balance["balanced"] and not any(open_money.values()):
                break
            await asyncio.sleep(0.2)
        hold = {row["table"]: row for row in (await books.get("/v1/banked-hold")).json()}
    assert groups["treasury"] + groups["player"] == -groups["operator-cash"]
    assert groups["treasury"] == sum(row["win"] for row in hold.values())
    assert [(row["rounds"], row["rounds_void"]) for row in (hold["caribe"], hold["bacara"])] == [(1, 1), (1, 0)]
    assert hold["bacara"]["bank_in"] == 10_005_000
