"""Players, a platform and staff: they ask through whatever gateway lives, and ask again when nothing is heard."""

import asyncio
from random import Random
from typing import TYPE_CHECKING, Any

from libs.contracts import table_commands as t
from libs.contracts import wallet_commands as w
from libs.contracts.messages import Principal, PublicEvent, Reply
from libs.contracts.wallet_commands import account_id
from services.cli.demo.strategy import Offer, choose
from services.gateway.views.table_view import Decision, Seat, TableView

if TYPE_CHECKING:
    from tests.simulation.world import World

OPERATOR = Principal(kind="operator", id="platform")
STAFF = Principal(kind="staff", id="staff")
_GLANCE_S = 1.2


class Player:
    """One person at one table, with a glance at it now and then and an ear for their turn."""

    def __init__(self, world: "World", name: str, table: str, dice: Random) -> None:
        self.world = world
        self.name = name
        self.table = table
        self.dice = dice
        self.leaving = False
        self.eager = False
        """After healing: sits, plays and answers at once."""
        self.carried = 0
        """What was taken away when leaving: who comes back must bring it (pt-811-2015 10)."""
        self.news = asyncio.Event()
        self.answered = 0
        """The last turn answered."""

    def hear(self, event: PublicEvent) -> None:
        data = event.data
        if data.get("player") != self.name:
            return
        if event.type == "croupier.table.player_left.v1":
            self.carried = data["stack"]
        if event.type == "croupier.table.decision_awaited.v1":
            self.news.set()

    async def play(self) -> None:
        while True:
            await self._glance()
            gateway = self.world.gateway(self.dice)
            view = gateway.floor.tables.view(self.table) if gateway else None
            if view is None or view.status == "closed":
                continue
            if self.dice.random() < 0.05:
                self.world.look(gateway, self.table, self.name)
            await self._once(view)

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
        decision = view.hand.decision if view.hand and not view.hand.over else None
        if seat is None:
            if not self.leaving and (self.eager or self.dice.random() < 0.7):
                await self._sit(view)
        elif decision is not None and decision.player == self.name and decision.turn != self.answered:
            await self._act(view, decision)
        elif self.leaving:
            if seat.status == "reserved":
                await self._ask(t.ReleaseSeat, {"reservation": seat.reservation, "reason": "cancelled"})
            elif not seat.leaving:
                await self._ask(t.LeaveTable, {})
        elif seat.status == "sitting_out":
            await self._ask(t.SitIn, {"post_big_blind": True})
        elif not self.eager:
            await self._whim(view, seat)

    async def _sit(self, view: TableView) -> None:
        rules = view.configuration
        amount = self.dice.randint(rules["buy_in_min"], rules["buy_in_max"])
        if rules["reentry_ms"]:
            amount = max(amount, self.carried)
        reply = await self._ask(t.TakeSeat, {"seat": None, "amount": amount}, "reservation")
        if reply is not None and reply.verdict == "accepted":
            await asyncio.sleep(0.3)
            await self._ask(t.SitIn, {"post_big_blind": True})

    async def _act(self, view: TableView, decision: Decision) -> None:
        assert view.hand is not None
        dice, turn = self.dice, decision.turn
        wish: dict[str, Any] = {"hand": view.hand.hand, "seat": decision.seat, "turn": turn, **self._choice(decision)}
        if not self.eager and dice.random() < 0.06:
            self.world.sky.fired["stale act"] += 1
            wish["turn"] = turn - dice.randint(1, 3) or 1
        elif not self.eager and dice.random() < 0.05:
            self.world.sky.fired["act at the deadline"] += 1
            await asyncio.sleep(max(0.0, (decision.bank_until - self.world.now()) / 1000 + dice.uniform(-0.1, 0.1)))
        else:
            self.answered = turn
        reply = await self._ask(t.Act, wish)
        if reply is None or reply.verdict not in ("accepted", "rejected"):
            self.answered = 0

    def _choice(self, decision: Decision) -> dict[str, Any]:
        legal = decision.legal
        if self.leaving:
            return {"act": "check" if legal["check"] else "fold"}
        if self.dice.random() < 0.15 and legal["max_to"] is not None:
            opens = legal["check"] and decision.street != "preflop"
            return {"act": "bet" if opens else "raise", "to": legal["max_to"]}
        offer = Offer(decision.street, legal["check"], legal["call"], legal["min_to"], legal["max_to"])
        choice = choose(offer, self.dice)
        return {"act": choice.act, **({"to": choice.to} if choice.to else {})}

    async def _whim(self, view: TableView, seat: Seat) -> None:
        chance = self.dice.random()
        rules = view.configuration
        if chance < 0.10 and seat.stack < rules["top_up_to"]:
            amount = self.dice.randint(1, max(1, rules["top_up_to"] - seat.stack))
            await self._ask(t.RequestTopUp, {"amount": amount}, "top_up")
        elif chance < 0.13:
            await self._ask(t.SitOut, {"on_break": self.dice.random() < 0.5})
        elif chance < 0.18:
            await self._ask(t.LeaveTable, {})

    async def _ask(self, command: Any, wish: dict[str, Any], minted: str | None = None) -> Reply | None:
        principal = Principal(kind="player", id=self.name)
        return await self.world.ask(principal, "table", self.table, command, wish, minted, patient=self.eager)


