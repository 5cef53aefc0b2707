"""The wall between platforms: another one's credential opens, moves and sees nothing of mine, by whatever path."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from fastapi.routing import APIRoute
from httpx import ASGITransport

from libs.contracts.roles import SCOPES
from libs.identity.access import access_in
from libs.identity.operators import add_operator
from libs.identity.purpose import PURPOSE
from libs.identity.reads import Reads
from libs.projecting import Pool
from services.audit.http import histories
from services.audit.http.routes import all_routers, audit_app
from services.gateway.app.gateway import Gateway
from services.gateway.app.wishes import NewTable
from services.gateway.http.application import application as gateway_application
from services.gateway.http.application import routes
from services.gateway.settings import Settings
from services.wallet.http.application import application as wallet_application
from services.wallet.http.application import routes_of
from tests.gateway.conftest import TABLE, House, opened, regulars
from tests.testkit.keys import key_of
from tests.testkit.logins import callers
from tests.testkit.marks import AUDIT, WALLET

NO_POOL = cast(Pool, None)
EVERY = [scope for scope in SCOPES if scope != "house"]
WISHES: dict[str, dict[str, Any]] = {
    "open_account": {"currency": "EUR"},
    "deposit_funds": {"reference": "r", "amount": 100, "currency": "EUR"},
    "withdraw_funds": {"reference": "r", "amount": 100, "currency": "EUR"},
    "report_signal": {"reference": "r", "kind": "device", "value": "x", "currency": "EUR"},
}


def bearer(token: str, key: str = "key") -> dict[str, str]:
    return {"authorization": f"Bearer {token}", "idempotency-key": key_of(key), PURPOSE: "a test"}


@pytest.fixture
def acme(settings: Settings) -> str:
    """A credential with every scope, of another platform than the house's."""
    assert settings.operators_file is not None
    return add_operator(settings.operators_file, "acme-all", EVERY, 0, platform="acme")


def declared(found: Iterable[Any]) -> list[APIRoute]:
    return [route for route in found if isinstance(route, APIRoute)]


async def test_no_path_leads_to_another_platforms_player_or_table(
    gateway: Gateway, tmp_path: Path, house: House
) -> None:
    """Every path of every service that a credential may ask, as it stands in the code."""
    known = callers(tmp_path)
    token = add_operator(tmp_path / "operators.json", "acme-all", EVERY, 0, platform="acme")
    apps: tuple[tuple[Any, list[APIRoute]], ...] = (
        (gateway_application(gateway), declared(routes().routes)),
        (wallet_application(NO_POOL, known, WALLET), declared(routes_of(NO_POOL).routes)),
        (audit_app(NO_POOL, known, AUDIT), [route for each in all_routers() for route in declared(each.routes)]),
    )
    refused: set[str] = set()
    of_all: set[str] = set()
    for app, paths in apps:
        client = httpx.AsyncClient(transport=ASGITransport(app), base_url="http://house")
        for route in paths:
            access = access_in(route.openapi_extra or {})
            if not access.scopes or access.scopes == ("house",):
                continue
            method = min(route.methods or {"GET"})
            query = "?player=alice" if route.path in ("/v1/hands", "/v1/rounds") else ""
            if method == "GET" and "{table}" in route.path:
                continue  # who may see a hand depends on who was in it: below
            filled = route.path.format_map(_Anything({"player": "alice", "table": TABLE})) + query
            body = {"/v1/sessions": {"player": "alice"}, "/v1/tables": NewTable.example}.get(route.path, {})
            answer = await client.request(method, filled, headers=bearer(token), json=body)
            assert answer.status_code == 403, (method, route.path, answer.text)
            assert answer.json()["type"].endswith(":another-platform"), (method, route.path)
            (of_all if access.whole else refused).add(f"{method} {route.path}")
    assert {"POST /v1/sessions", "POST /v1/tables", "GET /v1/players/{player}/statements", "GET /v1/hands"} <= refused
    assert {"GET /v1/incidents", "GET /v1/gaps", "GET /v1/trial-balance"} <= of_all
    assert len(refused) > 20
    assert house.commands == []


