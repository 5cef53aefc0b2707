"""A round that is void by a standstill, while its table's owner went on deciding for others (attacker 26a, M3)."""

from typing import Any

import pytest

from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.contracts.facts import Fact
from libs.contracts.messages import Principal
from libs.contracts.registry import encode_fact
from libs.journal.commit import Commit
from services.audit.verifying import lived
from services.audit.verifying.acted_for import ActedFor
from services.audit.verifying.lived import LASTS_MS, SLACK_MS, Lived
from tests.audit.test_orders import made
from tests.contracts.samples import sample_events

TIMER = Principal("timer", "table")
OPENED = next(each for each in sample_events() if isinstance(each, t.TableOpened))
TIMING: Any = OPENED.configuration.timing
RESUME_MS: int = TIMING.resume_ms
STARTS = 1_000_000
SAID = "void by a standstill, and its partition's owner stood still for"


class Partition:
    """A table's hand, and others of the partition."""

    def __init__(self) -> None:
        self.judge, self.version = ActedFor(), 0
        self.beside(STARTS - LASTS_MS, STARTS)
        until = STARTS + TIMING.decision_ms
        legal = p.LegalActs(check=True, call=None, min_to=None, max_to=None)
        times = {"until": until, "bank_until": until + TIMING.time_bank_ms}
        asked = made(p.DecisionAwaited, street="preflop", legal=legal, **times)
        self.says(STARTS, OPENED, asked)

    def says(self, at: int, *facts: Fact, decided_for: int | None = None) -> str | None:
        return self._says("t1", at, facts, decided_for or at)

    def beside(self, since: int, until: int, every_ms: int = 2_000) -> None:
        for at in range(since, until, every_ms):
            assert self._says("t2", at, (), at) is None

    def void(self, at: int, decided_for: int | None = None) -> str | None:
        void = made(p.HandVoided, hand=1, cause=t.STANDSTILL, by="house", refunds=[])
        return self.says(at, void, decided_for=decided_for)

    def _says(self, stream: str, at: int, facts: tuple[Fact, ...], decided_for: int) -> str | None:
        base = self.version if stream == "t1" else 5
        place = (stream, base, bytes(32), bytes(16), "table-commands.1/0", 0, decided_for)
        commit = Commit(*place, "accepted", None, None, "", tuple(map(encode_fact, facts)), "test", 1)
        self.version = commit.version if stream == "t1" else self.version
        return self.judge.judge(commit, None, TIMER, at, 3)


def test_a_standstill_in_which_others_of_the_partition_were_decided_for_is_none() -> None:
    at = Partition()
    at.beside(STARTS, STARTS + RESUME_MS)
    assert SAID in (at.void(STARTS + RESUME_MS) or "")


def test_one_in_which_nobody_was_is_one() -> None:
    at = Partition()
    assert at.void(STARTS + RESUME_MS) is None


@pytest.mark.parametrize("lasts", [0, lived.LASTS_MS - 1])
def test_who_came_back_for_a_moment_and_went_again_was_not_back(lasts: int) -> None:
    """The next one counts from the sign before it."""
    at = Partition()
    at.beside(STARTS + RESUME_MS // 2, STARTS + RESUME_MS // 2 + max(1, lasts), every_ms=1_000)
    assert at.void(STARTS + RESUME_MS) is None


def test_the_last_commit_may_be_younger_than_the_last_sign() -> None:
    at = Partition()
    at.beside(STARTS, STARTS + 30_000)
    back = STARTS + 30_000 - 2_000 - SLACK_MS + RESUME_MS
    at.beside(back, back + 5_000)
    assert at.void(back + 6_000) is None


def test_a_void_that_comes_long_after_the_house_is_back_is_held_against_when_it_stood() -> None:
    at = Partition()
    at.beside(STARTS + RESUME_MS, STARTS + 5 * RESUME_MS)
    assert at.void(STARTS + 5 * RESUME_MS) is None


def test_of_a_log_that_was_copied_nothing_is_said() -> None:
    """There all lies close together, whenever it was decided."""
    at = Partition()
    at.beside(STARTS, STARTS + RESUME_MS)
    assert at.void(STARTS + RESUME_MS, decided_for=STARTS + 3 * RESUME_MS) is None


def test_who_began_to_read_later_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Lived()
    assert known.longest_still(1, 2) is None
    monkeypatch.setattr(lived, "_MOST", 3)
    for start in range(0, 1_000_000, 100_000):
        for at in range(start, start + LASTS_MS + 1, 1_000):
            known.commits(at)
    assert known.longest_still(699_999, 1_000_000) is None, "of it only the latest stretches are kept"
    assert known.longest_still(700_000, 900_000) == 100_000 - LASTS_MS
    assert known.longest_still(900_000, 1_000_000) == 100_000 - LASTS_MS
