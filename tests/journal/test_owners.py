"""A partition that no process of the house owns is told; one whose owner lives, restores or hands over is none."""

from dataclasses import dataclass, field

from libs.journal.log import LogUnavailable
from libs.journal.owners import PATIENCE_S, SKEW_S, Owners
from libs.journal.positions import Position, beside
from tests.testkit.marks import TABLE

TOPIC = "croupier.table.commands.v1"


@dataclass
class Group:
    name: str = "table-decider"
    topic: str = TOPIC
    generation: int = 1
    assigned: frozenset[int] = frozenset()
    partitions: frozenset[int] = frozenset({0, 1})
    there: dict[int, tuple[int | None, str]] = field(default_factory=dict)
    away: bool = False
    refused: str | None = None

    def lives(self, partition: int, at: int, offset: int = 5) -> None:
        self.there[partition] = (offset, beside(TABLE, self.name, TOPIC, partition, Position(offset, at)))

    async def all_committed(self, partitions: frozenset[int]) -> dict[int, tuple[int | None, str]]:
        if self.away:
            raise LogUnavailable("the broker is away")
        return {each: self.there.get(each, (None, "")) for each in partitions}


async def looks(owners: Owners, since: float, until: float) -> None:
    """Every two seconds."""
    while since <= until:
        await owners.look(since)
        since += 2.0


async def test_what_nobody_owns_is_told_after_a_while_and_no_more_once_it_is_owned() -> None:
    group = Group()
    owners = Owners(group, TABLE, lambda: 0.0)
    group.lives(0, at=1)
    await looks(owners, 0.0, 8.0)
    group.lives(0, at=2)
    await looks(owners, 10.0, 14.0)
    assert owners.why_not() is None
    await owners.look(16.0)
    assert owners.why_not() == f"no process of the house has partitions 1 of {TOPIC} (group table-decider)"
    group.lives(1, at=1)
    await owners.look(18.0)
    assert owners.why_not() is None


async def test_who_is_refused_by_the_group_says_so() -> None:
    group = Group(assigned=frozenset({0, 1}), refused="InconsistentGroupProtocolError")
    owners = Owners(group, TABLE, lambda: 0.0)
    assert owners.why_not() == "we are refused by group table-decider: InconsistentGroupProtocolError"
    group.refused = None
    assert owners.why_not() is None


async def test_our_own_have_an_owner() -> None:
    group = Group(assigned=frozenset({0, 1}))
    owners = Owners(group, TABLE, lambda: 0.0)
    await looks(owners, 0.0, 60.0)
    assert owners.why_not() is None
    group.assigned = frozenset()
    await looks(owners, 62.0, 76.0)
    assert owners.why_not() is None, "whoever has got them has as long as any"
    await owners.look(78.0)
    assert owners.unowned == {0, 1}


async def test_neither_an_old_sign_nor_one_without_a_mark_is_a_sign() -> None:
    group = Group(partitions=frozenset({0}))
    owners = Owners(group, TABLE, lambda: 0.0)
    group.lives(0, at=100)
    old = group.there[0]
    group.lives(0, at=200)
    await owners.look(0.0)
    for second in range(1, 17):
        group.there[0] = old if second % 2 else (5, f"{second}000 - x")
        await owners.look(float(second))
    assert owners.unowned == {0}


async def test_what_we_wrote_ourselves_written_again_is_no_sign() -> None:
    """Who takes our partitions may have kept every position that we ever wrote, and write the oldest first."""
    group = Group(partitions=frozenset({0}), assigned=frozenset({0}))
    owners = Owners(group, TABLE, lambda: 0.0)
    group.lives(0, at=900)
    await owners.look(0.0)
    group.assigned = frozenset()
    for second in range(2, 20, 2):
        group.lives(0, at=second)
        await owners.look(float(second))
    assert owners.unowned == {0}


async def test_what_was_written_long_ago_is_no_sign_to_who_has_just_begun() -> None:
    group = Group(partitions=frozenset({0}))
    owners = Owners(group, TABLE, lambda: 1_000.0 + PATIENCE_S + SKEW_S)
    for second in range(0, 18, 2):
        group.lives(0, at=second)
        await owners.look(float(second))
    assert owners.unowned == {0}
    group.lives(0, at=1_000_001)
    await owners.look(18.0)
    assert owners.why_not() is None


async def test_nothing_is_said_of_a_time_in_which_the_broker_was_away_or_nobody_looked() -> None:
    group = Group()
    owners = Owners(group, TABLE, lambda: 0.0)
    await looks(owners, 0.0, 10.0)
    group.away = True
    await looks(owners, 12.0, 60.0)
    group.away = False
    await looks(owners, 62.0, 76.0)
    assert owners.why_not() is None
    await owners.look(100.0)
    assert owners.why_not() is None
    await looks(owners, 102.0, 116.0)
    assert owners.unowned == {0, 1}
    assert PATIENCE_S == 15.0
