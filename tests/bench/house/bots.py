"""Players of `make bench-house`, in a process of their own: every seat of so many tables, each over its own WebSocket.

A script of its own on purpose: it imports `libs.client` and a table of the demo from the checkout that is measured and
nothing of this one, so that any checkout is measured by the same players. Standard input gives one stage a line,
standard output says `playing` when the stage runs, and at the end of input every act with its times, on the clock that
all processes share.
"""

import asyncio
import gc
import json
import random
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import uvloop

from libs.client import Operator, Player, ProblemReply, Turn
from services.cli.demo.tables import SEATS, demo_tables

_TABLE = demo_tables()[0]
"""In the form that the checkout's door takes: pot-limit, six seats, nothing between two hands."""
_BUY_IN = _TABLE.buy_in
_GLANCE_S = 5.0
"""How often a bot without a turn looks whether it still has a seat and chips."""
_THINK_S = 2.5
_LONGEST_THINK_S = 12.0
_AT_ONCE = 16
"""Requests over HTTP under way at once while seats are taken."""


@dataclass(slots=True)
class Pace:
    """When a table's next act goes out: `human`, `none`, or so many acts a second over all tables."""

    pace: str
    tables: int
    next_at: float = 0.0

    async def think(self, dice: random.Random) -> None:
        if self.pace == "none":
            return
        if self.pace == "human":
            await asyncio.sleep(min(_LONGEST_THINK_S, dice.lognormvariate(0, 0.6) * _THINK_S))
            return
        # The slot is the table's own: a slow answer takes from the time to think, and the rate stays.
        gap, now = self.tables / float(self.pace), time.monotonic()
        await asyncio.sleep(self.next_at - now)
        self.next_at = max(self.next_at, now - gap) + gap * dice.uniform(0.5, 1.5)


@dataclass(slots=True)
class Felt:
    """One table with everybody at it, and what was seen there."""

    name: str
    bots: list[Player] = field(default_factory=list)
    pace: Pace = field(default_factory=lambda: Pace("human", 1))
    seen: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    """Version to the number of players who have seen it."""
    last_seen: dict[int, float] = field(default_factory=dict)
    acts: list[tuple[float, float, int]] = field(default_factory=list)
    """Sent, answered (seconds), version; of accepted acts."""
    refused: int = 0

    async def watch(self, player: Player) -> None:
        async for event in player.events():
            self.seen[event.version] += 1
            self.last_seen[event.version] = time.monotonic()

    def rows(self) -> list[tuple[float, float, float | None]]:
        """Each act: sent, answered, and when the last of the players had its events, None where one took a view."""
        return [
            (sent, answered, self.last_seen[version] if self.seen[version] == len(self.bots) else None)
            for sent, answered, version in self.acts
        ]


class Bot:
    """One player: plays loosely and cheaply, tops up before chips run out."""

    def __init__(self, name: str, felt: Felt, player: Player) -> None:
        self.name = name
        self.felt = felt
        self.player = player
        self.dice = random.Random(name)

    async def play(self) -> None:
        while True:
            try:
                await self._once()
            except ProblemReply as problem:
                print(f"{self.name}: {problem}", file=sys.stderr)
                await asyncio.sleep(1)

    async def _once(self) -> None:
        table = self.player.tables[self.felt.name]
        seat = table.seat_of(self.name)
        if seat is not None and seat.status == "sitting_out":
            await self.player.sit_in(self.felt.name, post_big_blind=True)
        elif seat is not None and table.hand_over and seat.stack < _BUY_IN // 4:
            await self.player.top_up(self.felt.name, _BUY_IN - seat.stack)
            await asyncio.sleep(0.2)
        try:
            turn = await self.player.next_turn(self.felt.name, timeout=_GLANCE_S)
        except TimeoutError:
            return
        await self.felt.pace.think(self.dice)
        await self._act(turn)

    async def _act(self, turn: Turn) -> None:
        act, to = self._choose(turn)
        sent = time.monotonic()
        answer = await self.player.act(turn, act, to)
        if answer.accepted:
            self.felt.acts.append((sent, time.monotonic(), answer.version))
        else:
            self.felt.refused += 1
            await asyncio.sleep(0.05)

    def _choose(self, turn: Turn) -> tuple[str, int | None]:
        legal = turn.legal
        if legal.min_to is not None and self.dice.random() < 0.12:
            opens = legal.check and turn.street != "preflop"  # before the flop the big blind is the bet
            return ("bet" if opens else "raise"), legal.min_to
        if legal.check:
            return "check", None
        return ("fold" if self.dice.random() < 0.3 else "call"), None


