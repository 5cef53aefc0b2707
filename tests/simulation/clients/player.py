"""One person at one table, with a glance at it now and then and an ear for their turn."""

import asyncio
from random import Random
from typing import TYPE_CHECKING, Any

from libs.contracts import table_commands as t
from libs.contracts.messages import Principal, PublicEvent, Reply
from libs.contracts.registry import parse_event, wire_name
from libs.contracts.table_events import PlayerLeft
from libs.views.table import Seat, TableView
from tests.simulation.games.registry import GAMES

if TYPE_CHECKING:
    from tests.simulation.world import World

_GLANCE_S = 1.2
_LEFT = wire_name(PlayerLeft)


class Player:
    """Asks through whatever gateway lives. What a game needs of its players is in `games/`."""

    def __init__(self, world: "World", name: str, table: str, dice: Random) -> None:
        self.world = world
        self.name = name
        self.table = table
        self.dice = dice
        self.game = GAMES[world.plan.tables[table].game]
        self._unit = world.plan.tables[table].unit
        self.leaving = False
        self.eager = False
        """After healing: sits, plays and answers at once."""
        self.carried = 0
        """What was taken away when leaving: who comes back soon must bring it (pt-811-2015 10)."""
        self._left_at = 0
        self.news = asyncio.Event()
        self.answered: object = None
        """The last thing that the game asked and this player answered, as the game counts such things."""

    def hear(self, event: PublicEvent) -> None:
        if event.type == _LEFT and (left := parse_event(event)).player == self.name:
            self.carried, self._left_at = left.stack, event.time
        if self.game.calls(event, self.name):
            self.news.set()

    async def play(self) -> None:
        while True:
            await self._glance()
            gateway = self.world.gateway(self.dice)
            view = gateway.floor.tables.view(self.table) if gateway else None
            if gateway is None or view is None or view.status == "closed":
                continue
            if self.dice.random() < 0.05:
                self.world.look(gateway, self.table, self.name)
            await self._once(view)

    async def ask(self, command: Any, wish: dict[str, Any], minted: str | None = None) -> Reply | None:
        """None when the outcome is unknown."""
        principal = Principal(kind="player", id=self.name)
        return await self.world.ask(principal, self.table, command, wish, minted, patient=self.eager)

    async def top_up(self, amount: int) -> None:
        await self.ask(t.RequestTopUp, {"amount": amount}, "top_up")

    async def until_deadline(self, deadline: int) -> None:
        """Waits for a moment around it, milliseconds, to come too late or just in time; the house's timer is quick."""
        self.fired("act at the deadline")
        around = self.dice.choice([0.1, 0.01])
        await asyncio.sleep(max(0.0, (deadline - self.world.now()) / 1000 + self.dice.uniform(-around, around)))

    def fired(self, kind: str) -> None:
        self.world.sky.fired[kind] += 1

    async def _glance(self) -> None:
        self.news.clear()
        try:
            async with asyncio.timeout(0.3 if self.leaving else self.dice.uniform(0.5, 1.5) * _GLANCE_S):
                await self.news.wait()
        except TimeoutError:
            return
        await asyncio.sleep(self.dice.uniform(0.02, 0.1 if self.eager or self.leaving else 0.4))

    async def _once(self, view: TableView) -> None:
        seat = next((seat for seat in view.seats.values() if seat.player == self.name), None)
        if seat is None:
            if not self.leaving and (self.eager or self.dice.random() < 0.7):
                await self._sit(view)
        elif await self.game.turn(self, view, seat):
            return
        elif self.leaving:
            if seat.status == "reserved":
                await self.ask(t.ReleaseSeat, {"reservation": seat.reservation, "reason": "cancelled"})
            elif not seat.leaving:
                await self.ask(t.LeaveTable, {})
        elif seat.status == "sitting_out":
            await self.ask(t.SitIn, {"post_big_blind": True})
        elif self.eager and seat.stack < 3 * self._unit and not seat.topping_up:
            await self.top_up(30 * self._unit)
        elif not self.eager:
            await self._whim(view, seat)

    async def _sit(self, view: TableView) -> None:
        assert view.configuration is not None
        rules = view.configuration.entry
        amount = self.dice.randint(rules.buy_in_min, rules.buy_in_max)
        if self.world.now() - self._left_at <= view.configuration.timing.reentry_ms:
            amount = max(amount, self.carried)
        reply = await self.ask(t.TakeSeat, {"seat": None, "amount": amount}, "reservation")
        if reply is not None and reply.verdict == "accepted":
            self.answered = None
            await self.game.sat_down(self)

    async def _whim(self, view: TableView, seat: Seat) -> None:
        chance = self.dice.random()
        assert view.configuration is not None
        rules = view.configuration.entry
        if chance < 0.10 and seat.stack < rules.top_up_to:
            await self.top_up(self.dice.randint(1, max(1, rules.top_up_to - seat.stack)))
        elif chance < 0.13:
            await self.ask(t.SitOut, {"on_break": self.dice.random() < 0.5})
        elif chance < 0.18:
            await self.ask(t.LeaveTable, {})
