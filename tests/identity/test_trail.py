"""A look at a person is a row that is kept for ever: so many by one, and each of a bounded length."""

from pathlib import Path

import httpx
import pytest
from fastapi import Depends, FastAPI

from libs.edge.api import api
from libs.edge.shares import Buckets, Share
from libs.identity.access import Access
from libs.identity.guard import guarded, open_to, stand_guard
from libs.identity.purpose import LONGEST_TARGET, PURPOSE, Read
from tests.testkit.logins import AS_PLATFORM, callers

HANDS = "/v1/hands"


@pytest.fixture
def kept() -> list[Read]:
    return []


@pytest.fixture
def app(tmp_path: Path, kept: list[Read]) -> FastAPI:
    made, known = api("A service", docs=False), callers(tmp_path)
    known.reads = Buckets("reads", Share(0.001, 3), lambda: 0.0)

    @made.get(HANDS, openapi_extra=open_to(Access(scopes=("reports",), person=True)), dependencies=[Depends(guarded)])
    async def hands(player: str = "") -> list[str]:
        return [player]

    async def keep(read: Read) -> None:
        kept.append(read)

    stand_guard(made, made.routes, known, record=keep)
    return made


async def test_the_trail_grows_by_bounded_rows_and_by_a_fair_share(app: FastAPI, kept: list[Read]) -> None:
    """Found by an attacker (issue 11): 4 kB a row, hundreds a second, until the auditor could not hold the trail."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://house") as http:
        platform = {name: value for name, value in AS_PLATFORM.items() if name != PURPOSE}
        padded = await http.get(f"{HANDS}?player=ann&purpose={'x' * 200}", headers=platform)
        longer = await http.get(f"{HANDS}?player=ann&purpose={'x' * 201}", headers=platform)
        long = await http.get(f"{HANDS}?player={'x' * LONGEST_TARGET}", headers=AS_PLATFORM)
        assert [padded.status_code, longer.status_code, long.status_code] == [200, 422, 422]
        assert [read.target for read in kept] == [f"{HANDS}?player=ann"]
        answers = [(await http.get(HANDS, headers=AS_PLATFORM)).status_code for _ in range(3)]
    assert answers == [200, 429, 429]
    assert len(kept) == 2
