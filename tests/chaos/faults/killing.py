"""SIGKILL and SIGTERM: of services, of the broker, of the database, of everything."""

import asyncio
from contextlib import suppress
from pathlib import Path

import psutil

from libs.stack import kafka, up
from libs.stack.home import Home
from tests.chaos.faults.registry import Fire, add, fault
from tests.chaos.scene import Scene, opened

_LONGER_THAN_A_REQUEST_S = 45.0
SERVICES = ("table", "wallet", "gateway", "audit")


def _killed(service: str) -> Fire:
    async def fire(scene: Scene) -> None:
        await scene.house.processes[service].kill()
        scene.now()
        await scene.again(service)

    return fire


for _service in SERVICES:
    add(
        f"{_service} killed",
        _killed(_service),
        group="services killed",
        why=f"SIGKILL of the {_service} service at random; started again.",
    )


@fault("table told to stop", group="services killed")
async def told_to_stop(scene: Scene) -> None:
    """SIGTERM in the middle of play, as in a rolling restart."""
    scene.now()
    await scene.house.processes["table"].stop()
    await scene.again("table")


@fault("broker killed")
async def broker_killed(scene: Scene) -> None:
    """SIGKILL of Kafka; nobody is told, clients find out; started again."""
    kill_broker(scene)
    scene.now()
    await asyncio.to_thread(up, scene.stack.home)


@fault("broker told to stop", counted_from="mended")
async def broker_told_to_stop(scene: Scene) -> None:
    """SIGTERM of Kafka, as of its pod: the only broker says that nobody leads anything, and is gone; started again."""
    await asyncio.to_thread(kafka.stop, Home(scene.stack.home), 1)
    scene.now()
    await asyncio.to_thread(up, scene.stack.home)


@fault("broker away for long", counted_from="mended")
async def broker_away(scene: Scene) -> None:
    """SIGKILL of Kafka while somebody leaves a table; away for longer than a client waits for one request."""
    bot = scene.dice.choice(scene.evening.bots)
    leaving = asyncio.create_task(scene.evening.operator.remove_player(bot.table, bot.name, "a break for the night"))
    await asyncio.sleep(scene.dice.random())
    kill_broker(scene)
    await asyncio.sleep(_LONGER_THAN_A_REQUEST_S)
    scene.now()
    await asyncio.to_thread(up, scene.stack.home)
    await asyncio.gather(leaving, return_exceptions=True)


@fault("database killed", group="hanging")
async def database_killed(scene: Scene) -> None:
    """SIGKILL of every PostgreSQL process at once, as a power cut would; started again."""
    kill_database(scene)
    scene.now()
    await asyncio.to_thread(up, scene.stack.home)


@fault("all at once")
async def all_at_once(scene: Scene) -> None:
    """Every service, the broker and the database; then a cold start."""
    for process in scene.house.processes.values():
        await process.kill()
    kill_broker(scene)
    kill_database(scene)
    scene.now()
    await asyncio.to_thread(up, scene.stack.home)
    await opened(scene.house)


def kill_broker(scene: Scene) -> None:
    kill([psutil.Process(pid) for pid in broker_pids(scene.stack.home, scene.stack.nodes)])


def broker_pids(home: Path, nodes: int) -> list[int]:
    found = (kafka.pid(Home(home), node) for node in range(1, nodes + 1))
    return [pid for pid in found if pid is not None]


def postmaster(home: Path) -> psutil.Process:
    file = Home(home).postgres / "data" / "postmaster.pid"
    return psutil.Process(int(file.read_text().split()[0]))


def kill_database(scene: Scene) -> None:
    server = postmaster(scene.stack.home)
    kill([*server.children(recursive=True), server])


def kill(processes: list[psutil.Process]) -> None:
    """SIGKILL, and gone before anything is started in their place."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=10)
