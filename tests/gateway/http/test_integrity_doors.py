"""Doors that rule 11 and the enacting articles ask for: signals leave as digests, staff are named, the text is free."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from services.cli.certifying.rules import read_rules
from services.gateway.views.lobby import NAMES
from tests.gateway.conftest import House
from tests.testkit.keys import key_of

PORTUGAL = "pt-811-2015"
KNOWN = read_rules(Path(__file__).parents[3] / "docs" / "rules")


def body(kind: str = "device", value: str = "9a7c-31", reference: str = "r1") -> dict[str, str]:
    return {"reference": reference, "kind": kind, "value": value, "currency": "EUR"}


@pytest.mark.rule(PORTUGAL, "11.c")
async def test_a_device_leaves_the_gateway_as_a_digest(http: httpx.AsyncClient, house: House, operator: Any) -> None:
    for player, key in (("alice", "k1"), ("bob", "k2")):
        headers = {**operator, "idempotency-key": key_of(key)}
        assert (await http.post(f"/v1/players/{player}/signals", json=body(), headers=headers)).status_code == 200
    one, other = house.commands
    assert (one.type, one.stream) == ("ReportSignal", "account-alice-EUR")
    assert one.body["value"] == other.body["value"] != body()["value"]
    assert "9a7c" not in one.encoded().decode()


@pytest.mark.rule(PORTUGAL, "11.f")
async def test_a_program_keeps_its_name(http: httpx.AsyncClient, house: House, operator: Any) -> None:
    wish = body("program", "Holdem Bot")
    headers = {**operator, "idempotency-key": key_of("k")}
    answer = await http.post("/v1/players/alice/signals", json=wish, headers=headers)
    assert answer.status_code == 200
    assert house.commands[0].body == {"report": "r1", "kind": "program", "value": "Holdem Bot"}


async def test_players_report_nothing_of_each_other(http: httpx.AsyncClient, as_player: Any) -> None:
    answer = await http.post("/v1/players/bob/signals", json=body(), headers=as_player())
    assert answer.status_code == 403


@pytest.mark.rule(PORTUGAL, "11.g")
async def test_the_person_behind_a_measure_is_named(http: httpx.AsyncClient, house: House, as_staff: Any) -> None:
    headers = as_staff("floor", subject="floor-12")
    path = "/v1/tables/table-1/players/alice/remove"
    answer = await http.post(path, json={"reason": "insults"}, headers=headers)
    assert answer.status_code == 200
    (command,) = house.commands
    assert (command.principal.kind, command.principal.id) == ("staff", "floor-12")


@pytest.mark.rule(PORTUGAL, "enact.4")
async def test_the_regulation_s_own_words_are_there_without_login_or_payment(http: httpx.AsyncClient) -> None:
    rules = (await http.get("/v1/tables/table-1/rules")).json()
    answer = await http.get(rules["regulation_text"])
    assert answer.status_code == 200
    text = answer.json()["text"]
    assert text.startswith("Póquer «Omaha» Online")
    for rule in range(1, 76):
        assert re.search(rf"^(- )?{rule} +—", text, re.MULTILINE), rule
    assert (await http.get("/v1/regulations/nowhere-1")).status_code == 404


@pytest.mark.parametrize("regulation", sorted(NAMES))
async def test_a_copy_is_not_told_as_the_published_text(http: httpx.AsyncClient, regulation: str) -> None:
    """Which ones are copies stands with the lists that the certificate's pages are made of."""
    source = (await http.get(f"/v1/regulations/{regulation}")).json()["source"]
    told = KNOWN[regulation].provenance
    assert bool(told) == ("copy" in source) == (regulation == "pt-812-2015-baccarat")
    for words in ("7.b to 43", "an operator published in March 2016", "read by eye from a picture") if told else ():
        assert words in told
        assert words in source
