"""`croupier serve`, `status` and `logs`: the whole house on this machine, to be used and looked at."""

import asyncio
import math
import os
import shlex
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import httpx
import msgspec
import psutil
import typer
from rich.console import Console
from rich.table import Table

from libs.stack import Stack, StackError, broker, database, default_home, ended, running, up
from libs.stack import down as stop_stack
from libs.stack.home import Home as Paths
from libs.stack.ports import free_port
from libs.stack.postgres import MOST_OF_A_LOG
from libs.stack.process import alive, claim, complaint, spawn
from services.cli.house import SETTINGS, House, build_house
from services.cli.processes import ServiceFailed, ServiceProcess, end_when_told, stop_left_running, why_not_ready
from services.cli.surroundings import Home, Json, end, shown, told

ADDRESSES = "house.json"
"""In a home: the port and the inner port of each service, chosen at its first start. They stay."""
SERVING = "serve"
"""Name of the pid file and the output of `croupier serve --detach`."""
_LONGEST_PAUSE_S = 30.0
_LOOK_AT_LOGS_S = 5.0
_LOOK_AT_STACK_S = 1.0
_STEADY_S = 60.0
"""Whoever has run so long begins again with the shortest pause."""
_READY = "The house is open."
_HOW_TO_STOP = "Ctrl-C stops everything; the data stays."
_PURPOSES = {
    "gateway": "players and platforms; /docs",
    "wallet": "the books, for staff",
    "audit": "histories and incidents, for staff",
    "demo_provider": "logins of the staff, for trying out only",
}

Port = Annotated[int, typer.Option(help="Of the gateway, on this machine alone.", min=1, max=65535)]
Detach = Annotated[bool, typer.Option("--detach", help="Go on in the background; `croupier down` stops it.")]


class Addresses(msgspec.Struct):
    """Port and inner port of each service."""

    ports: dict[str, tuple[int, int]]


def serve(port: Port = 8080, detach: Detach = False, home: Home = None) -> None:
    """Run the whole house on this machine, in the foreground; Ctrl-C stops all of it, the data stays.

    Starts Kafka and PostgreSQL where they do not run yet, and every service; who ends is started again, a server, too.
    Logins, keys and addresses stay from one start to the next. For trying out: the staff's logins come from a provider
    that no real house may trust.
    """
    where = (home or default_home()).resolve()
    pid_file = Paths(where).pid_file(SERVING)
    runs = alive(pid_file)
    if runs is not None and runs.pid != os.getpid():
        raise StackError(f"a house runs in {where} already (process {runs.pid}): `croupier status`, `croupier down`")
    if detach:
        _detach(where, port, pid_file)
        return
    stop_left_running(where / "logs")  # of a house that was killed
    ports = _ports(where, port)
    claim(pid_file)
    end_when_told()
    ours = running(where) is None
    try:
        with shown(Console(stderr=True)) as progress:
            stack = up(where, progress=progress)
        asyncio.run(_serve(build_house(stack, where, ports=ports)))
    except ServiceFailed as wrong:
        raise StackError(str(wrong)) from None
    except KeyboardInterrupt:
        print("\nStopped; the data stays for the next `croupier serve`.")
    finally:
        stop_left_running(where / "logs")
        if ours:
            stop_stack(where)
        pid_file.unlink(missing_ok=True)


def status(home: Home = None, as_json: Json = False) -> None:
    """What of this home's house runs: addresses, readiness, memory; exit 0 if everything is ready."""
    where = (home or default_home()).resolve()
    kept, rows = _kept(where), _rows(where)
    for name, ask in (("Kafka", broker), ("PostgreSQL", database)):
        ready, why = _answers(ask, where)
        rows.append({"name": name, "ready": ready, "url": "", "pid": None, "mb": None, "minutes": None, "why": why})
    end(rows, bool(kept.ports) and all(row["ready"] for row in rows), as_json, _show)


def _answers(ask: Callable[[Path], object | None], where: Path) -> tuple[bool, str]:
    """Whether it does, each for itself; why not, where an address is given."""
    try:
        return ask(where) is not None, ""
    except StackError as wrong:
        return False, str(wrong)


def logs(
    service: Annotated[str | None, typer.Argument(help="One service; default: all.")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="So many of the last of each.")] = 20,
    home: Home = None,
) -> None:
    """Print what the services log, one JSON object a line, as they write it."""
    folder = (home or default_home()).resolve() / "logs"
    files = sorted(folder.glob(f"{service or '*'}.jsonl"))
    if not files:
        known = ", ".join(sorted(file.stem for file in folder.glob("*.jsonl"))) or "none"
        raise StackError(f"no log of {service or 'any service'} in {folder}; there is: {known}")
    try:
        for line in _lines(files, lines, follow):
            print(line, flush=follow)
    except (KeyboardInterrupt, BrokenPipeError):
        sys.stderr.close()  # `| head` has what it wanted


