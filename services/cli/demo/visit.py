"""`croupier bots`: tables of its own at a house that runs elsewhere, played through the gateway."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Collection
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from random import Random
from signal import SIGTERM
from threading import current_thread, main_thread
from typing import Annotated, Any, TextIO

import httpx
import typer
from uuid6 import uuid7

from libs.client import Operator, Player
from libs.client.http import ConnectionLost, ProblemReply
from libs.sealing.key_files import BadKey, secret_text
from libs.stack_error import StackError
from services.cli.demo.bots import Bot
from services.cli.demo.run import BANKROLL_BUY_INS, NAMES
from services.cli.demo.statistics import Statistics, Watcher, percentile
from services.cli.demo.tables import DemoTable, demo_tables


@dataclass(slots=True)
class Tale(Statistics):
    """Of one table, act by act."""

    name: str = ""
    file: TextIO | None = None
    pauses: list[float] = field(default_factory=list)
    """Seconds from one accepted act to the next."""
    accepted_at: float | None = None
    reasons: Counter[str] = field(default_factory=Counter)
    """Why acts were refused; of seats and top-ups `rejections` tells as well."""

    def answered(self, verdict: str, reason: str | None, seconds: float) -> None:
        # Named, since a dataclass with slots is another class than the one that `super()` would find.
        Statistics.answered(self, verdict, reason, seconds)
        now = time.time()
        if verdict == "accepted":
            if self.accepted_at is not None:
                self.pauses.append(now - self.accepted_at)
            self.accepted_at = now
        if reason:
            self.reasons[reason] += 1
        self._write(now, {"seconds": round(seconds, 4), "verdict": verdict} | ({"reason": reason} if reason else {}))

    def lost(self) -> None:
        Statistics.lost(self)
        self._write(time.time(), {"verdict": "unanswered"})

    def _write(self, now: float, line: dict[str, Any]) -> None:
        if self.file is not None:
            print(json.dumps({"at": round(now, 4), "table": self.name} | line), file=self.file, flush=True)


def bots(
    gateway: Annotated[str, typer.Option(help="Where the gateway answers.")] = "http://127.0.0.1:8080",
    credential: Annotated[
        Path, typer.Option(help="File of a platform's token with the scopes sessions, money and tables.")
    ] = Path(".croupier/compose/keys/operator_token.hex"),
    hands: Annotated[int, typer.Option(min=1, help="How many hands are played, over all tables.")] = 10,
    longest: Annotated[float, typer.Option(min=1, help="Seconds after which it is given up.")] = 300.0,
    tables: Annotated[int, typer.Option(min=1, max=60, help="How many tables of five.")] = 1,
    think: Annotated[float, typer.Option(min=0, max=10, help="Seconds that a bot thinks before an act.")] = 0.0,
    acts: Annotated[
        Path | None,
        typer.Option(
            help="File to add a line of JSON to for each act: when, at which table, how long, verdict and reason."
        ),
    ] = None,
    patience: Annotated[
        float,
        typer.Option(min=1, max=600, help="Seconds for which an act without an answer is repeated under its key."),
    ] = 60.0,
) -> None:
    """Open tables at a running house, play with five bots at each, close them; exit 0 if every hand came to its end.

    SIGTERM ends the evening as the last hand does.
    """
    try:
        token = secret_text(credential)
    except BadKey as wrong:
        raise StackError(str(wrong)) from wrong
    try:
        file_of_acts = acts.open("a", encoding="utf-8") if acts else nullcontext()
    except OSError as wrong:
        raise StackError(f"--acts: {wrong}") from wrong
    try:
        with file_of_acts as file:
            report = asyncio.run(
                _evening(gateway, token, _chosen(tables), _Manner(think, patience), file, _Until(hands, longest))
            )
    except (httpx.HTTPError, ConnectionLost, ProblemReply, TimeoutError) as wrong:
        raise StackError(f"{gateway}: {type(wrong).__name__} {wrong}") from wrong
    print(json.dumps(report))
    short = report["hands"] < hands and not report["ended_early"]
    faults = ("void", "started_twice", "unanswered", "gone")
    raise typer.Exit(1 if short or any(report[name] for name in faults) else 0)


@dataclass(frozen=True, slots=True)
class _Manner:
    think_s: float
    patience_s: float

    def client(self, url: str, token: str) -> Player:
        return Player(url, token, self.patience_s)


@dataclass(frozen=True, slots=True)
class _Until:
    hands: int
    longest_s: float


def _chosen(count: int) -> list[DemoTable]:
    """One of each kind of poker, and round again."""
    kinds = cycle(demo_tables()[::2])
    return [replace(next(kinds), table=f"bots-{uuid7()}", name=f"Bots {number}") for number in range(1, count + 1)]


async def _evening(
    gateway: str, token: str, tables: list[DemoTable], manner: _Manner, file: TextIO | None, until: _Until
) -> dict[str, Any]:
    tales = {each.table: Tale(name=each.name, file=file) for each in tables}
    stop, ended_early = asyncio.Event(), asyncio.Event()
    if current_thread() is main_thread():  # nobody else may ask for signals
        asyncio.get_running_loop().add_signal_handler(SIGTERM, ended_early.set)
    async with Operator(gateway, token) as operator:
        players, tasks, watchers = [], [], []
        for table in tables:
            answer = await operator.open_table(table.table, table.name, table.rulebook, table.configuration)
            if not answer.accepted:
                raise StackError(f"no table was opened: {answer.reason} {answer.detail}")
            players += [await _welcome(operator, gateway, table, name, tales[table.table], manner) for name in NAMES]
            spectator = await operator.open_session(f"{table.table}-spectator")
            watchers.append(Watcher(gateway, spectator.token, [table.table], tales[table.table]))
        tasks += [asyncio.create_task(each.watch()) for each in watchers]
        tasks += [asyncio.create_task(each.play(stop)) for each in players]
        began = time.monotonic()
        while time.monotonic() - began < until.longest_s and not ended_early.is_set():
            if sum(tale.total_hands for tale in tales.values()) >= until.hands:
                break
            await asyncio.sleep(0.05)
        for table in tables:
            await operator.close_table(table.table, "the bots have played")
        with suppress(TimeoutError):
            async with asyncio.timeout(60):
                while await _open(operator, set(tales)):
                    await asyncio.sleep(0.2)
        stop.set()
        await _answered(tales.values(), manner.patience_s)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    seconds = [each for tale in tales.values() for each in tale.seconds]
    verdicts = sum((tale.verdicts for tale in tales.values()), Counter[str]())
    return {
        "tables": list(tales),
        "hands": sum(tale.total_hands for tale in tales.values()),
        "void": sum(tale.voided for tale in tales.values()),
        "started_twice": sum(len(each.started_twice) for each in watchers),
        "acts": verdicts.total(),
        "verdicts": dict(verdicts),
        "reasons": dict(sum((tale.reasons for tale in tales.values()), Counter[str]())),
        "unanswered": sum(tale.unanswered for tale in tales.values()),
        "gone": [f"{type(each).__name__} {each}" for each in ended if isinstance(each, Exception)],
        "answer_p50_s": round(percentile(seconds, 0.5), 3),
        "answer_p99_s": round(percentile(seconds, 0.99), 3),
        "longest_without_an_act_s": round(max(max(tale.pauses, default=0.0) for tale in tales.values()), 1),
        "seconds": round(time.monotonic() - began, 1),
        "ended_early": ended_early.is_set(),
    }


async def _welcome(
    operator: Operator, gateway: str, table: DemoTable, name: str, count: Statistics, manner: _Manner
) -> Bot:
    name = f"{name}-{table.table}"
    session = await operator.open_session(name)
    await operator.open_account(name, table.currency)
    answer = await operator.deposit(name, f"{name}-1", BANKROLL_BUY_INS * table.buy_in, table.currency)
    if not answer.accepted:
        raise StackError(f"no deposit for {name}: {answer.reason}")
    return Bot(
        *(name, gateway, session.token, table.table, table.buy_in, count, Random(), manner.client),
        think_s=manner.think_s,
    )


async def _answered(tales: Collection[Tale], longest_s: float) -> None:
    """Until no act waits for its answer; whatever waits longer is without one."""
    give_up = time.monotonic() + longest_s
    while any(tale.asking for tale in tales) and time.monotonic() < give_up:
        await asyncio.sleep(0.1)
    for tale in tales:
        for _ in range(tale.asking):
            tale.lost()


async def _open(operator: Operator, tables: set[str]) -> bool:
    return any(row["table"] in tables and row["status"] != "closed" for row in await operator.tables())
