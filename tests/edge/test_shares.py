"""Token buckets: a fair share for everybody, refused with the time after which there is one again."""

import pytest

from libs.edge import shares
from libs.edge.problems import Problem
from libs.edge.shares import Buckets, Share


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def taken(buckets: Buckets, name: str, times: int) -> int:
    """How many of so many were granted."""
    granted = 0
    for _ in range(times):
        try:
            buckets.take(name)
        except Problem:
            continue
        granted += 1
    return granted


def test_so_many_at_once_and_then_so_many_in_a_second(clock: Clock) -> None:
    buckets = Buckets("player", Share(10, 50), clock)
    assert taken(buckets, "alice", 200) == 50
    clock.now += 1
    assert taken(buckets, "alice", 200) == 10
    clock.now += 3_600
    assert taken(buckets, "alice", 200) == 50, "a bucket is never fuller than full"


def test_one_name_costs_another_nothing(clock: Clock) -> None:
    buckets = Buckets("player", Share(10, 50), clock)
    taken(buckets, "mallory", 10_000)
    assert taken(buckets, "alice", 50) == 50


def test_what_is_refused_costs_nothing_and_says_when_to_come_back(clock: Clock) -> None:
    buckets = Buckets("player", Share(0.25, 1), clock)
    buckets.take("alice")
    for _ in range(100):
        with pytest.raises(Problem) as refused:
            buckets.take("alice", table="table-1")
    assert refused.value.status == 429
    assert refused.value.headers == {"retry-after": "4"}
    assert (refused.value.extensions["reason"], refused.value.extensions["table"]) == ("too_many_requests", "table-1")
    clock.now += 4
    buckets.take("alice")


def test_what_was_not_needed_is_given_back(clock: Clock) -> None:
    buckets = Buckets("penniless", Share(0.5, 2), clock)
    assert buckets.is_full("alice")
    buckets.take("alice")
    assert not buckets.is_full("alice")
    buckets.give_back("alice")
    assert buckets.is_full("alice")
    buckets.give_back("alice")
    assert taken(buckets, "alice", 9) == 2, "never fuller than full"
    clock.now += 3
    assert not buckets.is_full("alice")
    clock.now += 1
    assert buckets.is_full("alice")


def test_names_are_bounded(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "MAX_NAMES", 10)
    buckets = Buckets("player", Share(1, 1), clock)
    for number in range(1_000):
        buckets.take(f"p{number}")
    assert len(buckets._held) == 10
    with pytest.raises(Problem):
        buckets.take("p999")
