"""From tests and how they ended to one result for each entry of a regulation, and to the page that says so."""

import re
from collections import Counter
from collections.abc import Iterator
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
            both = {before, test.outcome}
            outcomes[ref] = "failed" if "failed" in both else "passed" if both == {"passed"} else None
    return outcomes


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


_ROW = re.compile(r"^\| (?P<ref>[\w.-]+) \|.*\| (?P<result>[✓◐✗○–] [a-z ]+) \|[^|]*\|$", re.MULTILINE)
_TOTALS = (
    (Result.SHOWN, "Shown: every test of the entry is green"),
    (Result.IN_PART, "Shown in part: its tests are green, something of it is missing"),
    (Result.FAILING, "Failing"),
    (Result.NOT_YET, "Not shown yet"),
    (Result.NOTHING, "Nothing to show by software: definitions and physical things"),
)


def page_of(certificate: Certificate) -> str:
    """Markdown; links lead from `docs/rules/` to the tests."""
    return "\n".join(_page(certificate)) + "\n"


def outcomes_on(page: str) -> dict[str, str | None]:
    """How the tests of each entry had ended when the page was written."""
    said = {Result.SHOWN: "passed", Result.IN_PART: "passed", Result.FAILING: "failed"}
    return {row["ref"]: said.get(Result(row["result"])) for row in _ROW.finditer(page)}


def _page(certificate: Certificate) -> Iterator[str]:
    yield f"# {certificate.title}"
    yield ""
    yield f"{certificate.source}, entry by entry: what it asks in our words, and the tests that show that we do it."
    yield "Written by `croupier certify`, which runs every test named here; change the list beside this page or the"
    yield f"tests, not the page. Entries are those of the rule matrix `{certificate.matrix}`."
    yield ""
    yield "| Result | Entries |"
    yield "|---|---:|"
    for result, words in _TOTALS:
        yield f"| {result.value[0]} {words} | {certificate.totals[result]} |"
    yield f"| All entries, {certificate.testable} of them testable, by {certificate.tests} tests | {len(certificate.lines)} |"  # noqa: E501
    yield ""
    yield from _open(certificate)
    for line in certificate.lines:
        if line.section:
            yield from ("", f"## {line.section}", "")
            yield "| Rule | It asks | Service | Result | Shown by |"
            yield "|---|---|---|---|---|"
        yield _row(line)


def _open(certificate: Certificate) -> Iterator[str]:
    waiting = [line for line in certificate.lines if line.result in (Result.NOT_YET, Result.IN_PART, Result.FAILING)]
    if not waiting:
        yield "Nothing is left to show."
        return
    yield "What is left to show:"
    yield ""
    for line in waiting:
        yield f"- **{line.ref}** ({line.result.value[2:]}): {line.note or 'a test of it fails.'}"


def _row(line: Line) -> str:
    nothing = [f"*{line.note}*"] if line.result is Result.NOTHING else []
    shown_by = "<br>".join([*nothing, *(f"· {_link(test)}" for test in line.tests)])
    cells = (line.ref, line.asks, line.service, line.result.value, shown_by)
    assert not any("|" in cell for cell in cells), line.ref
    return "| " + " | ".join(cells) + " |"


def _link(test: str) -> str:
    """`tests/table/test_act.py::test_no_bet_below` becomes a link that reads *no bet below*."""
    file, _, name = test.partition("::")
    words = name.rpartition("::")[2].removeprefix("test_").replace("_s_", "'s ").replace("_", " ")
    return f"[{words}](../../{file})"
