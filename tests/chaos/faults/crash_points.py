"""Death at a named place in the code, the second to fifth time that a process comes there (tests/chaos/crashing.py)."""

import asyncio
import signal

from tests.chaos.faults.registry import Fire, add
from tests.chaos.scene import PATIENCE_S, Scene

DECIDING = (
    "decided, not appended",
    "on its way, no word yet",
    "acknowledged, not folded",
    "verdict folded, not answered",
    "answered, offset not committed",
    "offset committed",
    "folded, not published",
    "published, no snapshot",
    "snapshots written, no manifest",
)
PLACES = {
    "table": DECIDING,
    "wallet": (
        "on its way, no word yet",
        "verdict folded, not answered",
        "snapshots written, no manifest",
        "policy sent, offset not committed",
        "books written, not committed",
        "books committed, not noted",
    ),
    "gateway": ("asked, not sent", "sent, not answered", "reply read, not passed on"),
}
RESTORING = ("about to restore", "restored, not read to the end")


def _dies(service: str, place: str) -> Fire:
    async def fire(scene: Scene) -> None:
        process = scene.house.processes[service]
        scene.down.add(service)
        arm = scene.house.home / f"{service}.arm"
        arm.write_text(f"{place}:{scene.dice.randint(2, 5)}")
        process.send(signal.SIGUSR1)
        assert process.process is not None
        async with asyncio.timeout(PATIENCE_S):
            status = await process.process.wait()
        assert status == -signal.SIGKILL, f"{service} ended with {status} and was not killed at: {place}"
        scene.now()
        await scene.again(service)
        scene.down.discard(service)

    return fire


def _dies_restoring(place: str) -> Fire:
    async def fire(scene: Scene) -> None:
        process = scene.house.processes["table"]
        scene.down.add("table")
        await process.kill()
        scene.now()
        process.environment["CHAOS_CRASH_AT"] = f"{place}:{scene.dice.randint(1, 4)}"
        try:
            await process.start()
            assert process.process is not None
            async with asyncio.timeout(PATIENCE_S):
                status = await process.process.wait()
        finally:
            del process.environment["CHAOS_CRASH_AT"]
        assert status == -signal.SIGKILL, f"the table ended with {status} and was not killed at: {place}"
        await scene.again("table")
        scene.down.discard("table")

    return fire


for _service, _places in PLACES.items():
    for _place in _places:
        add(
            f"{_service} dies: {_place}",
            _dies(_service, _place),
            group="table dies" if _service == "table" else "others die",
            why=f"SIGKILL at the named place: {_place}.",
        )
for _place in RESTORING:
    add(
        f"table dies: {_place}",
        _dies_restoring(_place),
        group="table dies",
        why=f"Killed, and again while it comes back: {_place}.",
    )
