"""The toy bank as a process of its own, for tests that stop and kill it: `python -m tests.journal.bank_process …`."""

import asyncio
import secrets
import sys

from msgspec.structs import replace

from libs.broker import BrokerSettings
from libs.journal.runner import Pace
from libs.journal.service import DeciderService
from tests.journal.bank import bank, publish
from tests.testkit.marks import WALLET
from tests.testkit.partitions import PARTITIONS


def service(prefix: str, writer: str, instance: str | None) -> DeciderService:
    """The bank under the wallet's topic names."""

    def publish_there(*args):
        return [replace(record, topic=f"{prefix}croupier.wallet.events.v1") for record in publish(*args)]

    return DeciderService(
        bank(service="wallet", horizon_ms=600_000, fresh=lambda state, command: secrets.randbelow(1000)),
        publish_there,
        broker=BrokerSettings().broker,
        marks=WALLET,
        partitions=PARTITIONS,
        prefix=prefix,
        writer=writer,
        instance=instance,
        pace=Pace(patience_s=2.0, snapshot_commits=20, snapshot_s=0.5),
    )


async def main(prefix: str, writer: str, instance: str = "") -> None:
    running = service(prefix, writer, instance or None)
    task = asyncio.create_task(running.run())
    while not (running.is_ready and running.partitions):
        await asyncio.wait([task], timeout=0.02)
        if task.done():
            break
    print("ready", *sorted(running.partitions), flush=True)
    await task


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
