"""The page of a regulation: entry by entry and case by case, and how it is read back."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from services.cli.certifying.results import Certificate, Line, Outcomes, Result, Shown
from services.cli.certifying.sources import Ran, words_of

_ROW = re.compile(r"^\| \**(?P<ref>[\w./-]+)\** \|.*\| (?P<result>[✓◐✗○–] [a-z ]+) \|[^|]*\|$", re.MULTILINE)
_DOUBT_SAID = "<br>*Left open, in the matrix's words:* "
_DOUBT = re.compile(rf"^\| \*\*(?P<ref>[\w./-]+)\*\* \| [^|]*{re.escape(_DOUBT_SAID)}(?P<doubt>[^|]*) \|", re.MULTILINE)
NO_DOUBTS: Mapping[str, str] = {}
_SAID = {Result.SHOWN: "passed", Result.IN_PART: "passed", Result.FAILING: "failed"}
_TOTALS = (
    (Result.SHOWN, "Shown: every test of the case is green; of the entry, every case"),
    (Result.IN_PART, "Shown in part: something of it is missing"),
    (Result.FAILING, "Failing"),
    (Result.NOT_YET, "Not shown yet"),
    (Result.NOTHING, "Nothing to show by software: definitions and physical things"),
)


def page_of(
    certificate: Certificate, broken: str = "", ran: Ran | None = None, doubts: Mapping[str, str] = NO_DOUBTS
) -> str:
    """Markdown; links lead from `docs/rules/` to the tests. `broken`: a sentence about the breaks of its rules.

    `doubts` stand with the entries that have no reading of ours.
    """
    return "\n".join(_page(certificate, broken, ran, doubts)) + "\n"


def rows_of(certificate: Certificate) -> dict[str, str]:
    """The row of each entry and each case."""
    entries = {line.ref: _entry(line) for line in certificate.lines}
    return entries | {case.ref: _case(case) for line in certificate.lines for case in line.cases}


def outcomes_on(page: str) -> Outcomes:
    """How the tests of each case, and of each entry, had ended when the page was written."""
    return {row["ref"]: _SAID.get(Result(row["result"])) for row in _ROW.finditer(page)}


def doubts_in(matrix: Mapping[str, Any]) -> dict[str, str]:
    """By entry: what the matrix says that the regulation leaves open, fit for a table."""
    said = {ref: " ".join(entry.get("ambiguity", "").split()) for ref, entry in matrix.items()}
    return {ref: doubt.replace("|", "&#124;").replace("<", "&lt;") for ref, doubt in said.items() if doubt}


def doubts_on(page: str) -> dict[str, str]:
    return {row["ref"]: row["doubt"] for row in _DOUBT.finditer(page)}


def _page(certificate: Certificate, broken: str, ran: Ran | None, doubts: Mapping[str, str]) -> Iterator[str]:
    cases, entries = certificate.case_totals, certificate.totals
    yield f"# {certificate.title}"
    yield ""
    yield f"{certificate.source}, entry by entry and case by case: what it asks in our words, and the tests that show"
    yield f"that we do it. Entries and cases are those of the rule matrix `{certificate.matrix}`: a test"
    yield "reads the figures of its case from the list beside this page, which is held against the matrix number by"
    yield "number. Written by `croupier certify`, which runs every test named here; change list or tests, not the page."
    yield "What the regulation leaves open is said at its case as our reading; where none is, the entry shows the doubt"
    yield "as the matrix has it, with the reading that the matrix proposes, if it does: its words, not ours."
    yield ""
    yield from (f"Where the text comes from: {certificate.provenance}", "") if certificate.provenance else ()
    yield "| Result | Cases | Entries |"
    yield "|---|---:|---:|"
    for result, words in _TOTALS:
        yield f"| {result.value[0]} {words} | {'' if result is Result.NOTHING else cases[result]} | {entries[result]} |"
    whole = f"All, {certificate.testable} entries of them testable, by {certificate.tests} tests"
    yield f"| {whole} | {cases.total()} | {entries.total()} |"
    yield ""
    yield from (broken, "") if broken else ()
    yield from (*words_of(ran), "")
    yield from _open(certificate)
    for line in certificate.lines:
        if line.section:
            yield from ("", f"## {line.section}", "")
            yield "| Rule | It asks; the case | Service | Result | Shown by |"
            yield "|---|---|---|---|---|"
        yield _entry(line, doubts.get(line.ref, ""))
        yield from map(_case, line.cases)


def _open(certificate: Certificate) -> Iterator[str]:
    waiting = [line for line in certificate.lines if line.result in (Result.NOT_YET, Result.IN_PART, Result.FAILING)]
    if not waiting:
        yield "No case is left to show."
        return
    yield "What is left to show:"
    yield ""
    for line in waiting:
        yield f"- **{line.ref}** ({line.result.value[2:]}): {'; '.join(left_of(line)) or 'a test of it fails.'}"


def left_of(line: Line) -> list[str]:
    """What is left to show of an entry, in words."""
    cases = [f"{case.ref}: {case.note or 'a test of it fails.'}" for case in line.cases if case.result != Result.SHOWN]
    return [*([line.note] if line.note else []), *cases]


def _entry(line: Line, doubt: str = "") -> str:
    nothing = [f"*{line.note}*"] if line.result is Result.NOTHING else []
    ours = any(case.reading for case in line.cases)
    asks = f"**{line.asks}**" + (f"{_DOUBT_SAID}{doubt}" if doubt and not ours else "")
    return _row(f"**{line.ref}**", asks, line.service, line.result, [*nothing, *_links(line.tests)])


def _case(case: Shown) -> str:
    figures = "; ".join(f"{name.replace('_', ' ')} {_figure(value)}" for name, value in case.figures.items())
    reading = f"*Our reading:* {case.reading}" if case.reading else ""
    says = "<br>".join(filter(None, (case.says, figures, reading)))
    return _row(case.ref, says, "", case.result, _links(case.tests))


def _figure(value: Any) -> str:
    """`{1: 500, 3: [50, 60]}` becomes `1: 500, 3: (50, 60)`."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_inner(it)}" for name, it in value.items())
    return ", ".join(map(_inner, value)) if isinstance(value, list) else str(value)


def _inner(value: Any) -> str:
    return f"({_figure(value)})" if isinstance(value, dict | list) else str(value)


def _row(ref: str, says: str, service: str, result: Result, shown_by: list[str]) -> str:
    cells = (ref, says, service, result.value, "<br>".join(shown_by))
    assert not any("|" in cell for cell in cells), ref
    return "| " + " | ".join(cells) + " |"


def _links(tests: list[str]) -> list[str]:
    return [f"· {link(test)}" for test in tests]


def link(test: str) -> str:
    """`tests/table/test_act.py::test_no_bet_below` becomes a link that reads *no bet below*."""
    file, _, name = test.partition("::")
    words = name.rpartition("::")[2].removeprefix("test_").replace("_s_", "'s ").replace("_", " ")
    return f"[{words}](../../{file})"
