"""`python -m libs.door`: the platforms' door as a process."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from libs.door.door import Door
from libs.door.settings import DoorSettings
from libs.edge.health import inner_app
from libs.edge.process import run_until_told
from libs.edge.serve import serving_inside
from libs.telemetry import configure


@asynccontextmanager
async def running(settings: DoorSettings) -> AsyncIterator[None]:
    most = settings.door_connections, settings.door_address_connections, settings.door_login_connections
    door = Door(*most, settings.shows(), settings.trusts())
    async with AsyncExitStack() as open_:
        for each in settings.doorways():
            await open_.enter_async_context(door.open(each))
        inner = inner_app(
            {"broker": partial(_away, door, len(settings.door_routes))}, {"brokers": partial(_away, door, 1)}
        )
        await open_.enter_async_context(serving_inside(inner, settings))
        yield


async def _away(door: Door, least: int) -> str | None:
    """Which brokers can't be reached, where `least` of them can't."""
    away = await door.away()
    return f"can't be reached: {', '.join(away)}" if len(away) >= least else None


def main() -> None:
    configure("door")
    run_until_told("door", running(DoorSettings()))


if __name__ == "__main__":
    main()
