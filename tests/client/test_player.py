"""The client against the real gateway application (Kafka's side in memory, see tests/gateway/conftest.py)."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import pytest

from libs.client import ConnectionLost, Operator, Player, ProblemReply, TableState
from libs.contracts.messages import Reply
from libs.edge.problems import Problem
from tests.gateway.hands import TABLE, awaited, bet, blind, dealt, everybody, started, to_the_end
from tests.gateway.http.test_edge import deal_to
from tests.testkit.logins import OPERATOR_TOKEN


def at(table: TableState, version: int) -> Callable[[], bool]:
    return lambda: table.version == version


async def test_the_player_s_picture_is_the_gateway_s_view(url, house, token_of):
    house.publish(*everybody())
    async with Player(url, token_of("alice")) as alice:
        table = await alice.subscribe(TABLE)
        for number, fact in enumerate(to_the_end(41)[:-2], 5):
            house.publish(fact)
            await alice.until(at(table, number), 60)
            view = await alice.view(TABLE)
            assert table.view == house.gateway.floor.tables.view(TABLE)
            turn = view["hand"]["decision"]
            assert (turn and (turn["turn"], turn["player"])) == (table.turn and (table.turn.turn, table.turn.player))
        house.publish(*to_the_end(41)[-2:])
        await alice.until(lambda: table.view.hands_played == 1, 60)
        assert {n: s.stack for n, s in table.view.seats.items()} == {1: 10_723, 2: 9_950, 3: 9_250}
        assert (await alice.last_hand(TABLE))["hand"] == 41


async def test_a_turn_is_given_until_it_is_answered(url, house, token_of, gateway):
    house.publish(*everybody(), started(), blind(2, "small", 50, 9_950), blind(3, "big", 100, 9_900), dealt())
    async with Player(url, token_of("alice")) as alice:
        table = await alice.subscribe(TABLE)
        gateway.floor.on_cards(deal_to(1, "alice", version=8), ("As", "Ad", "7h", "4c"))
        house.publish(awaited(1))
        turn = await alice.next_turn(TABLE, 5)
        assert (turn.hand, turn.seat, turn.turn, turn.legal.call, turn.legal.max_to) == (41, 1, 9, 100, 350)
        assert table.hole_cards == ["As", "Ad", "7h", "4c"]
        assert "As" not in repr(table)
        assert (await alice.act(turn, "call")).accepted
        assert alice.turn(TABLE) is None
        house.publish(bet(1, "call", 100, 100, 9_900), awaited(2))
        await alice.until(lambda: table.version == 11, 60)
        assert alice.turn(TABLE) is None


async def test_a_no_is_an_answer_and_a_problem_is_raised(url, house, token_of):
    house.answer = lambda message: Reply(
        command_id=message.id, stream=TABLE, verdict="rejected", version=1, reason="seat_taken", rule="pt-811-2015#9"
    )
    async with Player(url, token_of("alice")) as alice:
        answer = await alice.take_seat(TABLE, 5_000)
        assert (answer.accepted, answer.reason, answer.rule) == (False, "seat_taken", "pt-811-2015#9")
        with pytest.raises(ProblemReply) as problem:
            await alice.take_seat("table-99", 5_000)
        assert problem.value.slug == "unknown-table"
        with pytest.raises(ProblemReply):
            await alice.subscribe("table-99")


async def test_a_command_without_an_answer_is_sent_again_under_its_key(url, house, token_of):
    def forgetful(message):
        if len(house.sent) < 3:
            return None
        return Reply(command_id=message.id, stream=TABLE, verdict="accepted", version=3)

    house.answer = forgetful
    async with Player(url, token_of("alice"), patience=10) as alice:
        assert (await alice.leave(TABLE)).accepted
    assert len({message.id for message in house.commands}) == 1
    assert len(house.sent) == 3


async def test_a_forged_session_is_told(url):
    with pytest.raises(ConnectionLost):
        async with Player(url, "forged"):
            pass


async def test_a_lost_connection_is_made_again(url, house, token_of):
    async with Player(url, token_of("alice")) as alice:
        table = await alice.subscribe(TABLE)
        assert alice.home.socket is not None
        alice.home.socket.transport.abort()
        house.publish(*everybody())
        await alice.until(lambda: table.version == 4, 60)
        assert (await alice.leave(TABLE)).accepted
        assert alice.resyncs == 1


async def test_who_may_not_follow_again_yet_asks_once_more(url, house, token_of, gateway):
    async with Player(url, token_of("alice")) as alice:
        table = await alice.subscribe(TABLE)
        with suppress(Problem):
            while True:
                gateway.doorkeeper.subscriptions.take(f"{TABLE} alice")
        assert alice.home.socket is not None
        alice.home.socket.transport.abort()
        house.publish(*everybody())
        await alice.until(lambda: table.version == 4, 60)


async def test_events_come_in_order(url, house, token_of):
    async with Player(url, token_of("alice")) as alice:
        await alice.subscribe(TABLE)

        async def three() -> list[str]:
            heard = []
            async for event in alice.events():
                heard.append(event.name)
                if len(heard) == 3:
                    break
            return heard

        heard = asyncio.create_task(three())
        await asyncio.sleep(0.05)
        house.publish(*everybody())
        assert await asyncio.wait_for(heard, 60) == ["player_seated"] * 3


async def test_the_operator(url, house):
    async with Operator(url, OPERATOR_TOKEN) as operator:
        session = await operator.open_session("alice")
        assert session.token not in repr(session)
        assert (await operator.open_account("alice")).accepted
        assert (await operator.deposit("alice", "bank-1", 10_000)).accepted
        assert (await operator.command(f"/tables/{TABLE}/pause", {"reason": "a check"})).accepted
        assert (await operator.command(f"/tables/{TABLE}/resume")).accepted
        assert [row["table"] for row in await operator.tables()] == [TABLE]
        assert (await operator.account("alice"))["asked"]
    async with Player(url, session.token) as alice:
        assert alice.name == "alice"
        assert (await alice.http.get("/session"))["player"] == "alice"
        assert (await alice.http.get("/statement"))["asked"]
