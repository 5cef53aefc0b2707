"""What can be killed, and how it comes back. Every function leaves the part running again."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from libs.stack import Stack, running, up
from services.cli.house import House


@dataclass(frozen=True, slots=True)
class Scene:
    house: House
    stack: Stack


Fault = Callable[[Scene], Awaitable[None]]


def killed(service: str) -> Fault:
    """SIGKILL of a service, then the same process again, as an orchestrator would."""

    async def fault(scene: Scene) -> None:
        process = scene.house.processes[service]
        await process.kill()
        await process.start()
        await process.ready()

    return fault


def told_to_stop(service: str) -> Fault:
    """SIGTERM in the middle of play: a rolling restart."""

    async def fault(scene: Scene) -> None:
        process = scene.house.processes[service]
        await process.stop()
        await process.start()
        await process.ready()

    return fault


async def broker_killed(scene: Scene) -> None:
    """SIGKILL of Kafka; nobody is told, clients find out."""
    now = await asyncio.to_thread(running, scene.stack.home)
    assert now is not None, "the broker was up"
    _kill([psutil.Process(pid) for pid in now.kafka_pids])
    await asyncio.to_thread(up, scene.stack.home)


async def database_killed(scene: Scene) -> None:
    """SIGKILL of every PostgreSQL process at once, as a power cut would."""
    postmaster = psutil.Process(int((_data(scene.stack.home) / "postmaster.pid").read_text().split()[0]))
    _kill([*postmaster.children(recursive=True), postmaster])
    await asyncio.to_thread(up, scene.stack.home)


async def all_at_once(scene: Scene) -> None:
    """Every service, the broker and the database; then a cold start."""
    for process in scene.house.processes.values():
        await process.kill()
    await broker_killed(scene)
    await database_killed(scene)
    await scene.house.start()


def _kill(processes: list[psutil.Process]) -> None:
    """SIGKILL, and gone before anything is started in their place."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=10)


def _data(home: Path) -> Path:
    return next(home.rglob("postmaster.pid")).parent


FAULTS: dict[str, Fault] = {
    "table killed": killed("table"),
    "wallet killed": killed("wallet"),
    "gateway killed": killed("gateway"),
    "audit killed": killed("audit"),
    "table told to stop": told_to_stop("table"),
    "broker killed": broker_killed,
    "database killed": database_killed,
    "all at once": all_at_once,
}
