"""Hostile texts at every field of every door, over HTTP and the WebSocket: refused by field, and nothing is sent."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from libs.contracts.messages import Principal
from libs.edge.problems import Problem
from services.gateway.app.asked import Asked
from services.gateway.app.doors import DOORS, PLAYERS_DOORS, Door
from services.gateway.app.gateway import Gateway
from tests.contracts.hostile import HOSTILE, spoilt
from tests.gateway.conftest import House
from tests.gateway.hands import TABLE, opened
from tests.testkit.keys import key_of

PATH = {
    "table": TABLE, "tournament": "t-1", "player": "alice", "hand": "41", "round": "17", "version": "7",
    "change": "bank-1",
    "complaint": "complaint-9",
}  # fmt: skip
EVERY_DOOR = pytest.mark.parametrize("door", DOORS, ids=[door.name for door in DOORS])
SOME = ("a\x00b", "a\u202eb", "e\u0301", "a ")


def bodies(door: Door, text: str) -> list[tuple[str, dict[str, Any]]]:
    """What can be sent through the door with the text in one field of the body."""
    found = [(field, body) for field, body in spoilt(door.body, text) if field not in door.left_out]
    return [
        (field, {name: value for name, value in body.items() if name not in door.left_out}) for field, body in found
    ]


@EVERY_DOOR
def test_a_door_refuses_by_field(gateway: Gateway, house: House, door: Door) -> None:
    house.publish(opened(), table="table-2")
    asked = Asked(gateway, Principal("player" if door.who == "player" else "staff", "alice"), PATH)
    for text in HOSTILE:
        for field, body in bodies(door, text):
            with pytest.raises(Problem) as refused:
                door.order(asked, "k1", body)
            assert refused.value.status == 422
            assert all(each["field"].startswith(f"/body/{field}") for each in refused.value.extensions["errors"])


@EVERY_DOOR
async def test_over_http(
    http: httpx.AsyncClient, house: House, through: Callable[..., dict[str, str]], door: Door
) -> None:
    headers = through(door)
    for text in SOME:
        for field, body in bodies(door, text):
            answer = await http.post("/v1" + door.path.format(**PATH), json=body, headers=headers)
            assert answer.status_code == 422, answer.text
            assert [each["field"].split("/")[:3] for each in answer.json()["errors"]] == [["", "body", field]]
    assert house.commands == []


async def test_over_the_websocket(url: str, house: House, token_of: Callable[[str], str]) -> None:
    headers = {"authorization": f"Bearer {token_of('alice')}"}
    async with connect(url.replace("http", "ws") + "/v1/ws", additional_headers=headers, proxy=None) as socket:
        tried = 0
        for name, door in PLAYERS_DOORS.items():
            for text in SOME:
                for field, body in bodies(door, text):
                    tried += 1
                    await socket.send(json.dumps({**body, "type": name, "id": key_of(f"k{tried}"), "table": TABLE}))
                    frame = json.loads(await asyncio.wait_for(socket.recv(), 20))
                    while frame["type"] not in ("problem", "reply"):
                        frame = json.loads(await asyncio.wait_for(socket.recv(), 20))
                    assert frame["problem"]["status"] == 422
                    assert [each["field"].split("/")[1] for each in frame["problem"]["errors"]] == [field]
    assert tried > 0
    assert house.commands == []


@pytest.mark.parametrize("path", ["/v1/tables/a%00b", "/v1/tables?q=a%00b", "/v1/tables/a%0Ab/rules"])
async def test_an_address_with_control_characters_is_refused(url: str, path: str) -> None:
    async with httpx.AsyncClient() as client:
        answer = await client.get(url + path)
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:croupier:problem:malformed-address")
