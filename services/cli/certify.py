"""`croupier certify`: runs every test that carries a rule mark and writes, rule by rule, what is shown."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from libs.stack import StackError
from services.cli.certifying.results import Certificate, Result, certify_rules, outcomes_of, outcomes_on, page_of
from services.cli.certifying.rules import Rules, differences, find_shared, read_matrices, read_rules, unknown_marks
from services.cli.certifying.running import Heard, collect, run
from services.cli.surroundings import shown

ROOT = Path(__file__).parents[2]
Only = Annotated[str, typer.Option("--regulation", help="One regulation, such as pt-811-2015; without it all.")]
Check = Annotated[bool, typer.Option("--check", help="Run nothing, write nothing; exit 1 where a page is not current.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result of every entry as JSON.")]


def certify(regulation: Only = "", check: Check = False, as_json: Json = False) -> None:
    """Show rule by rule that the house obeys; exit 0 only if every testable entry is tied to tests and green.

    Pages are written to docs/rules. Needs the rule matrices in ../shared (or CROUPIER_SHARED).
    """
    known = _known(ROOT / "docs" / "rules", regulation)
    if check:
        stale = stale_pages(ROOT, known)
        for name in stale:
            typer.echo(f"croupier certify: docs/rules/{name}.md is not current, run croupier certify", err=True)
        raise typer.Exit(1 if stale else 0)
    if find_shared(ROOT) is None:
        raise StackError("the rule matrices are not in ../shared/regulations (set CROUPIER_SHARED)")
    heard = _run(regulation)
    refuse_unknown(ROOT, known, heard)
    certificates = [certify_rules(each, heard.tests, outcomes_of(each, heard.tests)) for each in known.values()]
    for certificate in certificates:
        page = ROOT / "docs" / "rules" / f"{certificate.regulation}.md"
        page.write_text(page_of(certificate), encoding="utf-8")
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode([_document(each) for each in certificates])).decode())
    else:
        _print(certificates, heard)
    raise typer.Exit(0 if all(each.complete for each in certificates) else 1)


def stale_pages(root: Path, known: dict[str, Rules]) -> list[str]:
    """Regulations whose page is not what list, marks and the last run make of it. Tests are collected, not run."""
    heard = collect(root)
    refuse_unknown(root, known, heard)
    stale = []
    for name, rules in known.items():
        file = root / "docs" / "rules" / f"{name}.md"
        page = file.read_text(encoding="utf-8") if file.exists() else ""
        if page != page_of(certify_rules(rules, heard.tests, outcomes_on(page))):
            stale.append(name)
    return stale


def refuse_unknown(root: Path, known: dict[str, Rules], heard: Heard) -> None:
    """StackError for a mark, or a list, that names what the regulation has not."""
    shared = find_shared(root)
    matrices = read_matrices(shared) if shared is not None else None
    wrong = unknown_marks([(test.test, words) for test in heard.tests for words in test.rules], known, matrices)
    if matrices is not None:
        wrong += [line for rules in known.values() for line in differences(rules, matrices.get(rules.matrix))]
    if wrong:
        raise StackError("rules that there are not:\n  " + "\n  ".join(sorted(set(wrong))))


def _known(folder: Path, regulation: str) -> dict[str, Rules]:
    known = read_rules(folder)
    if not known:
        raise StackError("there is no docs/rules here: certify needs the whole clone, tests included")
    if regulation and regulation not in known:
        raise StackError(f"there is no regulation {regulation}; known: {', '.join(known)}")
    return {regulation: known[regulation]} if regulation else known


def _run(regulation: str) -> Heard:
    with shown(Console(stderr=True)) as tell:
        return run(ROOT, regulation=regulation, tell=lambda done, total: tell("running the marked tests", done, total))


def _document(certificate: Certificate) -> dict[str, Any]:
    return {
        "regulation": certificate.regulation,
        "complete": certificate.complete,
        "testable": certificate.testable,
        "tests": certificate.tests,
        "totals": {result.name.lower(): certificate.totals[result] for result in Result},
        "entries": [
            {"ref": line.ref, "result": line.result.name.lower(), "note": line.note, "tests": line.tests}
            for line in certificate.lines
        ],
    }


def _print(certificates: list[Certificate], heard: Heard) -> None:
    console = Console()
    if any(test.outcome == "failed" for test in heard.tests):
        console.print(heard.said[-6000:], markup=False, highlight=False)
    grid = Table("regulation", "testable", "shown", "in part", "failing", "not yet", "tests", box=None)
    for each in certificates:
        counts = (each.totals[r] for r in (Result.SHOWN, Result.IN_PART, Result.FAILING, Result.NOT_YET))
        grid.add_row(each.regulation, str(each.testable), *map(str, counts), str(each.tests))
    console.print(grid)
    for each in certificates:
        for line in each.lines:
            if line.result not in (Result.SHOWN, Result.NOTHING):
                console.print(f"{each.regulation} {line.ref}: {line.result.value[2:]}. {line.note}", highlight=False)
