"""A tournament of the demo: announced by two, played to its last prize by bots, killed in hand-for-hand."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx

from libs.client import ConnectionLost, Operator, Player, ProblemReply, Staff, Turn
from services.cli.house import House

_GLANCE_S = 1.0
_MINUTE = 60_000
NOT_NOW = (ProblemReply, ConnectionLost, httpx.HTTPError)
"""A service is being killed: asked again in a moment."""
BUY_IN = {"amount": 2_200, "prize": 2_000, "fee": 200}


@dataclass(frozen=True, slots=True)
class Pace:
    """So short levels and clocks are nobody's idea of a good evening. Milliseconds, chips."""

    level_ms: int = _MINUTE // 3
    stack: int = 5_000
    rebuys_ms: int = 0
    """So long after the start who is out may buy in again, once; 0: never."""
    hand_for_hand_at: int = 3
    """So many players before the paid places."""


def rules(players: int, seats: int, paid: int, pace: Pace) -> dict[str, Any]:
    """A sit-and-go: it begins when everybody has registered, however long that takes."""
    blinds = [(50, 100), (100, 200), (200, 400), (500, 1_000), (1_000, 2_000), (3_000, 6_000)]
    rebuy = {"price": BUY_IN, "chips": pace.stack, "until": {"ms": pace.rebuys_ms}, "most": 1, "time_ms": 5_000}
    return {
        "rulebook": "common-holdem",
        "table": {"structure": "no_limit", "decision_ms": 10_000, "between_hands_ms": 0},
        "currency": "EUR",
        "approval": "DEMO-2026-T1",
        "seats": seats,
        "starts_at": None,
        "min_players": players,
        "max_players": players,
        "buy_in": BUY_IN,
        "starting_stack": pace.stack,
        "levels": [{"small_blind": small, "big_blind": big, "lasts_ms": pace.level_ms} for small, big in blinds],
        "rebuy": rebuy if pace.rebuys_ms else None,
        "payouts": [{"entries": 2, "shares": ladder(paid)}],
        "hand_for_hand_at": pace.hand_for_hand_at,
        "rules": {"pt": "Torneio de demonstração."},
    }


