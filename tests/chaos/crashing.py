"""Runs a service that can be told to die at a named place: `python -m tests.chaos.crashing services.table`.

The places are wrapped from outside, here, so the code that ships knows nothing of them. A process is armed while it
runs (SIGUSR1, after the name of the place and a count were written into the file `CHAOS_ARM`) or from its start
(`CHAOS_CRASH_AT=place:count`). The `count`th time that it comes to the place it kills itself with SIGKILL.
"""

import asyncio
import functools
import inspect
import os
import runpy
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiokafka import AIOKafkaConsumer

from libs.journal import follower, manifests, runner
from libs.journal.kafka_cluster import Cluster
from libs.journal.kafka_group import KafkaGroup
from libs.journal.kafka_log import KafkaAppender
from libs.journal.runner import Pace
from libs.journal.service import DeciderService
from libs.projecting.projector import Projector

QUICK = Pace(snapshot_commits=200, snapshot_s=1.0)
"""Snapshots come every second here, or a round would wait ten for one."""
Wrap = Callable[[str], None]
_armed: dict[str, int] = {}


def passing(place: str) -> None:
    """Dies here if it is time to."""
    if place not in _armed:
        return
    _armed[place] -= 1
    if _armed[place] <= 0:
        os.kill(os.getpid(), signal.SIGKILL)


def _around(owner: Any, name: str, before: str = "", after: str = "") -> None:
    """Makes a method or a function pass a place on its way in or out."""
    inner = getattr(owner, name)

    if inspect.iscoroutinefunction(inner):

        @functools.wraps(inner)
        async def waited(*args: Any, **options: Any) -> Any:
            passing(before)
            done = await inner(*args, **options)
            passing(after)
            return done

        setattr(owner, name, waited)
        return

    @functools.wraps(inner)
    def called(*args: Any, **options: Any) -> Any:
        passing(before)
        done = inner(*args, **options)
        passing(after)
        return done

    setattr(owner, name, called)


def _journal() -> None:
    _around(KafkaAppender, "append", before="decided, not appended", after="acknowledged, not folded")
    _around(runner.PartitionRunner, "_answer_from_commit", before="verdict folded, not answered")
    _around(KafkaGroup, "commit", before="answered, offset not committed", after="offset committed")
    _around(follower.Follower, "take", before="folded, not published")
    _around(follower.Follower, "_write_snapshots", before="published, no snapshot")
    _around(manifests.ManifestWriter, "write", before="snapshots written, no manifest")
    _around(runner, "restore", before="about to restore", after="restored, not read to the end")


def _sending() -> None:
    inner = Cluster.call

    async def call(self: Any, node: int, lane: str, request: Any) -> Any:
        if lane != "produce" or "on its way, no word yet" not in _armed:
            return await inner(self, node, lane, request)
        answer = asyncio.create_task(inner(self, node, lane, request))
        await asyncio.sleep(0.001)
        passing("on its way, no word yet")
        return await answer

    Cluster.call = call  # type: ignore[method-assign]


def _reading() -> None:
    _around(Projector, "_note", before="books committed, not noted")
    inner = AIOKafkaConsumer.commit

    async def commit(self: Any, offsets: Any = None) -> None:
        if str(self._group_id).endswith("-policies"):
            passing("policy sent, offset not committed")
        await inner(self, offsets)

    AIOKafkaConsumer.commit = commit


def _wallet() -> None:
    from services.wallet.projections.ledger import Ledger

    _around(Ledger, "apply", after="books written, not committed")


def _gateway() -> None:
    from services.gateway.app.commands import CommandDesk
    from services.gateway.kafka.sends_commands import KafkaSender

    _around(KafkaSender, "send", before="asked, not sent", after="sent, not answered")
    _around(CommandDesk, "hear", before="reply read, not passed on")


def _quick_snapshots() -> None:
    inner = DeciderService.__init__

    @functools.wraps(inner)
    def made(self: Any, *args: Any, **options: Any) -> None:
        inner(self, *args, **{"pace": QUICK, **options})

    DeciderService.__init__ = made  # type: ignore[method-assign]


def arm(text: str) -> None:
    """`place:count`."""
    place, _, count = text.rpartition(":")
    _armed[place] = int(count)


def main(service: str) -> None:
    _journal()
    _sending()
    _reading()
    _quick_snapshots()
    {"services.wallet": _wallet, "services.gateway": _gateway}.get(service, lambda: None)()
    signal.signal(signal.SIGUSR1, lambda *_: arm(Path(os.environ["CHAOS_ARM"]).read_text()))
    if at := os.environ.get("CHAOS_CRASH_AT"):
        arm(at)
    sys.argv = [service]
    runpy.run_module(service, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1])
