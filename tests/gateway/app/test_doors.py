"""Every door takes its own example, over HTTP and over the WebSocket, and the documents say what it takes."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest
from jsonschema import Draft202012Validator

from libs.contracts.messages import Principal
from libs.contracts.registry import ALL_TABLE_COMMANDS, ALL_TOURNAMENT_COMMANDS, ALL_WALLET_COMMANDS, REASONS
from libs.contracts.tournaments_commands import EntrantCommand, RegisterPlayer
from libs.contracts.tournaments_events import PlayerRegistered
from services.cli.contracts import contract_files
from services.gateway.app.asked import Asked
from services.gateway.app.doors import DOORS, PLAYERS_DOORS, Door, body_schemas
from services.gateway.app.gateway import Gateway
from services.gateway.ws import protocol
from tests.gateway.conftest import House
from tests.gateway.hands import TABLE, opened
from tests.tournament.samples import tournament_samples

PATH = {
    "table": TABLE,
    "tournament": "t-1",
    "ticket": "ticket-1",
    "player": "alice",
    "hand": "41",
    "round": "17",
    "version": "7",
    "change": "bank-1",
    "complaint": "complaint-9",
}
EVERY_DOOR = pytest.mark.parametrize("door", DOORS, ids=[door.name for door in DOORS])


@pytest.mark.parametrize("command", [*ALL_TABLE_COMMANDS, *ALL_WALLET_COMMANDS, *ALL_TOURNAMENT_COMMANDS])
def test_the_example_of_a_command_is_one(command: Any) -> None:
    said = msgspec.convert(dict(command.example), command)
    assert _as_far_as(dict(command.example), msgspec.to_builtins(said)) == dict(command.example)


def _as_far_as(example: Any, said: Any) -> Any:
    """What is said of the fields that the example names, those of its parts too."""
    if isinstance(example, dict):
        return {name: _as_far_as(value, said[name]) for name, value in example.items()}
    if isinstance(example, list | tuple):
        return type(example)(_as_far_as(*both) for both in zip(example, said, strict=True))
    return said


@EVERY_DOOR
async def test_a_door_takes_its_example(
    http: httpx.AsyncClient, house: House, through: Callable[..., dict[str, str]], door: Door
) -> None:
    house.publish(opened(), table="table-2")
    if issubclass(door.command, EntrantCommand) and door.command is not RegisterPlayer:
        entered = next(each for each in tournament_samples() if isinstance(each, PlayerRegistered))
        house.publish_tournament(msgspec.structs.replace(entered, player="alice"))
    schema = body_schemas()[door.body.__name__]
    [example] = schema["examples"]
    Draft202012Validator({**schema, "components": {"schemas": body_schemas()}}).validate(example)
    headers = through(door)
    answer = await http.post("/v1" + door.path.format(**PATH), json=example, headers=headers)
    assert answer.status_code == 200, answer.text
    assert [message.type for message in house.commands] == [door.command.__name__]
    wrong = await http.post("/v1" + door.path.format(**PATH), json=example | {"surprise": 1}, headers=headers)
    assert [error["field"] for error in wrong.json()["errors"]] == ["/body/surprise"]


@EVERY_DOOR
def test_who_comes_through_a_door_may_ask(door: Door) -> None:
    assert door.who in door.command.may_ask


async def test_a_field_that_the_gateway_fills_in_is_not_taken(http: httpx.AsyncClient, as_player: Any) -> None:
    body = {"amount": 10_000, "seat": 3, "reservation": "mine"}
    answer = await http.post(f"/v1/tables/{TABLE}/seats", json=body, headers=as_player("alice"))
    assert [error["field"] for error in answer.json()["errors"]] == ["/body/reservation"]


async def test_a_path_that_is_no_number_is_named(http: httpx.AsyncClient, as_staff: Any) -> None:
    headers = as_staff("supervisor")
    answer = await http.post(f"/v1/tables/{TABLE}/hands/last/void", json={}, headers=headers)
    assert [error["field"] for error in answer.json()["errors"]] == ["/path/hand", "/body/cause"]


async def test_the_openapi_document_names_operations_bodies_and_reasons(http: httpx.AsyncClient) -> None:
    document = (await http.get("/openapi.json")).json()
    posts = {path: each["post"] for path, each in document["paths"].items() if "post" in each}
    for door in DOORS:
        said = posts["/v1" + door.path]
        assert said["operationId"] == door.name
        assert "example" in said["responses"]["200"]["content"]["application/json"]
        assert {each["name"] for each in said["parameters"] if each["in"] == "path"} == set(door.in_path)
    schemas = document["components"]["schemas"]
    assert schemas["Reason"]["enum"] == list(REASONS)
    _resolve(document, document)


def test_the_asyncapi_document_has_the_websocket_and_its_examples_are_taken(gateway: Gateway, house: House) -> None:
    files = contract_files()
    document = msgspec.yaml.decode(files["asyncapi.yaml"])
    _resolve(document, document)
    messages = document["components"]["messages"]
    house.publish(opened(), table="table-2")
    for name, door in PLAYERS_DOORS.items():
        [example] = messages[f"say_{name}"]["examples"]
        Draft202012Validator(messages[f"say_{name}"]["payload"]).validate(example["payload"])
        wish = protocol.parse(json.dumps(example["payload"]))
        assert isinstance(wish, protocol.Sent)
        asked = Asked(gateway, by=Principal("player", "alice"), path={"table": wish.table}, where=())
        assert wish.door.order(asked, wish.id, wish.fields).name == door.command.__name__


def _resolve(part: Any, document: Any) -> None:
    """Every reference leads somewhere."""
    if isinstance(part, dict):
        if isinstance(reference := part.get("$ref"), str):
            found = document
            for step in reference.removeprefix("#/").split("/"):
                found = found[step]
        for each in part.values():
            _resolve(each, document)
    elif isinstance(part, list):
        for each in part:
            _resolve(each, document)