class _Anything(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "1"


async def test_each_platform_acts_for_its_own(
    http: httpx.AsyncClient, house: House, acme: str, operator: dict[str, str]
) -> None:
    """And the house's own does not act for `acme`'s: the wall has two sides."""
    for number, (name, body) in enumerate(WISHES.items()):
        path = {"open_account": "accounts", "deposit_funds": "deposits", "withdraw_funds": "withdrawals"}
        end = path.get(name, "signals")
        own = await http.post(f"/v1/players/acme~alice/{end}", headers=bearer(acme, f"a{number}"), json=body)
        assert own.status_code == 200, own.text
        theirs = await http.post(
            f"/v1/players/acme~alice/{end}", headers=operator | {"idempotency-key": key_of(f"o{number}")}, json=body
        )
        assert (theirs.status_code, theirs.json()["type"]) == (403, "urn:croupier:problem:another-platform")
    assert {command.stream for command in house.commands if command.type != "claim_reference"} == {
        "account-acme~alice-EUR"
    }
    opened_by = {
        (who, player): (await http.post("/v1/sessions", headers=headers, json={"player": player})).status_code
        for who, headers in (("acme", bearer(acme)), ("house", operator))
        for player in ("alice", "acme~alice", "beta~alice", "acme")
    }
    assert {asked for asked, status in opened_by.items() if status == 200} == {
        ("acme", "acme~alice"), ("house", "alice"), ("house", "acme"),
    }  # fmt: skip
    assert set(opened_by.values()) == {200, 403}


async def test_a_platform_runs_its_own_tables_whoever_plays_there(
    http: httpx.AsyncClient, house: House, acme: str, operator: dict[str, str]
) -> None:
    house.publish(opened(), table="acme~one")
    key = {"idempotency-key": key_of("k")}
    for table, allowed in (("acme~one", acme), (TABLE, operator["authorization"].removeprefix("Bearer "))):
        for token in (acme, operator["authorization"].removeprefix("Bearer ")):
            asked = await http.post(
                f"/v1/tables/{table}/players/alice/remove",
                headers={"authorization": f"Bearer {token}"} | key,
                json={"reason": "closing"},
            )
            assert asked.status_code == (200 if token == allowed else 403), (table, asked.text)


async def test_a_player_of_a_platform_plays_at_any_table(
    http: httpx.AsyncClient, gateway: Gateway, house: House, acme: str
) -> None:
    token = (await http.post("/v1/sessions", headers=bearer(acme), json={"player": "acme~zoe"})).json()["token"]
    regulars(gateway, TABLE, "acme~zoe")
    seat = await http.post(f"/v1/tables/{TABLE}/seats", headers=bearer(token), json={"amount": 5_000})
    assert seat.status_code == 200, seat.text
    assert house.commands[-1].principal.id == "acme~zoe"


@pytest.mark.parametrize(("players", "seen"), [(["alice", "bob"], False), (["alice", "acme~bob"], True)])
async def test_a_hand_is_shown_to_the_platforms_whose_players_were_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, players: list[str], seen: bool
) -> None:
    known = callers(tmp_path)
    token = add_operator(tmp_path / "operators.json", "acme-all", EVERY, 0, platform="acme")

    class Found:
        def __init__(self) -> None:
            self.players = players

    async def found(*_: Any) -> str:
        return "{}"

    monkeypatch.setattr(Reads, "record", found)
    app = audit_app(cast(Pool, _NoDatabase()), known, AUDIT)
    monkeypatch.setattr(histories, "record_of", found)
    monkeypatch.setattr(histories, "last_record", found)
    monkeypatch.setattr(histories, "RECORDS", type("R", (), {"decode": lambda self, _: Found()})())
    async with httpx.AsyncClient(transport=ASGITransport(app), base_url="http://audit") as client:
        for path in ("/v1/hands/t/1", "/v1/hands/t/last", "/v1/rounds/t/1", "/v1/rounds/t/last"):
            assert (await client.get(path, headers=bearer(token))).status_code == (200 if seen else 404), path


class _NoDatabase:
    def acquire(self) -> "_NoDatabase":
        return self

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        return None
