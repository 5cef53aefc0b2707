"""What the command prints: a table, what is missing, JSON."""

from typing import Any

from rich.console import Console
from rich.table import Table

from services.cli.certifying.breaking import Fate
from services.cli.certifying.breaks import Break
from services.cli.certifying.breaks_page import Verdicts
from services.cli.certifying.page import left_of
from services.cli.certifying.results import Certificate, Line, Result, Shown
from services.cli.certifying.rules import Rules

_CASES = (Result.SHOWN, Result.IN_PART, Result.FAILING, Result.NOT_YET)
_TAIL = 6000


def document_of(certificate: Certificate) -> dict[str, Any]:
    return {
        "regulation": certificate.regulation,
        "complete": certificate.complete,
        "testable": certificate.testable,
        "tests": certificate.tests,
        "totals": {result.name.lower(): certificate.totals[result] for result in Result},
        "case_totals": {result.name.lower(): certificate.case_totals[result] for result in _CASES},
        "entries": [
            {**_outcome(line), "unlisted": line.unlisted, "cases": [_outcome(case) for case in line.cases]}
            for line in certificate.lines
        ],
    }


def _outcome(of: Line | Shown) -> dict[str, Any]:
    return {"ref": of.ref, "result": of.result.name.lower(), "note": of.note, "tests": of.tests}


def print_certificates(console: Console, certificates: list[Certificate], said: str) -> None:
    """`said`: what pytest wrote; shown when something fails."""
    if any(each.totals[Result.FAILING] for each in certificates):
        console.print(said[-_TAIL:], markup=False, highlight=False)
    grid = Table("regulation", "entries", "shown", "cases", "shown", "in part", "failing", "not yet", "tests", box=None)
    for each in certificates:
        counts = (each.testable, each.totals[Result.SHOWN], each.case_totals.total())
        grid.add_row(each.regulation, *map(str, counts), *(str(each.case_totals[r]) for r in _CASES), str(each.tests))
    console.print(grid)
    for each in certificates:
        for line in each.lines:
            if line.result not in (Result.SHOWN, Result.NOTHING):
                left = "; ".join(left_of(line))
                console.print(f"{each.regulation} {line.ref}: {line.result.value[2:]}. {left}", highlight=False)


def print_breaks(console: Console, rules: Rules, tried: list[tuple[str, Break]], verdicts: Verdicts) -> None:
    """How many were noticed, and each that was not."""
    noticed = sum(verdicts[ref, it.id].fate is Fate.NOTICED for ref, it in tried)
    console.print(f"{rules.regulation}: {noticed} of {len(tried)} breaks noticed", highlight=False)
    for ref, it in tried:
        verdict = verdicts[ref, it.id]
        if verdict.fate is not Fate.NOTICED:
            why = it.survives or verdict.by
            console.print(f"{rules.regulation} {ref} {it.id}: {verdict.fate.value[2:]}. {why}", markup=False)
            console.print(f"  {it.file}\n  - {it.code}\n  + {it.broken}", markup=False, highlight=False)
