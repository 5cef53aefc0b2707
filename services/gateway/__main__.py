"""`python -m services.gateway`: runs until it is told to stop."""

import asyncio
import signal
import sys

import uvloop

from libs.telemetry import configure, get_logger
from services.gateway.keys import BadKey
from services.gateway.settings import Settings
from services.gateway.wiring import running


async def serve(settings: Settings) -> None:
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    async with running(settings) as port:
        get_logger(__name__).info("gateway is open", port=port)
        await stop.wait()


def main() -> None:
    configure("gateway")
    try:
        uvloop.run(serve(Settings()))
    except BadKey as wrong:
        sys.exit(f"gateway: {wrong}")


if __name__ == "__main__":
    main()
