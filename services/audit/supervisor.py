"""Keeps the auditor's parts running: what passes by itself is tried again, whatever else a part raises is raised."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import asyncpg
from aiokafka.errors import KafkaConnectionError, KafkaError, NodeNotReadyError, RequestTimedOutError

from libs.journal.kafka_cluster import Cluster
from libs.journal.log import LogUnavailable
from libs.projecting import Part, Parts
from libs.projecting.parts import PATIENCE_S
from libs.projecting.projector import PASSING, passes
from libs.telemetry import get_logger

_PAUSE_S = 1.0
_SOUND_S = 60.0
"""A part that has run for so long after a fault is held up no more."""
_BROKER_AWAY = (NodeNotReadyError, KafkaConnectionError, RequestTimedOutError)
"""That passes by itself, as what the database says of the same kind."""
TRANSIENT = (*PASSING, LogUnavailable, KafkaError, asyncpg.PostgresError)
Look = Callable[[], Awaitable[object]]
_log = get_logger(__name__)


class Supervisor(Parts):
    """Of one process; what stands or is held up is told by `why_not`."""

    async def again(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Runs `work` again after what passes by itself; anything else is raised.

        Of what the database says only that it is away or another was faster passes; the rest is told at once.
        """
        loop, part = asyncio.get_running_loop(), self.part(name)
        try:
            while True:
                sound = loop.call_later(_SOUND_S, part.sound)
                try:
                    return await work()
                except TRANSIENT as wrong:
                    if (task := asyncio.current_task()) is not None and task.cancelling():
                        raise asyncio.CancelledError from wrong  # told to end, and it came to that on its way out
                    by_itself = passes(wrong) or isinstance(wrong, _BROKER_AWAY)
                    part.failed(wrong, passes=by_itself)
                    log = _log.warning if by_itself else _log.error
                    log("starts over" if by_itself else "held up", part=name, error=type(wrong).__name__)
                    await asyncio.sleep(_PAUSE_S)
                finally:
                    sound.cancel()
        finally:
            self.forget(name)

    async def every(
        self,
        name: str,
        look: Look,
        every_s: float,
        patience_s: float = PATIENCE_S,
        first_s: float = 0.0,
    ) -> None:
        """Each look is a step, and may take `patience_s`; the first one comes after `first_s`."""
        part = self.part(name, patience_s)
        await asyncio.sleep(first_s)

        await self.again(name, partial(_looking, look, every_s, part))


async def looking_at(cluster: Cluster, look: Look, every_s: float, part: Part) -> None:
    """Looks at the broker until cancelled; `part` is told of each look, and whatever it raises is raised."""
    await cluster.join()
    try:
        await _looking(look, every_s, part)
    finally:
        cluster.leave()


async def _looking(look: Look, every_s: float, part: Part) -> None:
    while True:
        with part.step():
            await look()
        await asyncio.sleep(every_s)
