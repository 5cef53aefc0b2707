"""A part stands from the beginning of a step that has not ended, over all that is tried again between."""

import asyncio

import asyncpg
import pytest

from libs.projecting import Part, Partition, Parts, Projector, parts
from libs.projecting.positions import Head


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    clock = [100.0]
    monkeypatch.setattr(parts, "monotonic", lambda: clock[0])
    return clock


def test_who_ends_no_step_stands_and_who_waits_for_the_next_does_not(now: list[float]) -> None:
    ours = Parts()
    reader, watch = ours.part("reader"), ours.part("watch", patience_s=60.0)
    with watch.step():
        pass
    reader.begin()
    now[0] += 15.0
    reader.begin()  # once more, after a fault: it is the same step
    assert ours.why_not() is None
    now[0] += 2.0
    assert ours.why_not() == "reader has ended no step for 17 s"
    reader.end()
    now[0] += 1000.0
    assert ours.why_not() is None


def test_a_step_that_raises_has_not_ended(now: list[float]) -> None:
    part = Part("watch")
    wrong = asyncpg.ConnectionDoesNotExistError()
    with pytest.raises(asyncpg.ConnectionDoesNotExistError), part.step():
        raise wrong
    part.failed(wrong, passes=True)
    assert part.why_not() is None, "it may pass"
    now[0] += 16.0
    assert part.why_not() == "watch has ended no step for 16 s (ConnectionDoesNotExistError)"


def test_what_does_not_pass_by_itself_is_told_at_once_and_until_a_step_ends(now: list[float]) -> None:
    ours = Parts()
    ours.part("b").failed(asyncpg.LockNotAvailableError(), passes=False)
    ours.part("a").failed(asyncpg.UndefinedTableError(), passes=False)
    assert ours.why_not() == "a is held up by UndefinedTableError, b is held up by LockNotAvailableError"
    ours.part("b").end()
    ours.forget("a")
    assert ours.why_not() is None


def test_who_tells_steps_is_held_up_until_one_ends_however_long_the_next_runs(now: list[float]) -> None:
    ours = Parts()
    sums, shares = ours.part("sums", patience_s=3_600.0), ours.part("shares")
    sums.begin()
    for part in (sums, shares):
        part.failed(asyncpg.ConfigurationLimitExceededError(), passes=False)
        now[0] += 60.0
        part.sound()
    assert ours.why_not() == "sums is held up by ConfigurationLimitExceededError"
    sums.end()
    assert ours.why_not() is None


class Bounded:
    """A source and a store whose database says that a login has used up what it may."""

    partitions, set_aside = (), 0

    async def load(self, partitions: object) -> dict[Partition, Head]:
        raise asyncpg.ConfigurationLimitExceededError("temporary file size exceeds")


async def test_a_projector_that_meets_a_bound_waits_for_another_one_and_says_so() -> None:
    part, bounded = Part("books"), Bounded()
    projector = Projector(None, "books", [], bounded, store=bounded, part=part)  # type: ignore[arg-type]
    running = asyncio.create_task(projector.run())
    await asyncio.sleep(0.01)
    assert not running.done(), "books wait, they don't end"
    assert part.why_not() == "books is held up by ConfigurationLimitExceededError"
    running.cancel()
