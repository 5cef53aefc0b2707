"""Entrants of `make bench-tournament`, in one process: each over a WebSocket of its own, following its table, its
moves, and where it is asked to the tournament's page. All-in or fold: so decisions are cheap, and it ends.

Standard input gives the job, standard output one line of JSON a second, the last one with `over`.
"""

import asyncio
import json
import random
import sys
from dataclasses import dataclass, field
from typing import Any

import httpx
import msgspec
import uvloop
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from libs.client import Operator, ProblemReply, Staff
from libs.client.http import new_key
from libs.contracts.frames import Answer, Event, ProblemFrame, TournamentFrame
from libs.contracts.poker_events import LegalActs

_AT_ONCE = 64
"""Requests over HTTP under way at once while players come."""


class Shown(msgspec.Struct, tag_field="type", tag="view"):
    table: str
    view: msgspec.Raw


class Told(msgspec.Struct, tag_field="type", tag="events"):
    table: str
    events: list[Event]


class Cards(msgspec.Struct, tag_field="type", tag="hole_cards"):
    pass


class Hello(msgspec.Struct, tag_field="type", tag="welcome"):
    player: str


class Awaited(msgspec.Struct):
    """Of `DecisionAwaited` what a bot needs."""

    player: str
    hand: int
    seat: int
    street: str
    legal: LegalActs


class Waits(msgspec.Struct):
    player: str
    seat: int
    street: str
    legal: LegalActs
    turn: int


class OnTable(msgspec.Struct):
    hand: int
    decision: Waits | None = None


class Sits(msgspec.Struct):
    player: str | None = None
    status: str = ""


class Table(msgspec.Struct):
    hand: OnTable | None = None
    seats: list[Sits] = []


class Moved(msgspec.Struct):
    player: str
    to_table: str


class OwnSeat(msgspec.Struct):
    table: str


class Own(msgspec.Struct):
    status: str
    seat: OwnSeat | None = None


_FRAMES: msgspec.json.Decoder[Any] = msgspec.json.Decoder(
    Shown | Told | Cards | Hello | TournamentFrame | Answer | ProblemFrame
)
_AWAITED, _MOVED = msgspec.json.Decoder(Awaited), msgspec.json.Decoder(Moved)
_TABLE, _OWN = msgspec.json.Decoder(Table), msgspec.json.Decoder(Own)


@dataclass(slots=True)
class Crowd:
    """Everybody, and what they met."""

    url: str
    tournament: str
    boldness: float
    watch: bool
    """Whether everybody has the tournament's page open."""
    bots: list["Bot"] = field(default_factory=list)
    acts: int = 0
    refused: int = 0
    problems: dict[str, int] = field(default_factory=dict)
    page_bytes: int = 0
    reconnects: int = 0

    def met(self, what: str) -> None:
        self.problems[what] = self.problems.get(what, 0) + 1

    @property
    def playing(self) -> int:
        return sum(not bot.out for bot in self.bots)


class Bot:
    def __init__(self, crowd: Crowd, name: str, token: str) -> None:
        self.crowd = crowd
        self.name = name
        self.token = token
        self.table = ""
        self.out = False
        self.here = asyncio.Event()
        """Connected."""
        self.dice = random.Random(name)
        self._socket: ClientConnection | None = None

    async def play(self) -> None:
        url = self.crowd.url.replace("http", "ws", 1) + "/v1/ws"
        while not self.out:
            try:
                headers = {"authorization": f"Bearer {self.token}"}
                async with connect(
                    url, additional_headers=headers, compression=None, proxy=None, max_size=4 * 2**20,
                    ping_interval=None, close_timeout=1, open_timeout=60,
                ) as self._socket:  # fmt: skip
                    await self._hear(self._socket)
            except (OSError, TimeoutError, ConnectionClosed, InvalidHandshake):
                self.crowd.reconnects += 1
                await asyncio.sleep(0.5 + self.dice.random())
            except Exception as wrong:  # a bot that is gone would be waited for at its table
                print(f"{self.name}: {type(wrong).__name__}: {wrong}", file=sys.stderr, flush=True)
                self.crowd.met(type(wrong).__name__)

    async def _hear(self, socket: ClientConnection) -> None:
        self.here.set()
        if self.table:
            await self._ask(type="subscribe", table=self.table)
        if self.crowd.watch:
            await self._ask(type="watch_tournament", tournament=self.crowd.tournament)
        while not self.out:
            match _FRAMES.decode(await socket.recv(decode=False)):
                case Told() as told if told.table == self.table:
                    await self._told(told)
                case Shown() as shown if shown.table == self.table:
                    view = _TABLE.decode(shown.view)
                    if any(seat.player == self.name and seat.status == "sitting_out" for seat in view.seats):
                        await self._sit_in()
                    if view.hand is not None and view.hand.decision is not None:
                        await self._answer(view.hand.hand, view.hand.decision.turn, view.hand.decision)
                case TournamentFrame() as frame:
                    self.crowd.page_bytes += len(frame.page)
                    own = _OWN.decode(frame.entry)
                    if own.seat is not None and own.seat.table != self.table:
                        await self.sit(own.seat.table)
                case Answer() as answer if answer.verdict != "accepted":
                    self.crowd.refused += 1
                    self.crowd.met(f"{answer.verdict} {answer.reason}")
                case ProblemFrame() as refused:
                    self.crowd.met(str(refused.problem.get("type", "")))
                    if "table" in refused.problem:  # it is being opened
                        await asyncio.sleep(0.5)
                        await self._ask(type="subscribe", table=self.table)

    async def sit(self, table: str) -> None:
        old, self.table = self.table, table
        if self._socket is not None:
            if old:
                await self._ask(type="unsubscribe", table=old)
            await self._ask(type="subscribe", table=table)

    async def _told(self, told: Told) -> None:
        for event in told.events:
            match event.name:
                case "decision_awaited" if event is told.events[-1]:
                    turn = _AWAITED.decode(event.data)
                    await self._answer(turn.hand, event.version, turn)
                case "entrant_moved":
                    moved = _MOVED.decode(event.data)
                    if moved.player == self.name:
                        await self.sit(moved.to_table)
                        return
                case "entrant_eliminated" | "entrant_finished":
                    self.out = self.out or self._is_mine(event)
                case "player_sat_out" if self._is_mine(event):
                    await self._sit_in()

    def _is_mine(self, event: Event) -> bool:
        return f'"player":"{self.name}"'.encode() in bytes(event.data)

    async def _sit_in(self) -> None:
        """Too late for a turn, on a machine that is too busy: counted, for the figures are worth less then."""
        self.crowd.met("time-outs")
        await self._ask(type="sit_in", id=new_key(), table=self.table, post_big_blind=False)

    async def _answer(self, hand: int, turn: int, asked: Awaited | Waits) -> None:
        if asked.player != self.name:
            return
        legal, to = asked.legal, None
        if self.dice.random() >= self.crowd.boldness:
            act = "check" if legal.check else "fold"
        elif legal.max_to is not None:
            act, to = "bet" if legal.check and asked.street != "preflop" else "raise", legal.max_to
        else:
            act = "check" if legal.check else "call"
        self.crowd.acts += 1
        await self._ask(
            type="act", id=new_key(), table=self.table, hand=hand, seat=asked.seat, act=act, to=to, turn=turn
        )

    async def _ask(self, **message: Any) -> None:
        assert self._socket is not None
        await self._socket.send(msgspec.json.encode(message).decode())


