"""A gateway that ends sends its players elsewhere, and no answer is lost on the way."""

import asyncio
from functools import partial

from libs.client import Player
from libs.contracts.messages import Reply
from libs.edge.serve import serving
from services.gateway.http.application import application
from services.gateway.kafka.hears import hear_reply
from tests.gateway.conftest import _replied
from tests.gateway.hands import TABLE, everybody

WISHES = ("SitOut", "LeaveTable")


def accepted(message):
    return Reply(command_id=message.id, stream=TABLE, verdict="accepted", version=5)


async def test_players_go_where_they_are_sent_and_every_wish_is_answered_once(gateway, house, token_of):
    house.publish(*everybody())
    house.answer = lambda message: None
    async with serving(application(gateway), 0) as there:
        leaving = partial(gateway.sockets.move, f"ws://127.0.0.1:{there}/v1/ws")
        here = serving(application(gateway), 0, leaving=leaving)
        port = await here.__aenter__()
        async with Player(f"http://127.0.0.1:{port}", token_of("alice")) as alice:
            await alice.subscribe(TABLE)
            late = asyncio.create_task(alice.sit_out(TABLE))
            never = asyncio.create_task(alice.leave(TABLE))
            while len(asked := {each.type: each for each in house.commands if each.type in WISHES}) < 2:
                await asyncio.sleep(0.01)
            ending = asyncio.create_task(here.__aexit__(None, None, None))
            await asyncio.sleep(0.2)
            assert not late.done()
            hear_reply(_replied("table", accepted(asked["SitOut"])), gateway.desk)
            assert (await asyncio.wait_for(late, 5)).accepted
            house.answer = accepted
            await ending  # one answer is still due: its player is let go all the same
            assert (await asyncio.wait_for(never, 20)).accepted
            assert (await asyncio.wait_for(alice.sit_in(TABLE), 20)).accepted
            assert alice.home.url.endswith(f":{there}/v1/ws")
        assert {each.id for each in house.commands if each.type == "LeaveTable"} == {asked["LeaveTable"].id}


async def test_who_has_no_open_wish_goes_at_once_and_comes_home_where_nobody_answers(gateway, house, token_of, url):
    house.publish(*everybody())
    async with Player(url, token_of("alice")) as alice:
        await alice.subscribe(TABLE)
        async with asyncio.timeout(2):
            await gateway.sockets.move("ws://127.0.0.1:1/v1/ws", 10)
        assert (await asyncio.wait_for(alice.sit_out(TABLE), 20)).accepted
