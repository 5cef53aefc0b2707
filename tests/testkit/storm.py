"""Who owns what for how long: owners are killed, put to sleep, left alive beside their successor, or only held up."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.testkit.process import Process
from tests.testkit.weather import Sky

Start = Callable[[], Process]


@dataclass(frozen=True, slots=True)
class Churn:
    """How restless ownership is: seconds between two events of one owner, and the chances of each kind."""

    every_s: float = 2.0
    crash: float = 1.0
    sleep: float = 1.0
    live: float = 1.0
    nap: float = 1.0
    longest_sleep_s: float = 30.0


class Storm:
    """Runs until `heal`. Every process that it ever started is in `processes`."""

    def __init__(self, sky: Sky, random: Random, churn: Churn) -> None:
        self.sky = sky
        self.random = random
        self.churn = churn
        self.processes: list[Process] = []
        self.owners: dict[Start, Process] = {}
        """Who owns each post now, by what starts an owner of it."""
        self._fates: list[asyncio.Task[None]] = []

    async def own(self, start: Start, calmer: float = 1.0) -> None:
        """One post: a new owner now and then, the old one dead, asleep or still alive. Runs until cancelled.

        `calmer`: how many times as long an owner of this post lives.
        """
        random, churn = self.random, self.churn
        owner = self.owners.get(start) or self._started(start)
        weights = [churn.crash, churn.sleep, churn.live, churn.nap]
        while True:
            await asyncio.sleep(random.expovariate(1 / (calmer * churn.every_s)))
            fate = random.choices(["crash", "zombie", "two owners", "pause"], weights)[0]
            self.sky.fired[fate] += 1
            if fate == "pause":
                self._later(self._sleep(owner, random.uniform(0.1, 3.0), None))
                continue
            del self.owners[start]  # its days are numbered
            if fate == "crash":
                owner.kill()
            elif fate == "zombie":
                asleep = random.uniform(1.0, churn.longest_sleep_s)
                self._later(self._sleep(owner, asleep, random.uniform(0.5, 5.0)))
            else:
                self._later(self._sleep(owner, 0.0, random.uniform(0.1, 8.0)))
            if random.random() < 0.3:
                await asyncio.sleep(random.uniform(0.0, 2.0))
            owner = self._started(start)

    def adopt(self, process: Process) -> Process:
        self.processes.append(process)
        return process

    def awake(self) -> None:
        """Lets every sleeper go on: zombies wake up with a whole network once more."""
        for process in self.processes:
            if not process.dead:
                process.gate.release()

    def end(self, keep: bool = False) -> None:
        """Kills everybody, or everybody but the present owners. Raises what one of them had died of by itself."""
        kept = set(self.owners.values()) if keep else set()
        for process in self.processes:
            process.check()
            if process not in kept:
                process.kill()

    def settle(self, posts: Iterable[Start]) -> None:
        """One living owner for each post; they stay."""
        for start in posts:
            if start not in self.owners or self.owners[start].dead:
                self._started(start)

    def _started(self, start: Start) -> Process:
        self.owners[start] = process = self.adopt(start())
        return process

    def _later(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._fates.append(asyncio.create_task(coroutine))

    async def _sleep(self, process: Process, seconds: float, then_lives: float | None) -> None:
        process.gate.hold()
        await asyncio.sleep(seconds)
        if process.dead:
            return
        process.gate.release()
        if then_lives is not None:
            await asyncio.sleep(then_lives)
            process.kill()
