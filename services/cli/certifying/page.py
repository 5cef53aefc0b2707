"""The page of a regulation: totals on top, what is not shown yet, then every entry with its tests and result."""

import re
from collections.abc import Iterator

from services.cli.certifying.results import Certificate, Line, Result

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
