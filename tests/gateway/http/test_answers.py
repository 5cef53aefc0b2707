"""The answers shown in the OpenAPI document are answers that this gateway gives, and fit their schemas."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator

from libs.contracts.private_deals import PrivateDeal
from services.gateway.app.gateway import Gateway
from services.gateway.http import answers
from services.gateway.http.questions import QUESTIONS
from tests.gateway.banked import told
from tests.gateway.banked.told import POKER
from tests.gateway.conftest import House
from tests.gateway.hands import TABLE, everybody, to_the_end

FILE = Path(answers.__file__).parent / "answers.json"
NOW = 1_767_312_000_000
CARDS = ("As", "Ad", "7h", "4c")
ELSEWHERE = {"get_account", "get_statement"}
"""The wallet's answers, which are passed on."""
FILES = {"get_tournament_summary", "get_tournament_result"}
"""Of a tournament that has begun: tests/gateway/http/test_tournaments.py."""


@pytest.fixture
def told_house(house: House, gateway: Gateway) -> House:
    """A hand of poker that is over, the next one at its first turn, and a paid round against the house."""
    gateway.now = lambda: NOW
    house.publish(*everybody(), *to_the_end(41), *to_the_end(42)[:5])
    for hand in (41, 42):
        deal = PrivateDeal(table=TABLE, hand=hand, seat=1, player="alice", version=1, sealed="")
        gateway.floor.on_cards(deal, CARDS)
    house.publish(told.opened(POKER), told.seated(POKER, 1), told.seated(POKER, 2, 500), table=POKER)
    house.publish(*told.antes(), *told.deal(), *told.decided(), *told.paid(), table=POKER)
    return house


async def test_each_answer_is_as_shown(
    http: httpx.AsyncClient, told_house: House, as_player: Callable[..., Any], operator: dict[str, str], as_staff: Any
) -> None:
    document = (await http.get("/openapi.json")).json()
    given: dict[str, Any] = {}
    for method, path, endpoint, access, *_ in QUESTIONS:
        operation = endpoint.__name__
        if operation in FILES:
            continue
        table = POKER if operation == "recall_last_round" else TABLE
        where = "/v1" + path.format(table=table, player="alice", regulation="mo-97-2010", tournament="t-1")
        headers = operator if access.scopes else as_staff() if access.roles else as_player("alice")
        if access.person:
            headers = headers | {"croupier-purpose": "a complaint"}
        if path.startswith("/players/"):
            where = where.replace("alice", "zoe")
        body = {"POST": {"player": "alice"}, "PUT": {"reason": "fraud"}}.get(method)
        answer = await http.request(method, where, headers=headers, json=body)
        assert answer.status_code == 200, (operation, answer.text)
        if operation in ELSEWHERE:
            continue
        given[operation] = _settled(answer.json())
        told = document["paths"]["/v1" + path][method.lower()]["responses"]["200"]["content"]["application/json"]
        whole = {**told["schema"], "components": document["components"]}
        assert told["schema"], operation
        Draft202012Validator(whole).validate(answer.json())
    if "WRITE_ANSWERS" in os.environ:
        FILE.write_text(json.dumps(given, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert json.loads(FILE.read_text(encoding="utf-8")) == given, "WRITE_ANSWERS=1 writes them anew"


def _settled(answer: Any) -> Any:
    """Without what is another each time or too long to show."""
    for name, shown in (("token", "eyJhbGciOi…"), ("session", "0f3c2a9e"), ("text", "Regulamento …")):
        if isinstance(answer, dict) and isinstance(answer.get(name), str):
            answer[name] = shown
    return answer