def ladder(paid: int) -> list[int]:
    """Shares of the pool in basis points, the first place's first; it weighs about twice the last."""
    weights = range(2 * paid, paid, -1)
    lower = [10_000 * weight // sum(weights) for weight in weights[1:]]
    return [10_000 - sum(lower), *lower]


@dataclass(slots=True)
class Entrant:
    """Finds the own table on the tournament's page, wherever it is moved to, and plays there until it is over."""

    name: str
    url: str
    token: str
    tournament: str
    dice: Random
    moves: set[str] = field(default_factory=set)
    """Tables at which it has sat."""

    async def play(self) -> None:
        async with Player(self.url, self.token) as player:
            while True:
                try:
                    if await self._once(player):
                        return
                except NOT_NOW:
                    await asyncio.sleep(_GLANCE_S)

    async def _once(self, player: Player) -> bool:
        """True: out, or it is over."""
        own = await player.http.get(f"/tournaments/{self.tournament}/entry")
        if own["status"] == "eliminated":
            return True
        if own["decide_until"] is not None:
            await player.http.command(f"/tournaments/{self.tournament}/{self.dice.choice(['rebuy', 'decline-rebuy'])}")
        page = await player.http.get(f"/tournaments/{self.tournament}")
        if own["seat"] is None or page["status"] != "running":
            await asyncio.sleep(_GLANCE_S)
            return page["status"] in ("completed", "cancelled")
        table = own["seat"]["table"]
        if table not in player.tables:
            await player.subscribe(table)
            self.moves.add(table)
        until = time.monotonic() + 2 * _GLANCE_S
        while time.monotonic() < until:
            with suppress(TimeoutError):
                await self._answer(player, await player.next_turn(table, timeout=_GLANCE_S))
        return False

    async def _answer(self, player: Player, turn: Turn) -> None:
        legal, luck = turn.legal, self.dice.random()
        act, to = ("check", None) if legal.check else ("call", None) if luck < 0.35 else ("fold", None)
        if luck > 0.94 and legal.max_to is not None:
            act, to = "bet" if legal.check and turn.street != "preflop" else "raise", legal.max_to
        if not (await player.act(turn, act, to)).accepted:
            await asyncio.sleep(0.05)
            return
        table = player.tables[turn.table]
        with suppress(TimeoutError):  # the reply may come before the event: the same turn is not answered twice
            await player.until(lambda: table.turn is None or table.turn.turn != turn.turn, 10)


@dataclass(slots=True)
class TournamentNight:
    """`play` ends with the last prize; `page` is what everybody sees then."""

    house: House
    tournament: str = "domingo-1"
    players: int = 45
    seats: int = 9
    paid: int = 12
    pace: Pace = Pace()
    kills: tuple[str, ...] = ("table", "tournament")
    """Services that die in hand-for-hand, one after the other."""
    killed: list[str] = field(default_factory=list)
    entrants: list[Entrant] = field(default_factory=list)
    page: dict[str, Any] = field(default_factory=dict)

    @property
    def brought(self) -> int:
        """By each player, cents: an entry, and what a rebuy would cost."""
        return BUY_IN["amount"] * (2 if self.pace.rebuys_ms else 1)

    @property
    def problems(self) -> list[str]:
        """What did not go as it should have; a sentence each."""
        page, results = self.page, self.page.get("results") or []
        found = []
        if page.get("status") != "completed" or len(results) != self.players:
            found.append("the tournament was not played to its end")
        elif sum(result["prize"] for result in results) != page["pool"]:
            found.append("the prizes of the tournament are not its pool")
        if self.killed != list(self.kills):
            found.append(f"killed in hand-for-hand: {', '.join(self.killed) or 'nothing'}, of {', '.join(self.kills)}")
        return found

    async def play(self, longest_s: float) -> None:
        async with Operator(self.house.gateway_url, self.house.operator_token) as operator:
            await self._announce()
            await asyncio.gather(*(self._enter(operator, number) for number in range(1, self.players + 1)))
            playing = [asyncio.create_task(entrant.play()) for entrant in self.entrants]
            try:
                async with asyncio.timeout(longest_s):
                    await self._watch(operator)
                    await asyncio.gather(*playing)
            finally:
                for task in playing:
                    task.cancel()
                await asyncio.gather(*playing, return_exceptions=True)

    async def _announce(self) -> None:
        """One of the staff proposes it, another approves."""
        definition = rules(self.players, self.seats, self.paid, self.pace)
        body = {"tournament": self.tournament, "name": "Domingo", "definition": definition}
        for who, path, asked in (
            ("floor", "/tournaments", body),
            ("supervisor", f"/tournaments/{self.tournament}/approve", None),
        ):
            async with Staff(self.house.gateway_url, await self.house.log_in(who)) as staff:
                answer = await staff.command(path, asked)
                assert answer.accepted, (answer.reason, answer.detail)

    async def _enter(self, operator: Operator, number: int) -> None:
        name = f"{self.tournament}-p{number}"
        session = await operator.open_session(name)
        await operator.open_account(name, "EUR")
        await operator.deposit(name, f"{name}-1", self.brought, "EUR")
        entrant = Entrant(name, self.house.gateway_url, session.token, self.tournament, Random(number))
        self.entrants.append(entrant)
        async with Player(self.house.gateway_url, session.token) as player:
            answer = await player.http.command(f"/tournaments/{self.tournament}/register")
            assert answer.accepted, (answer.reason, answer.detail)

    async def _watch(self, operator: Operator) -> None:
        kills, dice = list(self.kills), Random()
        while self.page.get("status") not in ("completed", "cancelled"):
            await asyncio.sleep(0.1 + 0.5 * dice.random())  # whatever is under way: a hand, a decision, a move
            with suppress(*NOT_NOW):
                self.page = await operator.get(f"/tournaments/{self.tournament}")
            running = self.page.get("running")
            if kills and running is not None and running["hand_for_hand"]:
                service = kills.pop(0)
                self.killed.append(service)
                await self.house.processes[service].kill()
                await self.house.processes[service].start()
                await self.house.processes[service].ready()
