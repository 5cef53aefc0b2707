"""SIGSTOP and SIGCONT: who stands still is thought dead, and wakes up not knowing."""

import asyncio
import signal

import psutil

from tests.chaos.faults.killing import broker_pids, postmaster
from tests.chaos.faults.registry import Fire, add, fault
from tests.chaos.scene import Plan, Scene

_LONGER_THAN_A_SESSION_S = 5.0


def _zombie(service: str) -> Fire:
    async def fire(scene: Scene) -> None:
        sleeper = scene.dice.choice((service, f"{service}-2"))
        scene.house.processes[sleeper].send(signal.SIGSTOP)
        scene.now()
        try:
            await asyncio.sleep(_LONGER_THAN_A_SESSION_S + scene.dice.random())
        finally:
            scene.house.processes[sleeper].send(signal.SIGCONT)

    return fire


for _service in ("table", "wallet"):
    add(
        f"{_service} zombie",
        _zombie(_service),
        plan=Plan(second=(_service,), tables=6, bots=2),  # six tables: one at least in every partition
        group="zombies",
        why=f"One of two {_service} processes stands still for longer than its session, then wakes up as a zombie.",
    )


@fault("gateway hangs", group="hanging")
async def gateway_hangs(scene: Scene) -> None:
    """Stands still for one to three seconds."""
    await _stands_still(scene, [scene.house.processes["gateway"].process.pid])  # type: ignore[union-attr]


@fault("broker hangs", group="hanging")
async def broker_hangs(scene: Scene) -> None:
    """Kafka stands still for one to three seconds: requests neither fail nor are answered."""
    await _stands_still(scene, broker_pids(scene.stack.home, scene.stack.nodes))


@fault("database hangs", group="hanging")
async def database_hangs(scene: Scene) -> None:
    """Every PostgreSQL process stands still for one to three seconds."""
    server = postmaster(scene.stack.home)
    await _stands_still(scene, [server.pid, *(each.pid for each in server.children(recursive=True))])


async def _stands_still(scene: Scene, pids: list[int]) -> None:
    processes = [psutil.Process(pid) for pid in pids]
    for process in processes:
        process.suspend()
    scene.now()
    try:
        await asyncio.sleep(1 + 2 * scene.dice.random())
    finally:
        for process in processes:
            process.resume()
