"""A player at the house: commands and events over a WebSocket to each gateway that serves a table of theirs, kept
alive, and the rest over HTTP."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from types import TracebackType
from typing import Any, Self

import msgspec

from libs.client.http import MOST_HOPS, NOT_FINAL, Answer, ConnectionLost, HttpClient, ProblemReply, new_key
from libs.client.line import Gap, Line
from libs.client.table_state import TableState, Turn
from libs.contracts import frames

MAX_KEPT_EVENTS = 10_000
_LATER = (429, 503)


class Player:
    """Follows the tables it subscribes to in `tables`, and plays.

    A lost connection is made again: tables are shown anew and commands without an answer are sent again under their
    key. Where another gateway serves a table, it is followed and played there, over a connection of its own.
    `patience` is how long (s) a command may stay without a final answer before it raises.
    """

    def __init__(self, base_url: str, session_token: str, patience: float = 60.0) -> None:
        self.name = ""
        self.tables: dict[str, TableState] = {}
        self.http = HttpClient(base_url, session_token, patience)
        self.resyncs = 0
        self._home = base_url.rstrip("/").replace("http", "ws", 1) + "/v1/ws"
        self._token = session_token
        self._patience = patience
        self._lines: dict[str, Line] = {}
        """By address."""
        self._at: dict[str, str] = {}
        """Tables that another address than home serves."""
        self._hops: Counter[str] = Counter()
        self._waiting: dict[str, tuple[str, str, asyncio.Future[Answer]]] = {}
        """By key: the table, the message, and the answer to come."""
        self._refused: dict[str, ProblemReply] = {}
        self._answered: dict[str, int] = {}
        self._asking: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._events: deque[frames.Event] | None = None

    async def __aenter__(self) -> Self:
        self._line_to(self._home)
        await self.until(lambda: bool(self.name), 30)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        lines = list(self._lines.values())
        await asyncio.gather(*(line.close() for line in lines))
        await asyncio.gather(*self._asking, return_exceptions=True)
        await self.http.__aexit__(None, None, None)

    async def subscribe(self, table: str) -> TableState:
        """Follows a table; returns once its view is here. `ProblemReply` for a table that does not exist."""
        state = self.tables.setdefault(table, TableState(table))
        self._refused.pop(table, None)
        await self._line(table).send(_subscribe(table))
        await self.until(lambda: state.version > 0 or table in self._refused)
        if table in self._refused:
            del self.tables[table]
            raise self._refused.pop(table)
        return state

    async def take_seat(self, table: str, amount: int, seat: int | None = None, key: str | None = None) -> Answer:
        return await self.command("take_seat", table, key, amount=amount, seat=seat)

    async def top_up(self, table: str, amount: int, key: str | None = None) -> Answer:
        return await self.command("request_top_up", table, key, amount=amount)

    async def sit_out(self, table: str, on_break: bool = False, key: str | None = None) -> Answer:
        return await self.command("sit_out", table, key, on_break=on_break)

    async def sit_in(self, table: str, post_big_blind: bool = False, key: str | None = None) -> Answer:
        return await self.command("sit_in", table, key, post_big_blind=post_big_blind)

    async def leave(self, table: str, key: str | None = None) -> Answer:
        return await self.command("leave_table", table, key)

    async def act(self, turn: Turn, act: str, to: int | None = None, key: str | None = None) -> Answer:
        """Answers a turn: `fold`, `check`, `call`, or `bet` and `raise` with the round's total `to`."""
        answer = await self.act_as(turn.table, turn.hand, turn.seat, act, to, turn.turn, key)
        if answer.accepted:
            self._answered[turn.table] = turn.turn
        return answer

    async def act_as(
        self, table: str, hand: int, seat: int, act: str, to: int | None = None, turn: int | None = None,
        key: str | None = None,
    ) -> Answer:  # fmt: skip
        """An act with every field as given, for whoever wants to see it refused."""
        return await self.command("act", table, key, hand=hand, seat=seat, act=act, to=to, turn=turn)

    # Tables against the house

    async def place_ante(self, table: str, amount: int, round: int | None = None, key: str | None = None) -> Answer:
        """No-draw poker: the ante is `amount` from now on. No round: the one that is open, or opens with it."""
        return await self.command("place_ante", table, key, amount=amount, round=round)

    async def decide(
        self, table: str, round: int, decision: str, bet: int | None = None, key: str | None = None
    ) -> Answer:
        """No-draw poker: `fold` or `continue`."""
        return await self.command("decide_hand", table, key, round=round, decision=decision, bet=bet)

    async def place_stake(
        self, table: str, chance: str, amount: int, round: int | None = None, key: str | None = None
    ) -> Answer:
        """Baccarat: `amount` more on `ponto`, `banca`, `empate`, `par_ponto` or `par_banca`."""
        return await self.command("place_stake", table, key, chance=chance, amount=amount, round=round)

    async def next_turn(self, table: str, timeout: float | None = None) -> Turn:
        """Waits until the table awaits this player's decision; a turn is given again until an act is accepted."""
        await self.until(lambda: self.turn(table) is not None, timeout)
        turn = self.turn(table)
        assert turn is not None
        return turn

    def turn(self, table: str) -> Turn | None:
        """This player's turn, if there is one that was not answered yet: replies may overtake events."""
        turn = self.tables[table].turn
        if turn is None or turn.player != self.name or turn.turn <= self._answered.get(table, 0):
            return None
        return turn

    async def until(self, true: Callable[[], bool], timeout: float | None = None) -> None:
        """Waits until something holds; it is asked after every frame. Raises TimeoutError or `ConnectionLost`."""
        async with asyncio.timeout(timeout):
            while not true():
                for ended in [line.reader for line in self._lines.values() if line.reader.done()]:
                    if not ended.cancelled():
                        ended.result()
                    raise ConnectionLost("the player has left")
                self._changed.clear()
                await self._changed.wait()

    async def events(self) -> AsyncIterator[frames.Event]:
        """Public events of all followed tables from now on; the oldest are dropped if nobody takes them."""
        if self._events is None:
            self._events = deque(maxlen=MAX_KEPT_EVENTS)
        while True:
            await self.until(lambda: bool(self._events))
            while self._events:
                yield self._events.popleft()

    async def view(self, table: str) -> dict[str, Any]:
        return dict(await self.http.get(f"/tables/{table}"))

    async def last_hand(self, table: str) -> dict[str, Any]:
        return dict(await self.http.get(f"/tables/{table}/last-hand"))

    async def last_round(self, table: str) -> dict[str, Any]:
        return dict(await self.http.get(f"/tables/{table}/last-round"))

    async def command(self, kind: str, table: str, key: str | None = None, **body: Any) -> Answer:
        """Whatever a player can ask: `kind` is the operation id of a door of `services/gateway/app/doors.py`."""
        key = key or new_key()
        frame = msgspec.json.encode({"type": kind, "id": key, "table": table, **body}).decode()
        give_up = asyncio.get_running_loop().time() + self._patience
        while True:
            waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
            self._waiting[key] = (table, frame, waiting)
            try:
                await self._line(table).send_text(frame)
                async with asyncio.timeout_at(give_up):
                    return await waiting
            except ProblemReply as problem:
                if problem.slug not in NOT_FINAL or asyncio.get_running_loop().time() > give_up:
                    raise
            except TimeoutError:
                raise ConnectionLost(f"no final answer to {kind} within {self._patience} s") from None
            finally:
                self._waiting.pop(key, None)
            await asyncio.sleep(0.2)

    @property
    def home(self) -> Line:
        """To the gateway that this player came to."""
        return self._line_to(self._home)

    def _line(self, table: str) -> Line:
        return self._line_to(self._at.get(table, self._home))

    def _line_to(self, address: str) -> Line:
        line = self._lines.get(address)
        if line is None:
            line = self._lines[address] = Line(address, self._token, self)
        return line

    # What its lines tell

    def said_at(self, line: Line) -> Iterator[str]:
        for table in self.tables:
            if self._at.get(table, self._home) == line.address:
                yield msgspec.json.encode(_subscribe(table)).decode()
        for table, frame, _ in self._waiting.values():
            if self._at.get(table, self._home) == line.address:
                yield frame

    def nobody_at(self, line: Line) -> bool:
        """Home is asked once more where its tables are: another gateway may serve them by now."""
        tables = [table for table, address in self._at.items() if address == line.address]
        for table in tables:
            del self._at[table]
            self._hops.pop(table, None)
            self._say_again(table)
        return bool(tables)

    def over(self) -> None:
        self._changed.set()
        for _, _, waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ConnectionLost("the player has left"))

    def take(self, frame: frames.Frame, line: Line) -> None:
        self._take(frame, line)
        self._changed.set()

    def _take(self, frame: frames.Frame, line: Line) -> None:
        match frame:
            case frames.Events():
                self._follow(frame)
            case frames.Answer():
                self._answer(frame)
            case frames.HoleCards() if frame.table in self.tables:
                self.tables[frame.table].deal(frame)
            case frames.View() if frame.table in self.tables:
                self._hops.pop(frame.table, None)
                self.resyncs += self.tables[frame.table].version > 0
                self.tables[frame.table].show(frame)
            case frames.Welcome():
                self.name = frame.player
            case frames.ProblemFrame(problem={"status": 421, "table": str(table), "gateway": str(gateway)}) if (
                self._goes_to(table, gateway, line)
            ):
                waiting = self._waiting.get(frame.id or "")
                self._soon(self._line(table).send_text(waiting[1]) if waiting else self._subscribed(table))
            case frames.ProblemFrame():
                self._refuse(frame)
            case frames.Reconnect(url=str(url)):  # as soon as it closes: answers still come here
                line.url = url
            case _:
                pass

    def _follow(self, frame: frames.Events) -> None:
        state = self.tables.get(frame.table)
        if state is None:
            return
        for event in frame.events:
            if not state.apply(event):
                raise Gap(frame.table)
            if self._events is not None:
                self._events.append(event)

    def _answer(self, reply: frames.Answer) -> None:
        entry = self._waiting.get(reply.id)
        if entry is None or entry[2].done():
            return
        self._hops.pop(entry[0], None)
        if reply.verdict in ("accepted", "rejected"):
            entry[2].set_result(Answer(reply.verdict, reply.version, reply.reason, reply.rule, reply.detail))
        else:
            status = 503 if reply.verdict == "busy" else 410
            entry[2].set_exception(ProblemReply(status, {"type": f"urn:croupier:problem:{reply.verdict}"}))

    def _refuse(self, frame: frames.ProblemFrame) -> None:
        problem = ProblemReply(int(frame.problem.get("status", 0)), frame.problem)
        entry = self._waiting.get(frame.id) if frame.id else None
        if entry is not None and not entry[2].done():
            entry[2].set_exception(problem)
        elif isinstance(table := frame.problem.get("table"), str):
            state = self.tables.get(table)
            if problem.status in _LATER and state is not None and state.version:
                # It was followed before the connection was lost: without a fresh view it would stand still for ever.
                pause = int(frame.problem.get("retry_after", 1))
                asyncio.get_running_loop().call_later(pause, self._follow_again, table)
            else:
                self._refused[table] = problem

    def _goes_to(self, table: str, gateway: str, line: Line) -> bool:
        """Whether the table is asked for there from now on."""
        if gateway == line.address or self._hops[table] >= MOST_HOPS:
            return False
        if self._at.get(table, self._home) == line.address:
            self._hops[table] += 1
            self._at[table] = gateway
        return True

    def _say_again(self, table: str) -> None:
        line = self._line(table)
        if table in self.tables:
            self._soon(line.send(_subscribe(table)))
        for at, frame, _ in self._waiting.values():
            if at == table:
                self._soon(line.send_text(frame))

    async def _subscribed(self, table: str) -> None:
        if table in self.tables:
            await self._line(table).send(_subscribe(table))

    def _follow_again(self, table: str) -> None:
        if table in self.tables and not self.home.reader.done():
            self._soon(self._subscribed(table))

    def _soon(self, said: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(said)
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)


def _subscribe(table: str) -> dict[str, str]:
    return {"type": "subscribe", "table": table}
