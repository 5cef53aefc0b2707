"""Opens the tables; then pauses, resumes, removes, voids, changes the rules, moves money of banks, now and then."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

from libs.contracts import bank_commands as h
from libs.contracts import table_commands as t
from libs.contracts.bank_events import OPENING
from libs.contracts.banked_rounds import BankedStakeMoved
from libs.contracts.facts import Fact
from libs.contracts.messages import Principal, PublicEvent, Reply
from libs.contracts.no_draw_poker_events import SecondBetPlaced
from libs.contracts.poker_events import BetPlaced
from libs.contracts.registry import EVENT_TYPES
from tests.simulation.checks.banks import worst_case
from tests.simulation.games.registry import GAMES
from tests.simulation.violations import ensure

if TYPE_CHECKING:
    from tests.simulation.world import World

ANA = Principal(kind="staff", id="ana")
RUI = Principal(kind="staff", id="rui")
"""Money of a bank moves, what it is played with changes and a round in which cards are out is void when two say so."""
_SPARE = 30
"""A bank is topped up to so many least bets above its worst case."""
_ALARM = "croupier.table.bank_alarm_raised.v1"
_AT_A_BET: dict[type[Fact], float] = {SecondBetPlaced: 0.25, BankedStakeMoved: 0.02, BetPlaced: 0.01}
"""Chance that just then water is spilt: the round is void with money in it."""


class Staff:
    def __init__(self, world: "World", dice: Random) -> None:
        self.world = world
        self.dice = dice
        self._version = 1
        self._changes = 0
        self._heard: set[str] = set()

    async def open(self, table: str) -> None:
        setup = self.world.plan.tables[table]
        body = {"name": "One", "rulebook": setup.rulebook, "configuration": setup.configuration, "bank": setup.bank}
        while True:
            reply = await self._ask(table, t.OpenTable, body, patient=True)
            if reply is not None and reply.verdict in ("accepted", "rejected"):
                # A seed whose table can't be opened would be green for nothing.
                opened = reply.verdict == "accepted" or reply.reason == "already_open"
                ensure(opened, "tables_open", f"{table}: {reply.reason}: {reply.detail}")
                break
            await asyncio.sleep(0.2)
        if setup.bank:
            await self._ask(table, h.ApproveBankChange, self._opening(table), patient=True, by=RUI)

    async def run(self) -> None:
        """On the floor."""
        while True:
            await asyncio.sleep(self.dice.expovariate(0.4))
            await self._meddle(self.dice.choice(list(self.world.plan.tables)))

    async def run_banks(self) -> None:
        banks = [table for table, setup in self.world.plan.tables.items() if setup.bank]
        while banks:
            await asyncio.sleep(self.dice.expovariate(0.5))
            await self._at_the_bank(self.dice.choice(banks))

    def hear(self, event: PublicEvent) -> None:
        """Of a bank that can't pay the worst case; in a storm not every alarm is heard. Of bets: see `_AT_A_BET`."""
        if event.id in self._heard:
            return  # from another gateway
        self._heard.add(event.id)
        healed = self.world.sky.healed
        if event.type == _ALARM and (healed or self.dice.random() < 0.7):
            self.world.errand(self.refill(event.stream))
        elif not healed and self.dice.random() < _spilt_at(event.type):
            self.world.errand(self._void(event.stream))

    async def resume(self, table: str) -> None:
        await self._ask(table, t.ResumeTable, {}, patient=True)

    async def keep_open(self, table: str) -> None:
        """For good: a pause that was asked for in the storm may come into force now."""
        while True:
            await asyncio.sleep(1.0)
            if self.world.witness.truth.states[table].paused:
                await self.resume(table)

    async def refill(self, table: str) -> None:
        """Until the bank can pay the worst case, with something to spare."""
        state = self.world.witness.truth.states[table]
        if OPENING in state.office.pending:  # the first approval may have expired in a flood
            await self._ask(table, h.ApproveBankChange, self._opening(table), patient=True, by=RUI)
            return
        needed = worst_case(self.world.plan.tables[table].configuration) or 1
        if state.status == "open" and state.bank < needed:
            amount = needed + _SPARE * self.world.plan.tables[table].unit - state.bank
            await self._move(table, "top_up", amount, patient=True)

    async def _meddle(self, table: str) -> None:
        doings: dict[Callable[[str], Awaitable[None]], float] = {
            self._pause: 3, self._void: 4, self._remove: 2, self._change: 2, self._close: 0.4,
        }  # fmt: skip
        await self.dice.choices(list(doings), list(doings.values()))[0](table)

    async def _pause(self, table: str) -> None:
        await self._ask(table, t.PauseTable, {"reason": "a look at it"})
        await asyncio.sleep(self.dice.uniform(0.1, 1.0))
        await self.resume(table)

    async def _void(self, table: str) -> None:
        game = GAMES[self.world.plan.tables[table].game]
        order = game.void(max(1, self.world.rounds_started(table)))
        await self._ask(table, *order)
        if self.dice.random() < 0.9:
            await self._ask(table, *order, by=RUI)  # once cards are out one alone voids nothing

    async def _remove(self, table: str) -> None:
        player = self.dice.choice(list(self.world.plan.players))
        await self._ask(table, t.RemovePlayer, {"player": player, "reason": "house rules"})

    async def _change(self, table: str) -> None:
        self._version += 1
        setup = self.world.plan.tables[table]
        changed = {**setup.configuration, **setup.change, "version": self._version}
        await self._ask(table, t.ChangeConfiguration, {"configuration": changed})
        answer, version = self.dice.random(), {"version": self._version}
        if not setup.bank or answer < 0.1:
            return
        if answer < 0.3:
            await self._ask(table, t.ApproveConfiguration, version)
        if answer < 0.2:
            await self._ask(table, t.DeclineConfiguration, {**version, "reason": "not today"}, by=RUI)
        await self._ask(table, t.ApproveConfiguration, version, by=RUI)

    async def _close(self, table: str) -> None:
        await self._ask(table, t.CloseTable, {"reason": "end of the day"})

    async def _at_the_bank(self, table: str) -> None:
        """A little or a lot, one way or the other; or all above the limit, and a cent more, which is refused."""
        setup, state = self.world.plan.tables[table], self.world.witness.truth.states.get(table)
        needed = worst_case(setup.configuration)
        if needed is not None and state is not None and state.bank > needed and self.dice.random() < 0.7:
            await self._move(table, "drop", state.bank - needed + self.dice.choice([0, 0, 1]))
            return
        amount = self.dice.choice([self.dice.randint(1, 50 * setup.unit), self.dice.randint(1, setup.bank)])
        await self._move(table, self.dice.choice(["top_up", "drop"]), amount)

    def _opening(self, table: str) -> dict[str, Any]:
        return {"change": OPENING, "direction": "top_up", "amount": self.world.plan.tables[table].bank}

    async def _move(self, table: str, direction: str, amount: int, patient: bool = False) -> None:
        """Asked for by one and approved by the other; now and then declined, or approved by the wrong one."""
        self._changes += 1
        change = f"change-{self._changes}"
        body = {"change": change, "direction": direction, "amount": amount, "reason": "shift"}
        await self._ask(table, h.RequestBankChange, body, patient=patient)
        approved = {name: body[name] for name in ("change", "direction", "amount")}
        answer = self.dice.random() if not patient else 1.0
        if answer < 0.15:
            await self._ask(table, h.DeclineBankChange, {"change": change, "reason": "not today"}, by=RUI)
            return
        if answer < 0.45:
            await self._ask(table, h.ApproveBankChange, approved)
        await self._ask(table, h.ApproveBankChange, approved, patient=patient, by=RUI)

    async def _ask(
        self, table: str, command: Any, body: dict[str, Any], patient: bool = False, by: Principal = ANA
    ) -> Reply | None:
        return await self.world.ask(by, table, command, body, patient=patient)


@cache
def _spilt_at(kind: str) -> float:
    event = EVENT_TYPES.get(kind, Fact)
    return next((chance for each, chance in _AT_A_BET.items() if issubclass(event, each)), 0.0)
