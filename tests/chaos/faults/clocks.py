"""Clocks that jump (libfaketime): a decision's time is the broker's, so no service's clock may make a difference."""

import asyncio

from tests.chaos.clocks import library
from tests.chaos.faults.registry import Fire, add
from tests.chaos.scene import Plan, Scene


def _cannot() -> str | None:
    return None if library() else "the wheel libfaketime carries no library for this platform"


def _jumps(service: str, least: int, most: int) -> Fire:
    async def fire(scene: Scene) -> None:
        scene.clocks[service].put(scene.dice.choice((-1, 1)) * scene.dice.randint(least, most))
        scene.now()
        try:
            await asyncio.sleep(2 + scene.dice.random())
        finally:
            scene.clocks[service].put(0)

    return fire


for _service, _least, _most in (("table", 5, 3_600), ("wallet", 5, 3_600), ("gateway", 1, 4)):
    add(
        f"{_service} clock jumps",
        _jumps(_service, _least, _most),
        plan=Plan(clocks=(_service,)),
        group="clocks",
        cannot=_cannot,
        why=f"The {_service}'s clock is {_least} to {_most} s off, either way, for two to three seconds.",
    )