def _detach(where: Path, port: int, pid_file: Path) -> None:
    log = where / "logs" / f"{SERVING}.out"
    log.unlink(missing_ok=True)
    command = [sys.executable, "-m", "services.cli", "serve", "--port", str(port), "--home", str(where)]
    where.mkdir(parents=True, exist_ok=True)
    spawn(command, pid_file=pid_file, log=log)
    with told("starting the house") as tell:
        while not (log.exists() and _READY in log.read_text(errors="replace")):
            if alive(pid_file) is None:
                raise StackError(f"the house did not come up: {complaint(log)} (log: {log})")
            for row in _rows(where):
                if row["why"]:
                    tell(f"{row['name']}: {row['why']}")
            time.sleep(0.5)
    print(log.read_text().replace(_HOW_TO_STOP, "It runs on: `croupier status`, `croupier logs -f`, `croupier down`"))


def _ports(where: Path, gateway: int) -> dict[str, tuple[int, int]]:
    """Those of earlier starts; a house is found where it was."""
    kept = _kept(where)
    for name in SETTINGS:
        kept.ports.setdefault(name, (free_port(), free_port()))
    kept.ports["gateway"] = (gateway, kept.ports["gateway"][1])
    for name, pair in kept.ports.items():
        for port in pair:
            if _is_taken(port):
                other = "choose another with --port" if port == gateway else f"see {where / ADDRESSES}"
                raise StackError(f"port {port} ({name}) is in use: {other}")
    where.mkdir(parents=True, exist_ok=True)
    aside = where / f"{ADDRESSES}.new"  # whoever waits for a detached house reads it meanwhile
    aside.write_bytes(msgspec.json.format(msgspec.json.encode(kept)))
    aside.replace(where / ADDRESSES)
    return kept.ports


def _kept(where: Path) -> Addresses:
    file = where / ADDRESSES
    if not file.exists():
        return Addresses({})
    try:
        return msgspec.json.decode(file.read_bytes(), type=Addresses)
    except msgspec.DecodeError as wrong:
        raise StackError(f"{file} is not as it was written: {wrong}") from None


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


async def _serve(house: House) -> None:
    try:
        with told("starting the services") as tell:
            # Behind a restored backup the books of years are made first.
            await house.start(math.inf, tell)
        _print(house)
        keeping = [asyncio.create_task(each) for each in (_keep_logs_small(house.home), _keep_stack(house.stack))]
        try:
            await asyncio.gather(*(_keep_running(*each) for each in house.processes.items()))
        finally:
            for each in keeping:
                each.cancel()
    finally:
        await house.stop()


def _print(house: House) -> None:
    where = house.home
    keys = where / "keys"
    print(f"{_READY} Apache Kafka {house.stack.kafka_version}, PostgreSQL {house.stack.postgres_version}")
    for name, what in _PURPOSES.items():
        print(f"  {name:<14}{house.processes[name].url:<24}{what}")
    here = "" if where == default_home() else f" --home {shlex.quote(str(where))}"
    token = house.keys["operator_token"]
    credential = shlex.quote(str(token.relative_to(Path.cwd()) if token.is_relative_to(Path.cwd()) else token))
    print(f"  {'staff':<14}{keys / 'people.txt'}: a login for each role")
    print(f"  {'platform':<14}{token}: a token with every scope")
    print(f"  {'logs':<14}{where / 'logs'}; croupier logs{here}")
    print(f"Five bots at a table: croupier bots --gateway {house.gateway_url} --credential {credential}")
    print(_HOW_TO_STOP, flush=True)


async def _keep_running(name: str, process: ServiceProcess) -> None:
    """Until somebody stops it. Who ends by itself is told and started again, at first at once."""
    pause = 0.0
    while process.process is not None:
        began = time.monotonic()
        how = await process.process.wait()
        pause = 0.0 if time.monotonic() - began > _STEADY_S else min(_LONGEST_PAUSE_S, 2 * pause + 1)
        then = f"starts again in {pause:.0f} s" if pause else "starts again"
        print(f"{name} ended with status {how} and {then}; its log: {process.log}", flush=True)
        await asyncio.sleep(pause)
        await process.start()


