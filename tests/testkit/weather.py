"""The network of one simulated process: what may happen to its requests, how often, and a count of what did."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.testkit.simulated import Fate, Faults

SWIFT = Fate(before_s=0.001)
"""What becomes of a request once everything is whole again."""


@dataclass(frozen=True, slots=True)
class Climate:
    """Chances (0 to 1) per request, and seconds. Requests that are `late` outlast the caller's patience."""

    lost: float = 0.03
    answer_lost: float = 0.04
    place_unknown: float = 0.06
    lands_twice: float = 0.03
    late: float = 0.05
    latest_s: float = 30.0
    slow_answer: float = 0.03
    slowest_s: float = 5.0
    read_lost: float = 0.01
    read_slow: float = 0.02

    def milder(self, factor: float) -> "Climate":
        """The same faults, each `factor` times as often."""
        return Climate(
            self.lost * factor,
            self.answer_lost * factor,
            self.place_unknown * factor,
            self.lands_twice * factor,
            self.late * factor,
            self.latest_s,
            self.slow_answer * factor,
            self.slowest_s,
            self.read_lost * factor,
            self.read_slow * factor,
        )


@dataclass(slots=True)
class Sky:
    """What all processes of one world share: whether it is healed, and how often each kind of fault was fired."""

    healed: bool = False
    fired: Counter[str] = field(default_factory=Counter)


class Weather(Faults):
    """Draws the fate of each request from its own dice, so that one process's luck never moves another's."""

    def __init__(self, sky: Sky, random: Random, climate: Climate) -> None:
        self.sky = sky
        self.random = random
        self.climate = climate
        self.speed = random.choice([0.3, 1.0, 1.0, 4.0])

    def append(self, topic: str, partition: int) -> Fate:
        if self.sky.healed:
            return SWIFT
        climate = self.climate
        return Fate(
            lost=self._strikes(climate.lost, "request lost"),
            before_s=self._delay(climate.late, climate.latest_s, "late landing"),
            after_s=self._delay(climate.slow_answer, climate.slowest_s, "slow answer"),
            answer_lost=self._strikes(climate.answer_lost, "response lost"),
            place_unknown=self._strikes(climate.place_unknown, "place unknown"),
            **self._again(),
        )

    def publish(self, topic: str) -> Fate:
        if self.sky.healed:
            return SWIFT
        climate = self.climate
        return Fate(
            lost=self._strikes(climate.lost, "request lost"),
            before_s=self._delay(climate.late, climate.latest_s / 4, "late landing"),
            after_s=self._delay(climate.slow_answer, climate.slowest_s, "slow answer"),
            answer_lost=self._strikes(climate.answer_lost / 2, "response lost"),
            **self._again(),
        )

    def read(self, topic: str, partition: int) -> Fate:
        if self.sky.healed:
            return SWIFT
        climate = self.climate
        return Fate(
            before_s=self._delay(climate.read_slow, 3.0, "slow read"),
            lost=self._strikes(climate.read_lost, "read lost"),
        )

    def _again(self) -> dict[str, Any]:
        """At once, or so late that others have written meanwhile."""
        if not self._strikes(self.climate.lands_twice, "landed twice"):
            return {}
        late = self.random.random() < 0.5 and self._strikes(1.0, "landed again late")
        return {"lands_twice": True, "again_s": self.random.uniform(0.0, self.climate.latest_s) if late else 0.0}

    def _strikes(self, chance: float, kind: str) -> bool:
        if self.random.random() >= chance:
            return False
        self.sky.fired[kind] += 1
        return True

    def _delay(self, chance: float, longest: float, kind: str) -> float:
        if self.random.random() < chance:
            self.sky.fired[kind] += 1
            return self.random.uniform(0.3, longest)
        usual = self.random.uniform(-0.004, 0.004) * self.speed
        return max(0.0, usual)  # at once, half of the time: that spares the loop a timer
