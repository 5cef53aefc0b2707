"""A player who comes to a gateway of another floor is played from there on at the right one, with the same keys."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from uuid6 import uuid7

from libs.client import Player, ProblemReply
from libs.client.http import HttpClient
from libs.contracts.topics import partition_of
from libs.edge.serve import serving
from libs.stack.ports import free_port
from services.gateway.app.floors import floors_of
from services.gateway.app.gateway import Gateway
from services.gateway.http.application import application
from services.gateway.settings import Settings
from services.gateway.wiring import gateway_with
from tests.gateway.conftest import House
from tests.gateway.hands import TABLE, everybody
from tests.testkit.logins import provider_client

OF_HOUSE = 4
OTHERS = ",".join(str(each) for each in range(OF_HOUSE) if each != partition_of(TABLE, OF_HOUSE))


def write(file: Path, there: str, here: str = "http://127.0.0.1:1") -> None:
    new = file.with_suffix(".new")
    new.write_text(json.dumps({str(partition_of(TABLE, OF_HOUSE)): there, OTHERS: here}))
    new.replace(file)


@asynccontextmanager
async def wrong_door(settings: Settings, house: House, file: Path) -> AsyncIterator[str]:
    """The address of a gateway that does not serve the table."""
    nobody = httpx.AsyncClient(transport=httpx.MockTransport(lambda request: httpx.Response(404)))
    floors = floors_of(OTHERS, file, OF_HOUSE)
    async with serving(application(gateway_with(settings, house, nobody, None, provider_client(), floors)), 0) as port:
        yield f"http://127.0.0.1:{port}"


async def test_who_comes_by_a_wrong_door_plays_where_the_table_is(
    url: str, house: House, token_of: Any, gateway: Gateway, settings: Settings, tmp_path: Path
) -> None:
    house.publish(*everybody())
    write(file := tmp_path / "floors.json", url)
    key = str(uuid7())
    async with wrong_door(settings, house, file) as wrong, Player(wrong, token_of("alice")) as alice:
        assert (await alice.sit_out(TABLE, key=key)).accepted
        table = await alice.subscribe(TABLE)
        assert (await alice.leave(TABLE)).accepted
        assert (await alice.view(TABLE))["table"] == TABLE
        house.publish(*(), table=TABLE)
        assert table.version == house.versions[TABLE]
        async with HttpClient(wrong, token_of("alice")) as asks:
            again = await asks.command(f"/tables/{TABLE}/sit-out", {}, key=key)
        assert again.accepted
    kinds = [each.type for each in house.commands if each.principal.kind == "player"]
    assert kinds == ["SitOut", "LeaveTable"], "the same key is the same command at either door"


async def test_a_dead_address_is_asked_for_again_until_somebody_serves_the_table(
    url: str, house: House, token_of: Any, gateway: Gateway, settings: Settings, tmp_path: Path
) -> None:
    house.publish(*everybody())
    write(file := tmp_path / "floors.json", f"http://127.0.0.1:{free_port()}")
    async with wrong_door(settings, house, file) as wrong, Player(wrong, token_of("alice")) as alice:
        asked = asyncio.create_task(alice.sit_out(TABLE))
        await asyncio.sleep(0.5)
        assert not asked.done()
        write(file, url)
        assert (await asyncio.wait_for(asked, 20)).accepted
    assert [each.type for each in house.commands if each.principal.kind == "player"] == ["SitOut"]


async def test_gateways_that_send_to_each_other_end_in_a_problem(
    house: House, token_of: Any, gateway: Gateway, settings: Settings, tmp_path: Path
) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    for file in (one, two):
        write(file, "http://127.0.0.1:1")
    async with wrong_door(settings, house, one) as first, wrong_door(settings, house, two) as second:
        write(one, second)
        write(two, first)
        await asyncio.sleep(1.1)
        async with Player(first, token_of("alice")) as alice:
            with pytest.raises(ProblemReply) as refused:
                await asyncio.wait_for(alice.sit_out(TABLE), 20)
            assert refused.value.status == 421
            with pytest.raises(ProblemReply):
                await asyncio.wait_for(alice.subscribe(TABLE), 20)
            with pytest.raises(ProblemReply):
                await asyncio.wait_for(alice.view(TABLE), 20)
    assert house.sent == []
