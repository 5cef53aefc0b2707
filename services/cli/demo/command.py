"""The `croupier demo` command: brings everything up, plays, counts, and says where to look next."""

import asyncio
import os
import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from libs.stack import Stack, StackError, default_home, down, up
from libs.stack.home import jars_folder
from services.cli.demo.report import check, report
from services.cli.demo.run import Demo, DemoFailed
from services.cli.house import House, build_house
from services.cli.processes import ServiceFailed, end_when_told, stop_left_running
from services.cli.surroundings import shown

Hands = Annotated[int, typer.Option(min=1, help="Hands to play over all tables.", envvar="HANDS")]
Entrants = Annotated[int, typer.Option(min=6, max=200, help="Players of the tournament.")]
Longest = Annotated[float, typer.Option(min=10, help="Give up after so many seconds of play.")]
Think = Annotated[float, typer.Option(min=0, max=10, help="Seconds that a bot at a cash table thinks before an act.")]
Keep = Annotated[bool, typer.Option("--keep", help="Leave the services and their stack running afterwards.")]


def demo(
    hands: Hands = 1000, entrants: Entrants = 45, longest: Longest = 900.0, think: Think = 0.0, keep: Keep = False
) -> None:
    """Play: real broker, real database, six tables and a tournament, bots, two SIGKILLs; then count every cent.

    Starts from an empty house of its own each time, in the folder `demo` beside your other data, which it leaves alone.
    Exit status 0 only if everything reconciles: the ledger, the rebuild from the journals, every chain and every deck,
    and no unseen card anywhere in clear.
    """
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    home = default_home() / "demo"
    # What the demo starts, checks included, looks for the house here and for the downloads where they are.
    os.environ.update(CROUPIER_JARS=str(jars_folder()), CROUPIER_HOME=str(home))
    stop_left_running(home / "logs")
    down(home, wipe=True)
    shutil.rmtree(home, ignore_errors=True)  # logs, keys and signed checkpoints of the house that was
    end_when_told()
    try:
        with shown(console) as progress:
            stack = up(home, progress=progress)
        problems = asyncio.run(_demo(stack, home, console, hands, entrants, longest, think, keep))
    except (DemoFailed, ServiceFailed) as wrong:
        raise StackError(str(wrong)) from None
    finally:
        if not keep:
            stop_left_running(home / "logs")
            down(home)
    if problems:
        for problem in problems:
            console.print(f"[red]✗[/red] {problem}")
        raise typer.Exit(1)
    console.print("[green]✓[/green] everything reconciles to the cent")


async def _demo(
    stack: Stack, home: Path, console: Console, hands: int, entrants: int, longest: float, think: float, keep: bool
) -> list[str]:
    console.print(f"Apache Kafka {stack.kafka_version}, PostgreSQL {stack.postgres_version}")
    house = build_house(stack, home)
    try:
        await house.start()
        console.print("services up: " + ", ".join(f"{name} {each.url}" for name, each in house.processes.items()))
        playing = Demo(house, console, hands, longest, entrants, think)
        await playing.play()
        problems = await report(playing, console)
        problems += await _checks(house, console)
        _where_next(house, playing, console)
        return problems
    finally:
        if not keep:
            await house.stop()


async def _checks(house: House, console: Console) -> list[str]:
    found = []
    metrics = [word for each in house.processes.values() for word in ("--metrics", f"{each.inner_url}/metrics")]
    for command in (("rebuild", "--compare"), ("verify",), ("scan", *metrics)):
        if not await check(command, console):
            found.append(f"croupier {command[0]} found something")
    return found


def _where_next(house: House, playing: Demo, console: Console) -> None:
    table = playing.tables[0].table
    console.rule("where to look next", align="left")
    console.print(f"logs            {house.home / 'logs'}")
    stop = f"CROUPIER_HOME={shlex.quote(str(house.home))} croupier down"
    console.print(f"stay inside     croupier demo --keep; {stop} stops it", soft_wrap=True)
    console.print(f"API             {house.gateway_url}/docs (with --keep)")
    console.print(f"logins          {house.issuer}, people and passwords in {house.home / 'keys' / 'people.txt'}")
    console.print(f"a hand          {house.audit_url}/v1/hands/{table}/1 (with --keep and a login: docs/staff.md)")
    console.print("read on         README.md, docs/architecture.md, docs/events/README.md")
