"""`croupier bots`: a table of its own at a house that runs elsewhere, played through the gateway."""

import asyncio
import json
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Annotated, Any

import httpx
import typer
from uuid6 import uuid7

from libs.client import Operator
from libs.client.http import ConnectionLost, ProblemReply
from libs.sealing.key_files import BadKey, secret_text
from libs.stack import StackError
from services.cli.demo.bots import Bot
from services.cli.demo.run import BANKROLL_BUY_INS, NAMES
from services.cli.demo.statistics import Statistics, Watcher, percentile
from services.cli.demo.tables import DemoTable, demo_tables


def bots(
    gateway: Annotated[str, typer.Option(help="Where the gateway answers.")] = "http://127.0.0.1:8080",
    credential: Annotated[
        Path, typer.Option(help="File of a platform's token with the scopes sessions, money and tables.")
    ] = Path(".croupier/compose/keys/operator_token.hex"),
    hands: Annotated[int, typer.Option(min=1, help="How many hands are played.")] = 10,
    longest: Annotated[float, typer.Option(help="Seconds after which it is given up.")] = 300.0,
) -> None:
    """Open a table at a running house, play with five bots, close it; exit 0 if every hand came to its end."""
    try:
        token = secret_text(credential)
        report = asyncio.run(_evening(gateway, token, hands, longest))
    except (BadKey, httpx.HTTPError, ConnectionLost, ProblemReply, TimeoutError) as wrong:
        raise StackError(f"{gateway}: {type(wrong).__name__} {wrong}") from wrong
    print(json.dumps(report))
    raise typer.Exit(1 if report["hands"] < hands or report["void"] or report["started_twice"] else 0)


async def _evening(gateway: str, token: str, hands: int, longest_s: float) -> dict[str, Any]:
    kind, count = demo_tables()[0], Statistics()
    table = replace(kind, table=f"bots-{uuid7()}")
    async with Operator(gateway, token) as operator:
        answer = await operator.open_table(table.table, "Bots", table.rulebook, table.configuration)
        if not answer.accepted:
            raise StackError(f"no table was opened: {answer.reason} {answer.detail}")
        players = [await _welcome(operator, gateway, table, name, count) for name in NAMES]
        spectator = await operator.open_session(f"{table.table}-spectator")
        watcher = Watcher(gateway, spectator.token, [table.table], count)
        stop = asyncio.Event()
        tasks = [asyncio.create_task(watcher.watch()), *(asyncio.create_task(each.play(stop)) for each in players)]
        waits = await _until_played(count, hands, longest_s)
        await operator.close_table(table.table, "the bots have played")
        with suppress(TimeoutError):
            async with asyncio.timeout(60):
                while await _open(operator, table.table):
                    await asyncio.sleep(0.2)
        stop.set()
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    if failed := [each for each in ended if isinstance(each, Exception)]:
        raise failed[0]
    return {
        "table": table.table,
        "hands": count.total_hands,
        "void": count.voided,
        "started_twice": len(watcher.started_twice),
        "acts": count.acts,
        "verdicts": dict(count.verdicts),
        "answer_p50_s": round(percentile(count.seconds, 0.5), 3),
        "answer_p99_s": round(percentile(count.seconds, 0.99), 3),
        "longest_without_an_act_s": round(max(waits, default=0.0), 1),
        "seconds": round(count.elapsed_s, 1),
    }


async def _welcome(operator: Operator, gateway: str, table: DemoTable, name: str, count: Statistics) -> Bot:
    name = f"{name}-{table.table}"
    session = await operator.open_session(name)
    await operator.open_account(name, table.currency)
    answer = await operator.deposit(name, f"{name}-1", BANKROLL_BUY_INS * table.buy_in, table.currency)
    if not answer.accepted:
        raise StackError(f"no deposit for {name}: {answer.reason}")
    return Bot(name, gateway, session.token, table.table, table.buy_in, count, Random())


async def _until_played(count: Statistics, hands: int, longest_s: float) -> list[float]:
    """Between each two acts, how long (s) there was none."""
    waits, acts, since = [0.0], 0, time.monotonic()
    while count.total_hands < hands and count.elapsed_s < longest_s:
        await asyncio.sleep(0.05)
        if count.acts != acts:
            acts, since = count.acts, time.monotonic()
            waits.append(0.0)
        waits[-1] = time.monotonic() - since
    return waits


async def _open(operator: Operator, table: str) -> bool:
    return any(row["table"] == table and row["status"] != "closed" for row in await operator.tables())
