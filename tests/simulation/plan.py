"""What one seed is: how long, how many, how bad the weather, how restless the owners. All of it out of the seed."""

from dataclasses import dataclass, replace
from random import Random

from libs.contracts.escrow_commands import escrow_of
from libs.contracts.topics import PART_BYTES
from libs.journal.machine import AnyMachine
from services.wallet.domain.account.forgetting import Kept
from tests.simulation.games.game import Kind, Setup, account_of
from tests.simulation.games.registry import GAMES
from tests.testkit.partitions import PARTITIONS, partition_of
from tests.testkit.storm import Churn
from tests.testkit.weather import Climate

EPOCH_MS = 1_700_000_000_000
_SHORT_MS = 8_000
_DAY_MS = 86_400_000
_RING = 16_000
_KINDS: tuple[Kind, ...] = ("real", "demo")
LATEST_S = 15.0
"""No request lands later than this after it was sent."""


_TABLES_IN, _ACCOUNTS_IN = 0, (0, 1)
"""Of a house of `PARTITIONS`."""


def names_in(partition: int, stem: str, count: int, stream: str = "{}", beside: str = "") -> list[str]:
    """The first `count` names whose stream lies in this partition: few partitions are in use, so few owners run.

    The stream that each has `beside` lies in one of the wallet's.
    """
    found: list[str] = []
    number = 0
    while len(found) < count:
        number += 1
        name = f"{stem}{number}"
        near = not beside or partition_of(beside.format(name), PARTITIONS) in _ACCOUNTS_IN
        if partition_of(stream.format(name), PARTITIONS) == partition and near:
            found.append(name)
    return found


_REAL, _DEMO = account_of("{}", "real"), account_of("{}", "demo")
TABLES = names_in(_TABLES_IN, "table-", 2, "{}", escrow_of("{}"))
PLAYERS = [*names_in(0, "ann", 3, _REAL, _DEMO), *names_in(1, "bob", 3, _REAL, _DEMO)]
ACCOUNTS = [account_of(player, kind) for player in PLAYERS for kind in _KINDS]


def tables_in(partitions: int) -> list[int]:
    """Where tables lie in a house of so many partitions."""
    return sorted({partition_of(table, partitions) for table in TABLES})


def accounts_in(partitions: int) -> list[int]:
    """Where accounts lie, and what is held of tables."""
    return sorted({partition_of(stream, partitions) for stream in (*ACCOUNTS, *map(escrow_of, TABLES))})


@dataclass(frozen=True, slots=True)
class Night:
    """What comes between two evenings."""

    gap_ms: int
    """From one to the other; every process lives through it, or none."""
    away: bool
    """Whether the house is down meanwhile."""
    partitions: int
    """How many the house has afterwards."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes and chances of one seed. Durations in seconds of virtual time unless the name says ms."""

    storm_s: float
    tables: dict[str, Setup]
    players: dict[str, str]
    """Each with the table at which they play."""
    climate: Climate
    churn: Churn
    skew_ms: int
    """How far a process's own clock may be off; it may jump by as much in the middle of things."""
    table_horizon_ms: int
    ring_cap: int
    hint: bool
    """Whether owners know of generations (journal 4e)."""
    decides_again: bool
    """Whether every valid commit is decided once more on the state that the log gives."""
    entropy_fails: bool
    calm_start: bool
    """Whether the storm waits until people have sat down."""
    owners_stay: bool
    """Whether those who own at the end of the storm have to go on with what they have been through."""
    nights: tuple[Night, ...]
    """One less than there are evenings; for most seeds there is one evening."""
    moves_to: int | None
    """Partitions to which the house is moved in the middle of the first evening, with everything under way."""
    kept: Kept
    """How long accounts remember sittings and payments."""
    part_bytes: int
    """Of a snapshot in one record: for most seeds so few that many go in parts."""
    moves_groups: bool
    """Whether somebody without a key sets the groups' offsets."""
    notes_late: tuple[int, float] | None
    """Of the partitions with accounts the one whose reserves no escrow is told of for the first so many seconds."""

    @property
    def floods(self) -> bool:
        """Whether somebody floods the first table; what it remembers is soon full then."""
        return self.ring_cap < _RING

    @property
    def first(self) -> str:
        """The table that everything is shown at, if there is time for one only."""
        return next(iter(self.tables))

    def kind_of(self, player: str) -> Kind:
        return self.tables[self.players[player]].kind

    def limited(self, machine: AnyMachine) -> AnyMachine:
        """The table's machine with this seed's limits: a short horizon makes the age rule work all the time."""
        return replace(machine, horizon_ms=self.table_horizon_ms, ring_cap=self.ring_cap)


def plan_of(seed: int) -> Plan:
    dice = Random(f"plan {seed}")
    badness = dice.choice([0.0, 0.5, 1.0, 1.0, 2.0])
    restless = dice.choice([2.0, 3.0, 5.0, 20.0])
    entropy_fails = dice.random() < 0.03
    horizon_ms = dice.choice([600_000, 600_000, _SHORT_MS])
    tables = {name: _table(dice) for name in TABLES[: dice.choice([1, 1, 1, 2])]}
    later = Random(f"nights {seed}")
    return Plan(
        nights=tuple(_night(later) for _ in range(later.choices([0, 1, 2], [4, 2, 3])[0])),
        moves_to=later.choice([1, 2, 8]) if later.random() < 0.25 else None,
        part_bytes=Random(f"parts {seed}").choice([PART_BYTES, 1_500, 600]),
        moves_groups=Random(f"positions {seed}").random() < 0.35,
        notes_late=_notes_late(Random(f"late notes {seed}")),
        kept=Kept(least=later.choice([1, 1, 1, 2]), references_least=1, references_for_ms=90 * _DAY_MS),
        storm_s=dice.uniform(2.5, 7.0),
        tables=tables,
        players=_players(dice, tables),
        climate=Climate(latest_s=LATEST_S).milder(badness),
        churn=Churn(every_s=restless, longest_sleep_s=dice.choice([3.0, 15.0])),
        skew_ms=dice.choice([0, 50, 1500, 3000]),
        table_horizon_ms=horizon_ms,
        # A small ring is full for as long as the horizon says: it goes with a short one only.
        ring_cap=dice.choice([_RING, 60]) if horizon_ms == _SHORT_MS else _RING,
        hint=dice.random() < 0.5,
        decides_again=dice.random() < 0.3,
        entropy_fails=entropy_fails,
        calm_start=dice.random() < 0.7,
        owners_stay=not entropy_fails and dice.random() < 0.5,
    )


def _notes_late(dice: Random) -> tuple[int, float] | None:
    return (dice.randrange(len(ACCOUNTS)), dice.uniform(10.0, 60.0)) if dice.random() < 0.5 else None


def _night(dice: Random) -> Night:
    days = dice.choice([0.01, 2.5, 40, 95, 95, 95, 400, 400])
    return Night(int(days * _DAY_MS), dice.random() < 0.4, dice.choice([PARTITIONS, PARTITIONS, 1, 2, 8]))


def _table(dice: Random) -> Setup:
    """Four in ten play poker, three each against the house; one in six plays for nothing."""
    game = dice.choices(list(GAMES.values()), [4, 3, 3])[0]
    return game.setup(dice, dice.choices(_KINDS, [5, 1])[0])


def _players(dice: Random, tables: dict[str, Setup]) -> dict[str, str]:
    """Two to four, the first two at the first table."""
    first, *others = tables
    places = [first, first, *(dice.choice([first, *others]) for _ in range(dice.randint(0, 2)))]
    return dict(zip(dice.sample(PLAYERS, len(places)), places, strict=True))
