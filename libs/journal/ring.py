"""The answers that a stream still remembers, by age and never by count (journal 13)."""

import heapq
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from libs.journal.commit import Commit, time_in


class Answer(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the folded commit of a command says; a repeated command gets exactly this (journal 10)."""

    verdict: Literal["accepted", "rejected"]
    version: int
    reason: str | None
    rule: str | None
    detail: str

    @classmethod
    def of(cls, commit: Commit) -> "Answer":
        return cls(commit.verdict, commit.version, commit.reason, commit.rule, commit.detail)


class Ring:
    """Command id to answer. An id leaves only when the stream's time is past its t0 + H."""

    __slots__ = ("_answers", "_by_age")

    def __init__(self, entries: Iterable[tuple[bytes, Answer]] = ()) -> None:
        self._answers: dict[bytes, Answer] = dict(entries)
        self._by_age = list(self._answers)  # an id begins with its time, so the ids themselves are a heap by age
        heapq.heapify(self._by_age)

    def __len__(self) -> int:
        return len(self._answers)

    def __contains__(self, command_id: bytes) -> bool:
        return command_id in self._answers

    def get(self, command_id: bytes) -> Answer | None:
        return self._answers.get(command_id)

    def items(self) -> Iterator[tuple[bytes, Answer]]:
        return iter(sorted(self._answers.items()))

    def add(self, command_id: bytes, answer: Answer) -> None:
        if command_id not in self._answers:
            heapq.heappush(self._by_age, command_id)
        self._answers[command_id] = answer

    def evict(self, now: int, horizon_ms: int) -> None:
        """Forgets what is older than the horizon at stream time `now`."""
        while self._by_age and now > time_in(self._by_age[0]) + horizon_ms:
            del self._answers[heapq.heappop(self._by_age)]

    def live(self, now: int, horizon_ms: int) -> int:
        """How many would remain at stream time `now`; evicts nothing."""
        return sum(1 for command_id in self._by_age if now <= time_in(command_id) + horizon_ms)
