"""Signs of life: what an owner writes beside the offset, and what the next one makes of it."""

from dataclasses import dataclass, field

import pytest

from libs.decider import Standstill
from libs.journal.fold import Head
from libs.journal.signs import SETTLE_MS, SILENCE_MS, Signs
from tests.journal.bank import NAMES
from tests.journal.house import GROUP, PARTITION, House, until


@dataclass
class World:
    now: int = 1_000_000
    elapsed: float = 5.0
    heads: dict[str, Head] = field(default_factory=lambda: {"quiet": Head(0, b"", 10), "busy": Head(3, b"", 900_500)})

    def __post_init__(self) -> None:
        self.signs = Signs(lambda: self.now, lambda: self.elapsed)

    def later(self, ms: int) -> None:
        self.now += ms
        self.elapsed += ms / 1000


@pytest.fixture
def world() -> World:
    world = World()
    world.signs.begin(900_000, world.heads)
    return world


def test_a_standstill_is_from_the_last_sign_of_partition_or_stream(world: World) -> None:
    assert world.signs.stood("quiet") == Standstill(900_000, 1_000_000)
    assert world.signs.stood("busy") == Standstill(900_500, 1_000_000)
    assert world.signs.stood("new since") is None
    world.heads["quiet"].time = 1_000_300
    assert world.signs.stood("quiet") == Standstill(900_000, 1_000_000), "what it stood through stays"


def test_who_is_back_repeats_the_last_sign_until_it_has_seen_to_what_it_found(world: World) -> None:
    world.later(SETTLE_MS - 1)
    assert world.signs.sign == 900_000
    world.later(1)
    assert world.signs.sign == world.now


def test_without_a_sign_a_stream_may_have_stood_still_since_its_last_commit() -> None:
    world = World()
    world.signs.begin(None, world.heads)
    assert world.signs.sign is None
    assert world.signs.stood("busy") == Standstill(900_500, 1_000_000, is_known=False)
    assert world.signs.stood("new since") is None
    world.later(SETTLE_MS)
    assert world.signs.sign == world.now


def test_a_sign_from_the_future_tells_of_no_standstill() -> None:
    world = World()
    world.signs.begin(world.now + 1, world.heads)
    assert world.signs.stood("quiet") is None


def test_a_log_that_answered_nothing_for_long_was_away(world: World) -> None:
    world.later(SETTLE_MS)
    world.signs.heard(world.heads)
    world.later(SILENCE_MS)
    world.signs.heard(world.heads)
    assert world.signs.stood("quiet") == Standstill(900_000, 1_000_000)
    assert world.signs.sign == world.now
    heard = world.now
    world.later(SILENCE_MS + 2)
    assert world.signs.sign == heard, "none before the log has answered"
    world.signs.heard(world.heads)
    assert world.signs.stood("quiet") == Standstill(heard, world.now)


def test_a_clock_that_is_set_ahead_is_no_standstill(world: World) -> None:
    world.signs.heard(world.heads)
    world.now += 3_600_000
    world.signs.heard(world.heads)
    assert world.signs.stood("quiet") == Standstill(900_000, 1_000_000)


async def test_it_stands_beside_the_offset_though_nobody_asks_for_anything() -> None:
    house, clock = House(), World()
    async with house.runner(now=lambda: clock.now):
        place = (GROUP, NAMES.commands, PARTITION)
        await until(lambda: place in house.broker.beside)
        assert house.broker.sign(place) is None
        clock.now += SETTLE_MS
        await until(lambda: house.broker.sign(place) == clock.now)