class Bots:
    """Seats more tables as a stage asks for them; those of the stages before play on at the new pace."""

    def __init__(self, url: str, operator: Operator, tables: str) -> None:
        self.url = url
        self.operator = operator
        self.prefix = tables
        self.felts: list[Felt] = []
        self.tasks: set[asyncio.Task[None]] = set()
        self._few = asyncio.Semaphore(_AT_ONCE)

    async def stage(self, tables: int, pace: str) -> None:
        """Returns when every seat of so many tables is taken and plays."""
        fresh = [Felt(f"{self.prefix}-{number}") for number in range(len(self.felts), tables)]
        self.felts += fresh
        for felt in self.felts:
            felt.pace = Pace(pace, tables, time.monotonic())
        await asyncio.gather(*map(self._open, fresh))
        gc.collect()
        gc.freeze()

    async def _open(self, felt: Felt) -> None:
        async with self._few:
            opened = await self.operator.open_table(felt.name, felt.name, _TABLE.rulebook, _TABLE.configuration)
        assert opened.accepted, opened
        bots = await asyncio.gather(*(self._sit(felt, f"{felt.name}-p{seat}") for seat in range(SEATS)))
        for bot in bots:
            await bot.player.until(lambda bot=bot: _plays(bot), 60)  # type: ignore[misc]

    async def _sit(self, felt: Felt, name: str) -> Bot:
        async with self._few:
            session = await self.operator.open_session(name)
            await self.operator.open_account(name, "EUR")
            await self.operator.deposit(name, f"{name}-1", 1_000 * _BUY_IN, "EUR")
            player = await Player(self.url, session.token).__aenter__()
            felt.bots.append(player)
            self._run(felt.watch(player))
            table = await player.subscribe(felt.name)
            answer = await player.take_seat(felt.name, _BUY_IN)
            assert answer.accepted, answer
            await player.until(lambda: (seat := table.seat_of(name)) is not None and seat.status != "reserved", 30)
            await player.sit_in(felt.name, post_big_blind=True)
        bot = Bot(name, felt, player)
        self._run(bot.play())
        return bot

    def _run(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(_loud)

    def report(self) -> dict[str, Any]:
        rows = [row for felt in self.felts for row in felt.rows()]
        resyncs = sum(player.resyncs for felt in self.felts for player in felt.bots)
        return {"acts": rows, "refused": sum(felt.refused for felt in self.felts), "resyncs": resyncs}


def _plays(bot: Bot) -> bool:
    seat = bot.player.tables[bot.felt.name].seat_of(bot.name)
    return seat is not None and seat.status == "playing"


def _loud(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (wrong := task.exception()) is not None:
        print(f"bots: {type(wrong).__name__}: {wrong}", file=sys.stderr)


async def _main() -> None:
    loop = asyncio.get_running_loop()
    job = json.loads(await loop.run_in_executor(None, sys.stdin.readline))
    async with Operator(job["url"], job["token"]) as operator:
        bots = Bots(job["url"], operator, job["tables"])
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            stage = json.loads(line)
            await bots.stage(stage["tables"], stage["pace"])
            print("playing", flush=True)
        await asyncio.sleep(0.5)  # what the last acts caused is still on its way
        print(json.dumps(bots.report()), flush=True)
        for task in bots.tasks:
            task.cancel()


if __name__ == "__main__":
    uvloop.run(_main())
