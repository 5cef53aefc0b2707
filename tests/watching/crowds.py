"""More than comes by itself: commands, connections, sockets."""

import asyncio
import time
from contextlib import suppress

from libs.contracts.topics import REPLIES, Topic, partition_of, topic
from tests.testkit.partitions import PARTITIONS
from tests.testkit.tampering import set_up_otherwise
from tests.watching.drill import Drill
from tests.watching.written import command

_COMMANDS = 16_000
"""A few thousand more than the partition's owner, whoever publishes and the auditor may have before them."""
_PAGE = 500
_STREAMS = [name for name in (f"drill-{n}" for n in range(1_200)) if partition_of(name, PARTITIONS) == 0]
_CONNECTIONS = 8_100
_OF_ONE = 450
"""Of one address; a gateway takes 500."""


async def commands(it: Drill) -> None:
    """In one partition, each to one of many tables that there are not, by many players: nobody has a quota to hit."""
    async with it.writing("gateway") as publisher:
        now = int(time.time() * 1000)
        for first in range(0, _COMMANDS, _PAGE):
            numbers = range(first, first + _PAGE)
            await (
                await publisher.send(
                    [command(it, _STREAMS[n % len(_STREAMS)], n, now, f"drill-{n // len(_STREAMS)}") for n in numbers]
                )
            )


async def commands_unaudited(it: Drill) -> None:
    """While somebody holds what the auditor writes."""
    lock = "begin; lock table audit.journal_heads in access exclusive mode; select pg_sleep(45); commit"
    await asyncio.gather(it.sql(lock), commands(it))


async def commands_untold(it: Drill) -> None:
    """While the broker takes no answer."""
    await _largest(it, REPLIES, 16)
    await commands(it)
    await asyncio.sleep(20)


async def told(it: Drill) -> None:
    await _largest(it, REPLIES)


async def no_commands(it: Drill) -> None:
    """The broker takes none for the wallet, so what tables ask of it comes to nothing: somebody takes a seat."""
    await _largest(it, topic("wallet", "commands"), 16)
    table = it.at.evening.tables[0]
    async with it.writing("gateway") as publisher:
        body = {"reservation": "drill-sits", "amount": table.buy_in}
        await (
            await publisher.send([command(it, table.table, 1, int(time.time() * 1000), "drill-sits", "TakeSeat", body)])
        )
    await asyncio.sleep(30)


async def commands_again(it: Drill) -> None:
    await _largest(it, topic("wallet", "commands"))


async def _largest(it: Drill, each: Topic, size: int | None = None) -> None:
    """Record that the broker takes, bytes; None: as the house has it."""
    config = each.config if size is None else {**each.config, "max.message.bytes": str(size)}
    await set_up_otherwise(it.at.stack, it.at.house.topic_prefix + each.name, config)


async def connections(it: Drill) -> None:
    """From many addresses; each asks once, and stays."""
    lines: list[asyncio.StreamWriter] = []
    port = it.at.house.processes["gateway"].port

    async def come(number: int) -> None:
        local = (f"127.0.2.{1 + number // _OF_ONE}", 0)
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=local, limit=2**10)
            lines.append(writer)
            writer.write(b"GET /v1/rules HTTP/1.1\r\nhost: drill\r\n\r\n")

    try:
        for first in range(0, _CONNECTIONS, 100):
            await asyncio.gather(*(come(number) for number in range(first, first + 100)))
        await asyncio.sleep(12)
    finally:
        for writer in lines:
            writer.transport.abort()
