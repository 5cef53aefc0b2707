"""A whole tournament at a real house: processes, broker, database, WebSockets; services killed in hand-for-hand.

In short, without gateway and wallet: `tests/integration/test_tournament_played.py`.
"""

import asyncio
from typing import Any

import pytest

from services.cli.demo.tournament import BUY_IN, Pace, TournamentNight
from services.cli.house import House
from tests.e2e.evening import croupier

PLAYERS, PAID = 12, 6
SERVICES = ("table", "tournament", "wallet", "gateway")
"""25 times each: `make chaos FAULT=hand-for-hand`."""


@pytest.mark.long
@pytest.mark.stack
@pytest.mark.timeout(600)
async def test_to_the_last_prize_with_services_killed_in_hand_for_hand(house: House) -> None:
    pace = Pace(hand_for_hand_at=10)  # nearly from the start on: there is time for all of them
    night = TournamentNight(house, players=PLAYERS, seats=6, paid=PAID, kills=SERVICES, pace=pace)
    await night.play(longest_s=420)

    page = night.page
    assert (page["status"], page["entries"], page["pool"]) == ("completed", PLAYERS, PLAYERS * BUY_IN["prize"])
    # On a busy machine play may be over before the last of them is back.
    assert [each for each in night.problems if not each.startswith("killed in hand-for-hand")] == []
    assert len(night.killed) > 1, night.problems
    assert len(page["results"]) == len({result["player"] for result in page["results"]}) == PLAYERS
    assert sum(result["prize"] for result in page["results"]) == page["pool"]
    groups = await _settled(house)
    assert {name: amount for name, amount in groups.items() if name.startswith("tournament-")} == {
        "tournament-prize": 0, "tournament-fee": 0,
    }  # fmt: skip
    assert (groups["player"], groups["commission"]) == (PLAYERS * BUY_IN["prize"], PLAYERS * BUY_IN["fee"])
    status, report = await croupier(house, "verify")
    assert (status, report["findings"]) == (0, [])


async def _settled(house: House) -> dict[str, Any]:
    async with house.reader("wallet") as wallet, asyncio.timeout(60):
        while True:
            balance = (await wallet.get("/v1/trial-balance")).json()
            groups = {group["group"]: group["balance"] for group in balance["groups"]}
            if not groups.get("in-transit") and groups.get("player", 0) == PLAYERS * BUY_IN["prize"]:
                assert (balance["balanced"], balance["disagreements"]) == (True, 0)
                return groups
            await asyncio.sleep(0.3)
