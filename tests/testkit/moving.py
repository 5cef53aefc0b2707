"""A mover in a process of its own, the moments at which tests kill it, and what has to be the same after a move."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg

from libs.contracts.topics import topic
from libs.journal.fold import PartitionFold
from libs.journal.kafka_log import KafkaLog
from libs.journal.machine import journal_name
from libs.journal.mark_keys import marks_in
from libs.journal.tail import end_of
from libs.stack import Stack
from libs.stack.provision import inspect
from services.cli.house import House
from services.cli.journals import records

Moment = Callable[[], Awaitable[bool]]
SERVICES = ("table", "wallet", "tournament")


class Mover:
    """`croupier house move` of a house to so many partitions."""

    def __init__(self, old: House, to: str, partitions: int, database: str, folder: Path) -> None:
        self.folder, self.partitions, self._to = folder, partitions, to
        self._stack, self._log = old.stack, KafkaLog(old.stack.admin, marks_in(old.marks_file("inspector")))
        self.process: asyncio.subprocess.Process | None = None
        self._words = (
            *("house", "move", str(folder), "--partitions", str(partitions), "--to", to, "--json"),
            *("--keys", str(old.home / "keys")),
        )
        told = {name: value for name, value in old.inspecting().items() if not name.startswith("KAFKA_")}
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("KAFKA_")},
            **told,
            "CROUPIER_HOME": str(old.stack.home),
            "CROUPIER_NEW_DATABASE_URL": database,
        }

    async def _start(self, *more: str) -> asyncio.subprocess.Process:
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "services.cli", *self._words, *more),
            env=self._environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        return self.process

    async def killed_at(self, moment: Moment, patience_s: float = 120.0) -> None:
        """SIGKILL at this moment, which is not what a run before has left; a mover that ends before it is a failure."""
        process, come = await self._start(), [True]
        async with asyncio.timeout(patience_s):
            while process.returncode is None and come[-2:] != [False, True]:
                come.append(await moment())
                await asyncio.sleep(0.01)
        assert process.returncode is None, (await process.communicate())[1].decode()
        process.send_signal(signal.SIGKILL)
        await process.communicate()
        assert process.returncode == -signal.SIGKILL

    async def run(self, *more: str) -> Any:
        process = await self._start(*more)
        out, wrong = await process.communicate()
        assert process.returncode == 0, wrong.decode()
        return json.loads(out)

    async def refused(self, *more: str) -> str:
        process = await self._start(*more)
        _, wrong = await process.communicate()
        assert process.returncode == 1
        return wrong.decode()

    def moments(self) -> dict[str, Moment]:
        """Five points of a move, in their order."""
        return {
            "copying": lambda: there(self.folder / "old"),
            "half is made anew": self._half_made,
            "topics are made": lambda: topics_there(self._stack, self._to),
            "journals are written": lambda: self._journals(lambda end, wanted: end > 0),
            "journals are read back": lambda: self._journals(lambda end, wanted: end == wanted > 0),
        }

    async def _half_made(self) -> bool:
        old, new = size_of(self.folder / "old"), size_of(self.folder / "new")
        return 2 * new >= old > 0

    async def _journals(self, reached: Callable[[int, int], bool]) -> bool:
        """Of one that is written late; `reached` is told where it ends and where it is to end."""
        name = self._to + topic("wallet", "journal").name
        if not await topics_there(self._stack, self._to):
            return False
        made = json.loads((self.folder / "new" / "manifest.json").read_bytes())["backup"]
        wanted = sum(each["end"] for each in made["parts"] if each["topic"] == name)
        return reached(sum([await end_of(self._log, name, n) for n in range(self.partitions)]), wanted)


async def there(folder: Path) -> bool:
    """It has begun to fill."""
    return any(folder.glob("*.records"))  # noqa: ASYNC240 - a look, and nothing else runs


def size_of(folder: Path) -> int:
    """Bytes of the records that lie there."""
    return sum(file.stat().st_size for file in folder.glob("*.records"))


async def topics_there(stack: Stack, to: str) -> bool:
    return all(each.partitions for each in await inspect(stack.admin, to))


async def settled(database: str, patience_s: float = 60.0) -> None:
    """Nothing comes any more."""
    seen, books = None, await books_in(database)
    async with asyncio.timeout(patience_s):
        while seen != books:
            await asyncio.sleep(2)
            seen, books = books, await books_in(database)


_BOOKS = """
select count(*) as rows, coalesce(sum(('x' || left(md5(t::text), 15))::bit(60)::bigint), 0)::text as digest
from wallet.{table} t
"""


async def books_in(database: str) -> dict[str, tuple[int, str]]:
    """Of balances, statements and void rounds how many rows there are, and a digest over all, whatever their order."""
    connection = await asyncpg.connect(database)
    try:
        tables = ("accounts", "sittings", "rake_accounts", "transfers")
        found = {}
        for each in tables:
            [row] = await connection.fetch(_BOOKS.format(table=each))
            found[each] = (row["rows"], row["digest"])
        return found
    finally:
        await connection.close()


async def chains_of(house: House, partitions: int, void: bool = True) -> dict[str, tuple[int, bytes]]:
    """Version and digest of every stream, by the rule alone. `void`: whether there may be commits that do not count."""
    log = KafkaLog(house.stack.admin, marks_in(house.marks_file("inspector")))
    found: dict[str, tuple[int, bytes]] = {}
    for service in SERVICES:
        for number in range(partitions):
            fold: PartitionFold[Any, Any] = PartitionFold(number, partitions, journal_name(service), None)
            async for record in records(log, house.topic_prefix + topic(service, "journal").name, number):
                assert fold.fold(record).valid or void
            found |= {stream: (head.version, head.prev) for stream, head in fold.heads.items()}
    return found
