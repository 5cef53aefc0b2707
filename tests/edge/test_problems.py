"""Everything that goes wrong at the edge is a problem document (RFC 9457) and never shows its insides."""

import subprocess
import sys

import asyncpg
import httpx
import pytest
from pydantic import BaseModel, ConfigDict, Field

from libs.edge.api import api
from libs.edge.bodies import MAX_BODY
from libs.edge.handlers import json_pointer
from libs.edge.health import inner_app
from libs.edge.problems import Problem


class Bet(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    amount: int = Field(ge=1, le=10**15)


@pytest.fixture
async def client():
    app = api("edge", docs=False)

    @app.post("/bets")
    async def bet(bet: Bet) -> int:
        return bet.amount

    @app.post("/refused")
    async def refused() -> None:
        raise Problem(409, "rejected", "Not your turn.", reason="not_your_turn")

    @app.post("/broken")
    async def broken() -> None:
        raise RuntimeError("the key is hunter2")

    @app.post("/held-up")
    async def held_up() -> None:
        raise asyncpg.LockNotAvailableError("canceling statement due to lock timeout")

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://edge") as client:
        yield client


@pytest.fixture
async def inner():
    state: dict[str, str | None] = {"kafka": None}
    transport = httpx.ASGITransport(inner_app({"kafka": lambda: state["kafka"]}))
    async with httpx.AsyncClient(transport=transport, base_url="http://inner") as client:
        yield client, state


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b'{"amount": 5,, }', "column 14"),
        (b'{"amount": NaN}', "column 12"),
        (b'{"amount": "\\ud800"}', "column"),
        (b"[" * 60_000, "recursion limit exceeded at line 1 column"),
        (b"9" * 5_000, "line 1 column"),
    ],
)
async def test_malformed_json_is_400_and_names_the_place(client, body, where):
    answer = await client.post("/bets", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert where in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"amount": -5}, "/body/amount"),
        ({"amount": 10**30}, "/body/amount"),
        ({"amount": 1.5}, "/body/amount"),
        ({"amount": True}, "/body/amount"),
        ({"amount": 5, "tip": 1}, "/body/tip"),
        ({}, "/body/amount"),
    ],
)
async def test_a_wrong_field_is_422_and_named(client, body, field):
    answer = await client.post("/bets", json=body)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]


async def test_a_body_above_the_bound_is_413_before_parsing(client):
    answer = await client.post("/bets", content=b"{" * 500_000, headers={"content-type": "application/json"})
    assert answer.status_code == 413
    assert answer.json()["type"] == "urn:croupier:problem:body-too-large"


async def test_a_streamed_body_is_counted_too(client):
    async def chunks():
        for _ in range(20):
            yield b" " * (MAX_BODY // 10)

    answer = await client.post("/bets", content=chunks(), headers={"content-type": "application/json"})
    assert answer.status_code == 413


async def test_a_body_at_the_bound_goes_through(client):
    body = b'{"amount": 5}'.ljust(MAX_BODY)
    answer = await client.post("/bets", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()) == (200, 5)


async def test_a_problem_carries_its_extensions(client):
    answer = await client.post("/refused")
    assert answer.status_code == 409
    assert answer.json()["reason"] == "not_your_turn"


async def test_our_own_mistake_shows_a_number_and_nothing_else(client):
    answer = await client.post("/broken")
    assert answer.status_code == 500
    assert len(answer.json()["trace_id"]) == 32
    assert "hunter2" not in answer.text


async def test_an_unknown_path_is_a_problem_too(client):
    answer = await client.get("/nowhere")
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:croupier:problem:not-found")


async def test_readiness_names_what_is_missing(inner):
    client, state = inner
    assert (await client.get("/health/ready")).status_code == 200
    state["kafka"] = "not connected"
    answer = await client.get("/health/ready")
    assert answer.status_code == 503
    assert answer.json()["missing"] == {"kafka": "not connected"}
    assert (await client.get("/health/live")).status_code == 200


async def test_metrics_are_in_the_text_format(inner):
    client, _ = inner
    answer = await client.get("/metrics")
    assert "python_info" in answer.text


def test_json_pointer_escapes():
    assert json_pointer(("body", "a/b", 0, "c~d")) == "/body/a~1b/0/c~0d"


async def test_rows_that_somebody_holds_are_no_fault_of_ours(client):
    answer = await client.post("/held-up")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json()["type"].endswith(":held-up")
    assert "canceling" not in answer.text


def test_who_has_no_public_application_starts_without_fastapi() -> None:
    """It is a third of what such a service takes to start, and every process that takes over pays for it."""
    asked = "import sys, services.table.__main__, services.tournament.__main__; sys.exit('fastapi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False, timeout=60).returncode == 0