async def _announce(job: dict[str, Any]) -> None:
    body = {"tournament": job["tournament"], "name": "Domingo", "definition": job["definition"]}
    for token, path, asked in (
        (job["floor"], "/tournaments", body),
        (job["supervisor"], f"/tournaments/{job['tournament']}/approve", None),
    ):
        async with Staff(job["url"], token) as staff:
            answer = await staff.command(path, asked)
            assert answer.accepted, (answer.reason, answer.detail)


async def _come(crowd: Crowd, operator: Operator, name: str, money: int) -> Bot:
    session = await operator.open_session(name)
    await operator.open_account(name, "EUR")
    await operator.deposit(name, f"{name}-1", money, "EUR")
    return Bot(crowd, name, session.token)


async def _register(crowd: Crowd, http: httpx.AsyncClient, bot: Bot) -> None:
    headers = {"authorization": f"Bearer {bot.token}", "idempotency-key": new_key()}
    while True:
        answer = await http.post(f"/v1/tournaments/{crowd.tournament}/register", headers=headers)
        if answer.is_success:
            return
        crowd.met(f"register {answer.status_code}")
        assert answer.status_code in (429, 503), answer.text
        await asyncio.sleep(0.5)


async def _seated(crowd: Crowd, http: httpx.AsyncClient, few: asyncio.Semaphore, bot: Bot) -> None:
    """Where nobody watches the page, each asks once."""
    async with few:
        while not bot.table:
            headers = {"authorization": f"Bearer {bot.token}"}
            own = _OWN.decode((await http.get(f"/v1/tournaments/{crowd.tournament}/entry", headers=headers)).content)
            if own.seat is not None:
                await bot.sit(own.seat.table)
            else:
                await asyncio.sleep(0.3)


async def main() -> None:
    loop = asyncio.get_running_loop()
    job = json.loads(await loop.run_in_executor(None, sys.stdin.readline))
    crowd = Crowd(job["url"], job["tournament"], job["boldness"], job["watch"])
    few, asking = asyncio.Semaphore(_AT_ONCE), asyncio.Semaphore(_AT_ONCE)
    tasks: list[asyncio.Task[None]] = []

    async def enter(number: int) -> None:
        async with few:
            bot = await _come(crowd, operator, f"{crowd.tournament}-p{number}", job["money"])
            tasks.append(asyncio.create_task(bot.play()))
            await bot.here.wait()  # the last one to register starts the tournament
            await _register(crowd, http, bot)
            if not crowd.watch:
                tasks.append(asyncio.create_task(_seated(crowd, http, asking, bot)))
            crowd.bots.append(bot)

    def say(**more: Any) -> None:
        print(json.dumps({"here": len(crowd.bots), "left": crowd.playing, "acts": crowd.acts, **more}), flush=True)

    async def tell() -> None:
        while True:
            say()
            await asyncio.sleep(1)

    async with (
        Operator(job["url"], job["token"]) as operator,
        httpx.AsyncClient(base_url=job["url"], timeout=60.0, limits=httpx.Limits(max_connections=_AT_ONCE)) as http,
    ):
        telling = asyncio.create_task(tell())
        try:
            await _announce(job)
            async with asyncio.TaskGroup() as coming:
                for number in range(1, job["players"] + 1):
                    coming.create_task(enter(number))
            page: dict[str, Any] = {}
            while page.get("status") not in ("completed", "cancelled"):
                await asyncio.sleep(1)
                try:
                    page = await operator.get(f"/tournaments/{crowd.tournament}")
                except (ProblemReply, httpx.HTTPError) as wrong:
                    crowd.met(type(wrong).__name__)
        finally:
            telling.cancel()
            for task in tasks:
                task.cancel()
        told = {name: getattr(crowd, name) for name in ("refused", "problems", "page_bytes", "reconnects")}
        say(over=page, **told)
        await loop.run_in_executor(None, sys.stdin.read)  # whoever measures may still read our time


if __name__ == "__main__":
    uvloop.run(main())
