"""What one seed is: how long, how many, how bad the weather, how restless the owners. All of it out of the seed."""

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from libs.contracts.topics import PARTITIONS, partition_of
from libs.contracts.wallet_commands import account_id
from libs.journal.machine import AnyMachine
from libs.testkit.storm import Churn
from libs.testkit.weather import Climate

EPOCH_MS = 1_700_000_000_000
_SHORT_MS = 8_000
LATEST_S = 15.0
"""No request lands later than this after it was sent."""


def names_in(partition: int, stem: str, count: int, stream: str = "{}") -> list[str]:
    """The first `count` names whose stream lies in this partition: few partitions are in use, so few owners run."""
    found: list[str] = []
    number = 0
    while len(found) < count:
        number += 1
        if partition_of(stream.format(f"{stem}{number}"), PARTITIONS) == partition:
            found.append(f"{stem}{number}")
    return found


TABLES = names_in(0, "table-", 2)
PLAYERS = [*names_in(0, "ann", 3, account_id("{}", "EUR")), *names_in(1, "bob", 3, account_id("{}", "EUR"))]
TABLE_PARTITIONS = (0,)
WALLET_PARTITIONS = (0, 1)


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes and chances of one seed. Durations in seconds of virtual time unless the name says ms."""

    storm_s: float
    tables: tuple[str, ...]
    players: tuple[str, ...]
    climate: Climate
    churn: Churn
    skew_ms: int
    """How far a process's own clock may be off; it may jump by as much in the middle of things."""
    table_horizon_ms: int
    ring_cap: int
    hint: bool
    """Whether owners know of generations (journal 4e)."""
    configuration: dict[str, Any]
    decides_again: bool
    """Whether every valid commit is decided once more on the state that the log gives."""
    entropy_fails: bool
    calm_start: bool
    """Whether the storm waits until people have sat down."""
    owners_stay: bool
    """Whether those who own at the end of the storm have to go on with what they have been through."""

    def limited(self, machine: AnyMachine) -> AnyMachine:
        """The table's machine with this seed's limits: a short horizon makes the age rule work all the time."""
        return replace(machine, horizon_ms=self.table_horizon_ms, ring_cap=self.ring_cap)


def plan_of(seed: int) -> Plan:
    dice = Random(f"plan {seed}")
    badness = dice.choice([0.0, 0.5, 1.0, 1.0, 2.0])
    restless = dice.choice([2.0, 3.0, 5.0, 20.0])
    players = dice.randint(2, 4)
    entropy_fails = dice.random() < 0.03
    horizon_ms = dice.choice([600_000, 600_000, _SHORT_MS])
    return Plan(
        storm_s=dice.uniform(2.5, 7.0),
        tables=tuple(TABLES[: dice.choice([1, 1, 1, 2])]),
        players=tuple(dice.sample(PLAYERS, players)),
        climate=Climate(latest_s=LATEST_S).milder(badness),
        churn=Churn(every_s=restless, longest_sleep_s=dice.choice([3.0, 15.0])),
        skew_ms=dice.choice([0, 0, 50, 1500]),
        table_horizon_ms=horizon_ms,
        # A small ring is full for as long as the horizon says: it goes with a short one only.
        ring_cap=dice.choice([10_000, 60]) if horizon_ms == _SHORT_MS else 10_000,
        hint=dice.random() < 0.5,
        configuration=_configuration(dice),
        decides_again=dice.random() < 0.3,
        entropy_fails=entropy_fails,
        calm_start=dice.random() < 0.7,
        owners_stay=not entropy_fails and dice.random() < 0.5,
    )


def _configuration(dice: Random) -> dict[str, Any]:
    big = dice.choice([2, 100])
    return {
        "mode": "continuous",
        "seats": 4,
        "structure": dice.choice(["pot_limit", "no_limit", "limit_raise_count"]),
        "big_blind": big,
        "buy_in_min": 10 * big,
        "buy_in_max": 50 * big,
        "top_up_to": 60 * big,
        "rake_mode": dice.choice(["pot", "pot", "buy_in"]),
        "rake_bp": 500,
        "decision_ms": dice.choice([700, 1500]),
        "time_bank_ms": dice.choice([0, 500]),
        "reservation_ms": dice.choice([1500, 6000]),
        "between_hands_ms": dice.choice([200, 1000]),
        "waiting_ms": 3000,
        "break_ms": 3000,
        "reentry_ms": dice.choice([0, 3_600_000]),
        "approval": "A-1",
    }
