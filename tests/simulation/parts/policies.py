"""A service's policies on one partition: the product's handler and reactions, read and committed as the router does."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from libs.contracts.messages import CommandMessage
from libs.journal.intake import Parked
from libs.journal.log import LogUnavailable, OutRecord, Publisher
from libs.journal.positions import back
from libs.policies import Handler, Reactions
from tests.testkit.partitions import partition_of
from tests.testkit.process import Process
from tests.testkit.simulated import PostLost, SimulatedSource

_PATIENCE_S = 2.0
_PAUSE_S = 0.25
_WAIT_MS = 10_000


class PolicyReader:
    """At least once: the offset is committed after the commands are acknowledged."""

    def __init__(
        self, process: Process, group: str, source: str, partition: int, commands: str, parked: str,
        reactions: Reactions, rests_s: Callable[[], float] = lambda: 0.0,
    ) -> None:  # fmt: skip
        """`rests_s`: how long it does nothing before it reads on, as one that is behind."""
        self._rests_s = rests_s
        self._process = process
        self._place = (group, source, partition)
        self._commands = commands
        self._parked = parked
        self._handler = Handler(reactions, self._send, self._park)
        self._publisher: Publisher | None = None
        self._out: list[OutRecord] = []

    async def run(self) -> None:
        while True:
            try:
                await self._follow()
            except (LogUnavailable, PostLost, ConnectionError):
                self._publisher = None
                await asyncio.sleep(_PAUSE_S)

    async def _follow(self) -> None:
        source = SimulatedSource(self._process.log, *self._place)
        await source.learn()
        await source.begin_at(back(self._process.log.broker.now_ms()))
        while True:
            await asyncio.sleep(self._rests_s())
            fetched = await source.read(50, _WAIT_MS)
            self._out = []
            for record in fetched.records:
                await self._handler.handle(record)
            if self._out:
                await self._publish()
            await source.commit(fetched.position)  # also where nothing has come: that says that an owner lives

    async def _send(self, command: CommandMessage, headers: Mapping[str, str]) -> None:
        kept = tuple((name, value.encode()) for name, value in headers.items())
        value, key = command.encoded(), command.stream.encode()
        self._out.append(
            OutRecord(
                self._commands, key, value, kept, partition_of(command.stream, self._process.log.broker.partitions)
            )
        )

    async def _park(self, record: Any, why: Parked) -> None:
        self._out.append(OutRecord(self._parked, record.key or b"", record.value, (), 0))

    async def _publish(self) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                if self._publisher is None:
                    self._publisher = await self._process.log.publisher()
                await (await self._publisher.send(self._out))
        except TimeoutError:
            raise LogUnavailable("a command was not acknowledged in time") from None
