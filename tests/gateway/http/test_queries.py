"""A query parameter that nobody would read is refused and named, at every path of every service (one guard for all)."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from fastapi.routing import APIRoute
from httpx import ASGITransport

from libs.identity.access import access_in
from libs.identity.operators import add_operator
from libs.identity.purpose import PURPOSE
from libs.projecting import Pool
from services.audit.http.routes import all_routers, audit_app
from services.gateway.app.gateway import Gateway
from services.gateway.http.application import application as gateway_application
from services.gateway.http.application import routes
from services.wallet.http.application import application as wallet_application
from services.wallet.http.application import routes_of
from tests.gateway.conftest import House
from tests.testkit.keys import key_of
from tests.testkit.logins import AS_PLATFORM, callers, staff_token
from tests.testkit.marks import AUDIT, WALLET

NO_POOL = cast(Pool, None)
"""Nothing here comes so far as to ask a database."""
PATH = {"table": "table-1", "player": "alice", "regulation": "pt-811-2015"}


def declared(found: Iterable[Any]) -> list[APIRoute]:
    return [route for route in found if isinstance(route, APIRoute)]


@pytest.fixture
def served(gateway: Gateway, tmp_path: Path) -> list[tuple[httpx.AsyncClient, list[APIRoute]]]:
    """Every application with its paths."""
    known = callers(tmp_path)
    apps: tuple[tuple[Any, list[APIRoute]], ...] = (
        (gateway_application(gateway), declared(routes().routes)),
        (wallet_application(NO_POOL, known, WALLET), declared(routes_of(NO_POOL).routes)),
        (audit_app(NO_POOL, known, AUDIT), [route for each in all_routers() for route in declared(each.routes)]),
    )
    return [(httpx.AsyncClient(transport=ASGITransport(app), base_url="http://house"), held) for app, held in apps]


async def test_what_no_question_knows_is_refused_and_named(
    served: list[tuple[httpx.AsyncClient, list[APIRoute]]],
    as_player: Callable[..., dict[str, str]],
    house: House,
    tmp_path: Path,
) -> None:
    tried = 0
    own = add_operator(tmp_path / "operators.json", "gateway", ["house"], 0)
    for client, paths in served:
        for route in paths:
            access = access_in(route.openapi_extra or {})
            method = min(route.methods or {"GET"})
            headers = dict(AS_PLATFORM)
            if access.roles:
                headers |= {"authorization": f"Bearer {staff_token(access.roles[0])}"}
            elif access.scopes == ("house",):
                headers |= {"authorization": f"Bearer {own}"}
            elif access.player:
                headers |= as_player("alice")
            headers |= {"idempotency-key": key_of(f"q{tried}")}
            path = route.path.format_map(_Anything(PATH))
            answer = await client.request(method, f"{path}?bok=demo&bok=real&book%00", headers=headers, json={})
            tried += 1
            told = answer.json()
            assert (answer.status_code, told["type"]) == (422, "urn:croupier:problem:invalid-input"), route.path
            assert [each["field"] for each in told["errors"]] == ["/query/bok", "/query/book\x00"], route.path
    assert tried > 90
    assert house.commands == []


class _Anything(dict[str, str]):
    """Numbers and names of what is not there."""

    def __missing__(self, key: str) -> str:
        return "1"


async def test_what_is_given_twice_is_refused(http: httpx.AsyncClient, operator: dict[str, str]) -> None:
    """Which of the two was meant is not guessed."""
    answer = await http.get("/v1/players/zoe/account?book=demo&book=real", headers=operator)
    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"field": "/query/book", "detail": "Given more than once"}]
    assert (await http.get("/v1/players/zoe/account?book=demo", headers=operator)).status_code == 200


async def test_who_is_nobody_learns_no_parameter(http: httpx.AsyncClient) -> None:
    assert (await http.get("/v1/session?token=abc")).status_code == 401


async def test_a_purpose_may_stand_in_the_query_where_one_is_needed(
    served: list[tuple[httpx.AsyncClient, list[APIRoute]]],
) -> None:
    _, (wallet, _), _ = served
    headers = {name: value for name, value in AS_PLATFORM.items() if name != PURPOSE}
    assert (await wallet.get("/v1/totals?purpose=a+test", headers=headers)).status_code == 422
    with pytest.raises(AttributeError):  # so far as to be put on record, for which there is no database here
        await wallet.get("/v1/players/alice/accounts?purpose=a+test", headers=headers)


@pytest.mark.parametrize("purpose", ["a+test", "another", ""])
async def test_a_purpose_stands_in_one_place(
    served: list[tuple[httpx.AsyncClient, list[APIRoute]]], purpose: str
) -> None:
    _, (wallet, _), _ = served
    answer = await wallet.get(
        f"/v1/players/alice/accounts?purpose={purpose}", headers=AS_PLATFORM | {PURPOSE: "a test"}
    )
    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"field": "/query/purpose", "detail": "Given as Croupier-Purpose, too"}]


async def test_a_player_asks_for_play_money(
    http: httpx.AsyncClient, gateway: Gateway, as_player: Callable[..., dict[str, str]]
) -> None:
    asked: list[dict[str, str]] = []

    async def statements(player: str, **which: Any) -> Any:
        asked.append(which)
        return []

    gateway.wallet.statements = statements  # type: ignore[method-assign]
    assert (await http.get("/v1/statement?book=demo&limit=7", headers=as_player("alice"))).json() == []
    assert [(each["book"], each["limit"]) for each in asked] == [("demo", 7)]
