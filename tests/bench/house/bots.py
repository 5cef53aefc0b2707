"""Players of `make bench-house`, in a process of their own: every seat of so many tables, each over its own WebSocket.

A script of its own on purpose: it imports `libs.client` and a table of the demo from the checkout that is measured and
nothing of this one, so that any checkout is measured by the same players. Standard input gives one stage a line, and
standard output says `playing` when it runs. For a line that asks for it, and at the end of input, it says every act
since it was asked last, with its times on the clock that all processes share.

Each player has a connection of its own and is sent everything. But what the six of a table are sent is the same bytes:
it is decoded once and folded into one picture, so that thousands of players fit beside the house that they measure.
"""

import asyncio
import gc
import json
import random
import sys
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, cast

import uvloop

from libs.client import ConnectionLost, Operator, Player, ProblemReply, TableState, Turn
from libs.client.line import Line
from libs.contracts import frames
from services.cli.demo.tables import SEATS, demo_tables

_TABLE = demo_tables()[0]
"""In the form that the checkout's door takes: pot-limit, six seats, nothing between two hands."""
_BUY_IN = _TABLE.buy_in
_GLANCE_S = 5.0
"""How often a bot without a turn looks whether it still has a seat and chips."""
_THINK_S = 2.5
_LONGEST_THINK_S = 12.0
_AT_ONCE = 16
"""Players who come in at once: of more than so many handshakes on a busy machine some are not answered in time."""
_ENTRY_S = 300.0
"""Until who has a seat is dealt in: at human pace a hand takes most of a minute."""
_TRIES = 5
_PAUSE_S = 2.0
"""Between two tries to come in, times the number of the try."""
_UNDER_WAY = 100
"""Versions of a table that may still be on their way to somebody."""


@dataclass(slots=True)
class Pace:
    """When a table's next act goes out: `human`, `none`, or so many acts a second over all tables."""

    pace: str
    tables: int
    next_at: float = 0.0

    async def think(self, dice: random.Random) -> float:
        """When (s) it was to be over."""
        now = time.monotonic()
        if self.pace == "none":
            return now
        if self.pace == "human":
            due = now + min(_LONGEST_THINK_S, dice.lognormvariate(0, 0.6) * _THINK_S)
        else:
            # The slot is the table's own: a slow answer takes from the time to think, and the rate stays.
            gap = self.tables / float(self.pace)
            due = max(now, self.next_at)
            self.next_at = max(self.next_at, now - gap) + gap * dice.uniform(0.5, 1.5)
        await asyncio.sleep(due - now)
        return due


class Picture(TableState):
    """What all players of a table see, whoever is told first."""

    def show(self, frame: frames.View) -> None:
        """A view may be older than what others were sent since."""
        before = self.view
        super().show(frame)
        if before.version > self.version:
            self.view = before


@dataclass(slots=True)
class Felt:
    """One table with everybody at it, and what was seen there."""

    name: str
    bots: list["Seated"] = field(default_factory=list)
    pace: Pace = field(default_factory=lambda: Pace("human", 1))
    picture: Picture = field(init=False)
    seen: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    """Version to the number of players who have seen it."""
    last_seen: dict[int, float] = field(default_factory=dict)
    acts: list[tuple[float, float, int, float]] = field(default_factory=list)
    """Sent, answered (seconds), version; of accepted acts. And how late (s) the bot was with it."""
    refused: list[tuple[float, str]] = field(default_factory=list)
    """When, and why; also what was turned away at the door, and connections that were lost."""

    def __post_init__(self) -> None:
        self.picture = Picture(self.name)

    def saw(self, frame: frames.Events) -> None:
        now = time.monotonic()
        for event in frame.events:
            self.seen[event.version] += 1
            self.last_seen[event.version] = now
        if self.seen[frame.events[-1].version] == 1 and (turn := self.picture.turn) is not None:
            for player in self.bots:
                if player.name == turn.player:
                    player.called.set()

    def rows(self) -> list[tuple[float, float, float | None, float]]:
        """Each act since it was asked last: sent, answered, when the last of the players had its events (None where
        one took a view), late."""
        told = [
            (sent, answered, self.last_seen[version] if self.seen[version] == len(self.bots) else None, late)
            for sent, answered, version, late in self.acts
        ]
        self.acts.clear()
        for version in [each for each in self.seen if each < self.picture.version - _UNDER_WAY]:
            del self.seen[version], self.last_seen[version]
        return told


class Seated(Player):
    """Says what it is sent to its table."""

    def __init__(self, base_url: str, session_token: str, felt: Felt) -> None:
        super().__init__(base_url, session_token)
        self.felt = felt
        self.called = asyncio.Event()
        """It may be this player's turn: the one alone is woken, not all who see that."""
        self.views = 0
        """More than one: it was shown the table anew after a gap or a lost connection."""

    def take(self, frame: frames.Frame, line: Line) -> None:
        super().take(frame, line)
        if isinstance(frame, frames.Events):
            self.felt.saw(frame)
        elif isinstance(frame, frames.View):
            self.views += 1


