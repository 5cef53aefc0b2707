"""From tests and how they ended to one result for each case and each entry of a regulation."""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import msgspec

from services.cli.certifying.rules import Case, Entry, Rules
from services.cli.certifying.running import Marked

Outcomes = dict[str, str | None]
"""Entry or case to `passed`, `failed` or None: did not run, was skipped."""


class Result(StrEnum):
    SHOWN = "✓ shown"
    IN_PART = "◐ in part"
    FAILING = "✗ failing"
    NOT_YET = "○ not shown yet"
    NOTHING = "– nothing to show"


class Shown(msgspec.Struct, frozen=True):
    """One case with its tests. `note` says what is missing."""

    ref: str
    says: str
    figures: dict[str, Any]
    reading: str
    result: Result
    note: str
    tests: list[str]


class Line(msgspec.Struct, frozen=True):
    """One entry with its cases. `tests` name the entry and no case; `unlisted`: so many cases nobody has listed yet."""

    ref: str
    asks: str
    service: str
    section: str
    result: Result
    note: str
    tests: list[str]
    cases: list[Shown]
    unlisted: int


class Certificate(msgspec.Struct, frozen=True):
    regulation: str
    title: str
    source: str
    matrix: str
    tests: int
    lines: list[Line]
    provenance: str = ""

    @property
    def totals(self) -> Counter[Result]:
        """Entries by result."""
        return Counter(line.result for line in self.lines)

    @property
    def case_totals(self) -> Counter[Result]:
        """Cases by result; what is not listed is not shown."""
        totals = Counter(case.result for line in self.lines for case in line.cases)
        totals[Result.NOT_YET] += sum(line.unlisted for line in self.lines)
        return totals

    @property
    def testable(self) -> int:
        return len(self.lines) - self.totals[Result.NOTHING]

    @property
    def complete(self) -> bool:
        """Every case of every testable entry is tied and green."""
        return self.totals[Result.SHOWN] == self.testable


def certify_rules(rules: Rules, tests: list[Marked], outcomes: Outcomes) -> Certificate:
    tied: dict[str, set[str]] = {}
    for test in tests:
        for ref in test.refs(rules.regulation):
            tied.setdefault(ref, set()).add(test.function)
    lines = []
    for ref, entry in rules.entries.items():
        cases = [_shown(f"{ref}/{n}", case, tied, outcomes) for n, case in enumerate(entry.listed, 1)]
        result, note = _judge(entry, [case.result for case in cases], outcomes.get(ref))
        unlisted = entry.count - len(cases)
        named = sorted(tied.get(ref, ()))
        lines.append(Line(ref, entry.asks, entry.service, entry.section, result, note, named, cases, unlisted))
    mine = sum(bool(test.refs(rules.regulation)) for test in tests)
    return Certificate(rules.regulation, rules.title, rules.source, rules.matrix, mine, lines, rules.provenance)


def outcomes_of(rules: Rules, tests: Iterable[Marked]) -> Outcomes:
    """Passed is what each of its tests has passed."""
    outcomes: Outcomes = {}
    for test in tests:
        for ref in test.refs(rules.regulation):
            both = {outcomes.get(ref, "passed"), test.outcome}
            outcomes[ref] = "failed" if "failed" in both else "passed" if both == {"passed"} else None
    return outcomes


def _shown(ref: str, case: Case, tied: dict[str, set[str]], outcomes: Outcomes) -> Shown:
    tests = sorted(tied.get(ref, ()))
    outcome = outcomes.get(ref)
    if not tests:
        result, note = Result.NOT_YET, case.missing or "No test carries this case."
    elif outcome == "failed":
        result, note = Result.FAILING, case.missing
    elif outcome is None:
        result, note = Result.NOT_YET, "Not all of its tests were run."
    else:
        result, note = (Result.IN_PART, case.missing) if case.missing else (Result.SHOWN, "")
    return Shown(ref, case.says, case.figures, case.reading, result, note, tests)


def _judge(entry: Entry, cases: list[Result], outcome: str | None) -> tuple[Result, str]:
    """An entry is shown when all its cases are and no test that names it fails."""
    if entry.nothing:
        return Result.NOTHING, entry.nothing
    if outcome == "failed" or Result.FAILING in cases:
        return Result.FAILING, entry.missing
    if not cases:
        return Result.NOT_YET, f"{entry.count} {'case' if entry.count == 1 else 'cases'} to be listed."
    if set(cases) == {Result.SHOWN} and not entry.missing:
        return Result.SHOWN, ""
    return (Result.NOT_YET if set(cases) == {Result.NOT_YET} else Result.IN_PART), entry.missing
