"""The answers that a stream still remembers, by age and never by count, and how many of whom (journal 13)."""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from libs.journal.commit import Commit, time_in
from libs.journal.quotas import mark_of


class Answer(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the folded commit of a command says; a repeated command gets exactly this (journal 10)."""

    verdict: Literal["accepted", "rejected"]
    version: int
    reason: str | None
    rule: str | None
    detail: str
    by: int = 0
    """Who asked, as `mark_of` has it."""

    @classmethod
    def of(cls, commit: Commit) -> "Answer":
        by = mark_of(commit.principal)
        return cls(commit.verdict, commit.version, commit.reason, commit.rule, commit.detail, by)


class Ring:
    """Command id to answer. An id leaves only when the stream's time is past its t0 + H."""

    __slots__ = ("_answers", "_by_age", "_held")

    def __init__(self, entries: Iterable[tuple[bytes, Answer]] = ()) -> None:
        self._answers: dict[bytes, Answer] = dict(entries)
        self._by_age = list(self._answers)  # an id begins with its time, so the ids themselves are a heap by age
        heapq.heapify(self._by_age)
        self._held = Counter(answer.by for answer in self._answers.values())

    def __len__(self) -> int:
        return len(self._answers)

    def __contains__(self, command_id: bytes) -> bool:
        return command_id in self._answers

    def get(self, command_id: bytes) -> Answer | None:
        return self._answers.get(command_id)

    def items(self) -> Iterator[tuple[bytes, Answer]]:
        return iter(sorted(self._answers.items()))

    def held_by(self, mark: int) -> int:
        """How many are remembered of this principal."""
        return self._held.get(mark, 0)

    def add(self, command_id: bytes, answer: Answer) -> None:
        known = self._answers.get(command_id)
        if known is None:
            heapq.heappush(self._by_age, command_id)
        else:
            self._let_go(known)
        self._answers[command_id] = answer
        self._held[answer.by] += 1

    def evict(self, now: int, horizon_ms: int) -> None:
        """Forgets what is older than the horizon at stream time `now`."""
        while self._by_age and now > time_in(self._by_age[0]) + horizon_ms:
            self._let_go(self._answers.pop(heapq.heappop(self._by_age)))

    def overdue(self, now: int, horizon_ms: int) -> list[Answer]:
        """What would be forgotten at stream time `now`; evicts nothing, and looks at little else."""
        found: list[Answer] = []
        places = [0]
        while places:
            place = places.pop()
            if place < len(self._by_age) and now > time_in(self._by_age[place]) + horizon_ms:
                found.append(self._answers[self._by_age[place]])
                places += (2 * place + 1, 2 * place + 2)  # what lies below in the heap is younger
        return found

    def _let_go(self, answer: Answer) -> None:
        self._held[answer.by] -= 1
        if not self._held[answer.by]:
            del self._held[answer.by]