class Platform:
    """The operator's own system: accounts, deposits, withdrawals; a reference is repeated until its fate is known."""

    def __init__(self, world: "World", dice: Random) -> None:
        self.world = world
        self.dice = dice
        self._count = 0

    async def fund(self, player: str, amount: int) -> None:
        """Until the account is open and the money there."""
        body = {"player": player, "currency": "EUR", "kind": "real"}
        while not await self._accepted(w.OpenAccount, player, body):
            await asyncio.sleep(0.2)
        await self.move(player, amount, patient=True)

    async def run(self) -> None:
        """Alone or in a burst on one account, so that commits stand in flight behind each other."""
        while True:
            await asyncio.sleep(self.dice.expovariate(0.4))
            player = self.dice.choice(self.world.plan.players)
            amounts = [self.dice.randint(1, 500) for _ in range(self.dice.choice([1, 1, 2, 5]))]
            moves = [self.move(player, n if self.dice.random() < 0.5 else -n, patient=False) for n in amounts]
            await asyncio.gather(*moves)

    async def move(self, player: str, amount: int, patient: bool) -> bool:
        """A deposit, or a withdrawal of a negative amount. The reference counts once, whatever key it comes under."""
        self._count += 1
        reference = f"ref-{self._count}"
        kind, body = w.DepositFunds if amount > 0 else w.WithdrawFunds, {"reference": reference, "amount": abs(amount)}
        while True:
            reply = await self.world.ask(
                OPERATOR, "wallet", account_id(player, "EUR"), kind, body, what=f"move {reference} {amount}",
                patient=patient,
            )  # fmt: skip
            if reply is not None and reply.verdict in ("accepted", "rejected"):
                return reply.verdict == "accepted"
            if not patient and self.dice.random() < 0.5:
                return False
            await asyncio.sleep(0.3)

    async def _accepted(self, kind: Any, player: str, body: dict[str, Any]) -> bool:
        reply = await self.world.ask(OPERATOR, "wallet", account_id(player, "EUR"), kind, body, patient=True)
        return reply is not None and reply.verdict in ("accepted", "rejected")


class Staff:
    """Opens the tables; then pauses, resumes, removes, voids, changes the rules, now and then."""

    def __init__(self, world: "World", dice: Random) -> None:
        self.world = world
        self.dice = dice
        self._version = 1

    async def open(self, table: str) -> None:
        body = {"name": "One", "rulebook": "pt-811-2015-omaha", "configuration": self.world.plan.configuration}
        while True:
            reply = await self._ask(table, t.OpenTable, body, patient=True)
            if reply is not None and reply.verdict in ("accepted", "rejected"):
                return
            await asyncio.sleep(0.2)

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self.dice.expovariate(0.3))
            await self._meddle(self.dice.choice(self.world.plan.tables))

    async def resume(self, table: str) -> None:
        await self._ask(table, t.ResumeTable, {}, patient=True)

    async def _meddle(self, table: str) -> None:
        what = self.dice.choices(["pause", "void", "remove", "change", "close"], [3, 3, 2, 2, 0.4])[0]
        if what == "pause":
            await self._ask(table, t.PauseTable, {"reason": "a look at it"})
            await asyncio.sleep(self.dice.uniform(0.1, 1.0))
            await self.resume(table)
        elif what == "void":
            await self._ask(
                table, t.VoidHand, {"hand": max(1, self.world.hands_started(table)), "cause": "spilt water"}
            )
        elif what == "remove":
            player = self.dice.choice(self.world.plan.players)
            await self._ask(table, t.RemovePlayer, {"player": player, "reason": "house rules"})
        elif what == "change":
            self._version += 1
            changed = {**self.world.plan.configuration, "version": self._version, "decision_ms": 900}
            await self._ask(table, t.ChangeConfiguration, {"configuration": changed})
        else:
            await self._ask(table, t.CloseTable, {"reason": "end of the day"})

    async def _ask(self, table: str, command: Any, body: dict[str, Any], patient: bool = False) -> Reply | None:
        return await self.world.ask(STAFF, "table", table, command, body, patient=patient)
