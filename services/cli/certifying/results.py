"""From tests and how they ended to one result for each entry of a regulation."""

from collections import Counter
from enum import StrEnum

import msgspec

from services.cli.certifying.rules import Rules
from services.cli.certifying.running import Marked


class Result(StrEnum):
    SHOWN = "✓ shown"
    IN_PART = "◐ in part"
    FAILING = "✗ failing"
    NOT_YET = "○ not shown yet"
    NOTHING = "– nothing to show"


class Line(msgspec.Struct, frozen=True):
    """One entry with its tests. `note` says what is missing, or why there is nothing to show."""

    ref: str
    asks: str
    service: str
    section: str
    result: Result
    note: str
    tests: list[str]


class Certificate(msgspec.Struct, frozen=True):
    regulation: str
    title: str
    source: str
    matrix: str
    tests: int
    lines: list[Line]

    @property
    def totals(self) -> Counter[Result]:
        return Counter(line.result for line in self.lines)

    @property
    def testable(self) -> int:
        return len(self.lines) - self.totals[Result.NOTHING]

    @property
    def complete(self) -> bool:
        """Every testable entry is tied and green."""
        return self.totals[Result.SHOWN] == self.testable


def certify_rules(rules: Rules, tests: list[Marked], outcomes: dict[str, str | None]) -> Certificate:
    """`outcomes`: entry to `passed`, `failed` or None (did not run, was skipped)."""
    tied: dict[str, list[str]] = {}
    mine = [test for test in tests if any(words[:1] == [rules.regulation] for words in test.rules)]
    for test in mine:
        for ref in _refs(test, rules.regulation):
            functions = tied.setdefault(ref, [])
            if test.function not in functions:
                functions.append(test.function)
    lines = []
    for ref, entry in rules.entries.items():
        shown_by = sorted(tied.get(ref, []))
        outcome = outcomes.get(ref) if shown_by else None
        result, note = _result(bool(shown_by), outcome, entry.nothing, entry.missing)
        lines.append(Line(ref, entry.asks, entry.service, entry.section, result, note, shown_by))
    return Certificate(rules.regulation, rules.title, rules.source, rules.matrix, len(mine), lines)


def outcomes_of(rules: Rules, tests: list[Marked]) -> dict[str, str | None]:
    """An entry has passed when each of its tests has."""
    outcomes: dict[str, str | None] = {}
    for test in tests:
        for ref in _refs(test, rules.regulation):
            before = outcomes.get(ref, "passed")
            outcomes[ref] = "failed" if "failed" in (before, test.outcome) else _both_passed(before, test.outcome)
    return outcomes


def _both_passed(one: str | None, other: str | None) -> str | None:
    return "passed" if one == other == "passed" else None


def _refs(test: Marked, regulation: str) -> set[str]:
    return {ref for words in test.rules if words[:1] == [regulation] for ref in words[1:]}


def _result(tied: bool, outcome: str | None, nothing: str, missing: str) -> tuple[Result, str]:
    if nothing:
        return Result.NOTHING, nothing
    if not tied:
        return Result.NOT_YET, missing or "No test carries this entry."
    if outcome == "failed":
        return Result.FAILING, missing
    if outcome is None:
        return Result.NOT_YET, "Not all of its tests were run."
    return (Result.IN_PART, missing) if missing else (Result.SHOWN, "")
