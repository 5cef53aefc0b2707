"""A tournament cancelled while it runs, at ten moments: two of the staff, real services, every cent where 36.a to 36.c
want it."""

import asyncio
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from libs.client import Operator, Staff
from libs.stack import Stack
from services.cli.demo.tournament import NOT_NOW, Pace, TournamentNight
from services.cli.house import House
from tests.chaos.results import Book, Gone, Round
from tests.chaos.rounds import Tell
from tests.chaos.scene import Plan, scene
from tests.e2e.evening import croupier
from tests.tournament.refunded import unlike
from tests.tournament.told import read_told

NAME = "running tournament cancelled"
PLAYERS, PAID = 12, 4
_LONGEST_S = 600.0
_TRIES = 40
"""Sheets worked out for one cancellation: each is outdated by the next finished hand."""
Page = Mapping[str, Any]


def _left(most: int) -> Callable[[Page], bool]:
    return lambda running: running["players_left"] <= most


MOMENTS: dict[str, Callable[[Page], bool]] = {
    "as soon as it runs": lambda running: True,
    "in the first level": lambda running: running["level"]["level"] == 1,
    "after a rebuy": lambda running: running["rebuys"] > 0,
    "in the second level": lambda running: running["level"]["level"] > 1,
    "after the first elimination": _left(PLAYERS - 1),
    "with a table fewer": lambda running: len(running["tables"]) < PLAYERS // 3,
    "in hand-for-hand": lambda running: running["hand_for_hand"],
    "with everybody left in the money": _left(PAID),
    "after the first prize": _left(PAID - 1),
    "heads-up": _left(2),
}
"""By the tournament's page."""


@dataclass(slots=True)
class CancelledNight(TournamentNight):
    """Is played until its moment, then paused for its running hands, and cancelled."""

    moment: str = ""
    paused: bool = True

    async def _watch(self, operator: Operator) -> None:
        while (running := self.page.get("running")) is None or not MOMENTS[self.moment](running):
            await asyncio.sleep(0.1)
            with suppress(*NOT_NOW):
                self.page = await operator.get(f"/tournaments/{self.tournament}")
            if self.page.get("status") == "completed":
                return
        await self._cancel()
        self.page = await operator.get(f"/tournaments/{self.tournament}")

    async def _cancel(self) -> None:
        path = f"/tournaments/{self.tournament}"
        reason = {"cause": "technical", "reason": f"a drill: {self.moment}"}
        async with (
            Staff(self.house.gateway_url, await self.house.log_in("floor")) as floor,
            Staff(self.house.gateway_url, await self.house.log_in("supervisor")) as supervisor,
        ):
            if self.paused:
                await floor.command(f"{path}/pause", {"reason": reason["reason"]})
            for _ in range(_TRIES):
                proposed = await floor.command(f"{path}/cancellation", reason)
                assert proposed.accepted, proposed
                sheet = (await supervisor.get(f"{path}/director?purpose=a+drill"))["refund_sheet"]
                answer = await supervisor.command(f"{path}/cancellation/confirm", {"sheet": sheet["sheet"]})
                if answer.accepted:
                    return
                assert answer.reason == "sheet_outdated", answer
        raise AssertionError(f"no sheet of {_TRIES} was confirmed in time")


async def cancelled(house: House, number: int, moment: str, *, paused: bool) -> list[str]:
    """One tournament, and what is wrong with its end; empty: nothing."""
    pace = Pace(level_ms=15_000, stack=3_000, rebuys_ms=12_000, hand_for_hand_at=4)
    night = CancelledNight(
        house, f"off-{number}", players=PLAYERS, seats=3, paid=PAID, kills=(), pace=pace, moment=moment, paused=paused
    )
    await night.play(_LONGEST_S)
    if night.page["status"] != "cancelled":
        return [f"was {night.page['status']} before its moment: {moment}"]
    told = await read_told(house.stack.admin, house.topic_prefix, night.tournament)
    return [*unlike(told), *await _accounts(house, night)]


async def _accounts(house: House, night: TournamentNight) -> list[str]:
    """Nothing stays with the tournament, nothing is made: each player has what was brought, less what was paid, with
    what is credited."""
    give_up = time.monotonic() + 60
    async with house.reader("wallet") as wallet, Operator(house.gateway_url, house.operator_token) as operator:
        while True:
            balance = (await wallet.get("/v1/trial-balance")).json()
            accounts = {each["group"]: each["balance"] for each in balance["groups"]}
            left = {name: amount for name, amount in accounts.items() if name.startswith(("tournament-", "in-tra"))}
            told = await read_told(house.stack.admin, house.topic_prefix, night.tournament)
            due = told.funds(night.brought)
            have = {name: (await operator.account(name))[0]["available"] for name in due}
            if due == have and not any(left.values()):
                return []
            if time.monotonic() > give_up:
                wrong = {name: (due[name], have[name]) for name in due if due[name] != have[name]}
                return [f"left in the accounts {left}, players (due, have) {wrong}"]
            await asyncio.sleep(1)


async def cancel_at_ten_moments(stack: Stack, folder: Path, book: Book, tell: Tell) -> Gone:
    gone = Gone(folder.name, {NAME: 0})
    began = time.monotonic()
    try:
        async with scene(stack, folder, Plan(tables=1, bots=2), folder.name) as at:
            for number, moment in enumerate(MOMENTS, start=1):
                done = Round(NAME, gone.house, "the last cent", fired=True)
                since = at.fault_at = time.monotonic()
                done.problems = await cancelled(at.house, number, moment, paused=number % 2 == 0)
                done.ledger_sum, done.seconds = await at.ledger_sum(), round(time.monotonic() - since, 2)
                book.keep(done)
                gone.problems += done.problems
                gone.faults[NAME] += 1
                gone.notes[moment] = len(done.problems)
                tell(f"{NAME} {moment}: {done.problems or 'to the cent'}, {done.seconds:.0f} s")
            status, report = await croupier(at.house, "verify")
            gone.checks["verify"] = "ok" if status == 0 else "found something"
            if status:
                gone.problems.append(str(report)[-2_000:])
    except Exception as wrong:
        gone.problems.append(f"{type(wrong).__name__}: {wrong or traceback.format_exc(limit=-3)}")
        (folder / "failed.txt").write_text(traceback.format_exc())
    gone.seconds = round(time.monotonic() - began, 1)
    book.keep(gone)
    return gone
