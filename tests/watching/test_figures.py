"""Figures that somebody is woken by say what they claim."""

import httpx
import pytest
from prometheus_client.registry import REGISTRY

from libs.edge.health import inner_app
from services.wallet.metrics import ProjectionFigures

PLACE = ("events", 0)


async def test_a_check_that_fails_is_told_until_it_holds() -> None:
    why: list[str | None] = ["no broker"]
    transport = httpx.ASGITransport(inner_app({"commands": lambda: why[0]}))
    async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as client:
        assert 'croupier_not_ready{check="commands"} 1.0' in (await client.get("/metrics")).text
        why[0] = None
        assert 'croupier_not_ready{check="commands"} 0.0' in (await client.get("/metrics")).text


def test_books_are_behind_for_as_long_as_an_end_that_was_seen_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("services.wallet.metrics.time.monotonic", lambda: clock[0])
    figures, told = ProjectionFigures("books"), []
    for ends, reached in ((10, 9), (20, 12), (30, 12), (40, 35)):  # busy: never at the very end, but not behind
        figures.lag({PLACE: ends}, {PLACE: reached})
        told.append(REGISTRY.get_sample_value("croupier_projection_behind_seconds", {"projection": "books"}))
        clock[0] += 1
    figures.stands()
    told.append(REGISTRY.get_sample_value("croupier_projection_behind_seconds", {"projection": "books"}))
    assert told == [0, 0, 1, 0, 1]
