"""`python -m services.wallet`: decides on accounts, keeps the books, answers for them, until it is told to stop."""

import asyncio
import signal

import uvloop

from libs.telemetry import configure, get_logger
from services.wallet.settings import WalletSettings
from services.wallet.wiring import running


async def serve(settings: WalletSettings) -> None:
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    async with running(settings) as port:
        get_logger(__name__).info("wallet is open", port=port)
        await stop.wait()


def main() -> None:
    configure("wallet")
    uvloop.run(serve(WalletSettings()))


if __name__ == "__main__":
    main()