async def _keep_stack(stack: Stack) -> None:
    """Starts Kafka and PostgreSQL again where they ended; services wait for them. Never ends by itself."""
    pause, began = 0.0, time.monotonic()
    while True:
        await asyncio.sleep(_LOOK_AT_STACK_S)
        try:
            gone = ended(stack)
        except Exception as wrong:  # of whatever kind: who looks no more starts nothing again, and nobody would know
            print(f"whether Kafka and PostgreSQL run can't be seen: {_said(wrong)}", flush=True)
            continue
        if not gone:
            continue
        pause = 0.0 if time.monotonic() - began > _STEADY_S else min(_LONGEST_PAUSE_S, 2 * pause + 1)
        for name, log in gone.items():
            then = f"starts again in {pause:.0f} s" if pause else "starts again"
            print(f"{name} ended ({_last_line(log)}) and {then}; its log: {log}", flush=True)
        await asyncio.sleep(pause)
        began = time.monotonic()
        try:
            await asyncio.to_thread(up, stack.home)
        except Exception as wrong:  # likewise; a database that dies at its start raises another kind than a broker
            print(f"{', '.join(gone)}: {_said(wrong)}", flush=True)


def _said(wrong: Exception) -> str:
    return str(wrong) if isinstance(wrong, StackError) else f"{type(wrong).__name__} {wrong}"


def _last_line(log: Path) -> str:
    """Where a server says why it ended: `Terminating due to java.lang.OutOfMemoryError: Java heap space`."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return lines[-1][:200] if lines else "without a word"


async def _keep_logs_small(where: Path) -> None:
    while True:
        # The database's, too: whoever reaches its port has 10 kB written by each connection that is refused.
        for file in (*(where / "logs").glob("*.*"), where / "postgres" / "postgres.log"):
            with suppress(OSError):
                rotate(file)
        await asyncio.sleep(_LOOK_AT_LOGS_S)


def rotate(file: Path, most: int = MOST_OF_A_LOG) -> None:
    """Beyond `most` bytes what was written becomes `.1`, in place of an older one, and the file begins anew.

    Whoever writes has it open and appends, so it is copied and cut; lines of the moment in between may be lost."""
    if file.suffix in (".log", ".jsonl", ".out") and file.stat().st_size > most:
        shutil.copyfile(file, fresh := file.with_name(f".{file.name}"))
        os.truncate(file, 0)
        fresh.replace(file.with_name(f"{file.name}.1"))


def _rows(where: Path) -> list[dict[str, Any]]:
    ports = _kept(where).ports
    return [asyncio.run(_row(where, name, *ports[name])) for name in SETTINGS if name in ports]


async def _row(where: Path, name: str, port: int, inner: int) -> dict[str, Any]:
    row: dict[str, Any] = {"name": name, "ready": False, "url": f"http://127.0.0.1:{port}" if name in _PURPOSES else "",
                           "pid": None, "mb": None, "minutes": None, "why": ""}  # fmt: skip
    try:
        process = alive(where / "logs" / f"{name}.pid")
        if process is None:
            return row
        row |= {"pid": process.pid, "mb": process.memory_info().rss // 2**20,
                "minutes": int(time.time() - process.create_time()) // 60}  # fmt: skip
        async with httpx.AsyncClient() as client:
            ready = await client.get(f"http://127.0.0.1:{inner}/health/ready", timeout=3.0)
        row["ready"] = ready.status_code == httpx.codes.OK
        row["why"] = "" if row["ready"] else why_not_ready(ready)
    except (OSError, ValueError, psutil.NoSuchProcess, httpx.HTTPError):
        pass
    return row


def _show(rows: list[dict[str, Any]], console: Console) -> None:
    table = Table(box=None)
    for heading in ("", "", "address", "process", "MB", "minutes", "why"):
        table.add_column(heading, justify="right" if heading in ("process", "MB", "minutes") else "left")
    for row in rows:
        ready = "[green]ready[/green]" if row["ready"] else "[red]not ready[/red]" if row["pid"] else "[red]down[/red]"
        figures = ("" if row[each] is None else str(row[each]) for each in ("pid", "mb", "minutes"))
        table.add_row(row["name"], ready, row["url"], *figures, row["why"])
    console.print(table)


def _lines(files: list[Path], last: int, follow: bool) -> Iterator[str]:
    """The last ones of each file in the order of their time, then what is written."""
    ends: dict[Path, int] = {}
    found: list[str] = []
    for file in files:
        text = file.read_text(errors="replace")
        ends[file] = file.stat().st_size
        found += text.splitlines()[-last:] if last else []
    yield from sorted(found, key=_time_of)
    while follow:
        time.sleep(0.3)
        for file in files:
            start = ends[file] if ends[file] <= file.stat().st_size else 0
            with file.open("rb") as log:
                log.seek(start)
                new = log.read()
            whole = new[: new.rfind(b"\n") + 1]
            ends[file] = start + len(whole)
            yield from whole.decode(errors="replace").splitlines()


def _time_of(line: str) -> str:
    try:
        return str(msgspec.json.decode(line)["timestamp"])
    except (msgspec.DecodeError, KeyError, TypeError):
        return ""