class Bot:
    """One player: plays loosely and cheaply, tops up before chips run out."""

    def __init__(self, name: str, felt: Felt, player: Seated) -> None:
        self.name = name
        self.felt = felt
        self.player = player
        self.dice = random.Random(name)

    async def play(self) -> None:
        while True:
            try:
                await self._once()
            except ProblemReply as problem:
                self.felt.refused.append((time.monotonic(), problem.slug))
                await asyncio.sleep(1)
            except ConnectionLost:
                self.felt.refused.append((time.monotonic(), "connection lost"))
                raise

    async def _once(self) -> None:
        table = self.player.tables[self.felt.name]
        seat = table.seat_of(self.name)
        if seat is not None and seat.status == "sitting_out":
            await self.player.sit_in(self.felt.name, post_big_blind=True)
        elif seat is not None and table.hand_over and seat.stack < _BUY_IN // 4:
            await self.player.top_up(self.felt.name, _BUY_IN - seat.stack)
            await asyncio.sleep(0.2)
        self.player.called.clear()
        turn = self.player.turn(self.felt.name)
        if turn is None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.player.called.wait(), _GLANCE_S)
            return
        due = await self.felt.pace.think(self.dice)
        await self._act(turn, due)

    async def _act(self, turn: Turn, due: float) -> None:
        act, to = self._choose(turn)
        sent = time.monotonic()
        answer = await self.player.act(turn, act, to)
        if answer.accepted:
            self.felt.acts.append((sent, time.monotonic(), answer.version, sent - due))
        else:
            self.felt.refused.append((sent, answer.reason or answer.verdict))
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
            await bot.player.until(lambda bot=bot: _plays(bot), _ENTRY_S)  # type: ignore[misc]

    async def _sit(self, felt: Felt, name: str) -> Bot:
        async with self._few:
            session = await self.operator.open_session(name)
            await self.operator.open_account(name, "EUR")
            paid = await self.operator.deposit(name, f"{name}-1", 1_000 * _BUY_IN, "EUR")
            assert paid.accepted, paid
            player = await self._come(felt, session.token)
            felt.bots.append(player)
            player.tables[felt.name] = felt.picture
            await player.subscribe(felt.name)
            await player.until(lambda: player.views > 0, 30)  # its own: the picture may be there already
            answer = await player.take_seat(felt.name, _BUY_IN)
            for number in range(1, _TRIES):
                if answer.reason != "insufficient_funds":
                    break  # the books, by which a stranger is judged, may not have the deposit yet
                felt.refused.append((time.monotonic(), answer.reason))
                await asyncio.sleep(_PAUSE_S * number)
                answer = await player.take_seat(felt.name, _BUY_IN)
            assert answer.accepted, answer
            table = felt.picture
            await player.until(lambda: (seat := table.seat_of(name)) is not None and seat.status != "reserved", 30)
            await player.sit_in(felt.name, post_big_blind=True)
        bot = Bot(name, felt, player)
        self._run(bot.play())
        return bot

    async def _come(self, felt: Felt, token: str) -> Seated:
        """Whoever is not welcomed in time tries again a little later. Raises what the last try did."""
        for number in range(1, _TRIES + 1):
            player = Seated(self.url, token, felt)
            try:
                await player.__aenter__()
                return player
            except (TimeoutError, ConnectionLost, AssertionError) as wrong:  # the last is what websockets may raise
                await player.close()
                if number == _TRIES:
                    raise
                felt.refused.append((time.monotonic(), f"not let in: {type(wrong).__name__}"))
                await asyncio.sleep(_PAUSE_S * number)
        raise AssertionError("unreachable")

    def _run(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(_loud)

    def report(self) -> dict[str, Any]:
        """Since it was asked last; `seated` are players, `playing` those of them whose bot has not ended."""
        refused = [each for felt in self.felts for each in felt.refused]
        for felt in self.felts:
            felt.refused.clear()
        players = [player for felt in self.felts for player in felt.bots]
        return {
            "acts": [row for felt in self.felts for row in felt.rows()],
            "refused": refused,
            "resyncs": sum(player.views - 1 for player in players),
            "seated": len(players),
            "playing": sum(not task.done() for task in self.tasks),
        }


def _plays(bot: Bot) -> bool:
    seat = bot.player.tables[bot.felt.name].seat_of(bot.name)
    return seat is not None and seat.status == "playing"


def _loud(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (wrong := task.exception()) is not None:
        print(f"bots: {type(wrong).__name__}: {wrong}", file=sys.stderr)


async def _main() -> None:
    loop = asyncio.get_running_loop()
    job = json.loads(await loop.run_in_executor(None, sys.stdin.readline))
    frames.FRAMES = cast(Any, SimpleNamespace(decode=lru_cache(maxsize=4_096)(frames.FRAMES.decode)))
    async with Operator(job["url"], job["token"]) as operator:
        bots = Bots(job["url"], operator, job["tables"])
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            stage = json.loads(line)
            if "tables" in stage:
                await bots.stage(stage["tables"], stage["pace"])
                print("playing", flush=True)
            else:
                await _said(bots)
        await _said(bots)
        for task in bots.tasks:
            task.cancel()


async def _said(bots: Bots) -> None:
    await asyncio.sleep(0.5)  # what the last acts caused is still on its way
    print(json.dumps(bots.report()), flush=True)


if __name__ == "__main__":
    uvloop.run(_main())
