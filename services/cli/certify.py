"""`croupier certify`: runs every test that carries a rule mark and writes, case by case, what is shown."""

import os
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from libs.stack_error import StackError
from services.cli.certifying.breaking import Fate, break_each, plan
from services.cli.certifying.breaks import Breaks, each_break, read_breaks
from services.cli.certifying.breaks_page import Verdicts, breaks_page, is_settled, place_of, verdicts_on
from services.cli.certifying.checking import (
    older_pages,
    page_at,
    page_for,
    read_page,
    refuse_unknown,
    stale_pages,
    write_page,
)
from services.cli.certifying.page import outcomes_on
from services.cli.certifying.partly import outcomes_with, refs_new, refs_of
from services.cli.certifying.results import Outcomes, certify_rules, outcomes_of
from services.cli.certifying.rules import Rules, find_shared, read_rules
from services.cli.certifying.running import Heard, Marked, collect, run
from services.cli.certifying.sources import Ran, digest_of
from services.cli.certifying.telling import document_of, print_breaks, print_certificates
from services.cli.surroundings import shown

ROOT = Path(__file__).parents[2]
_PROCESSORS = os.cpu_count() or 1
Only = Annotated[str, typer.Option("--regulation", help="One regulation, such as pt-811-2015; without it all.")]
Entries = Annotated[
    list[str], typer.Option("--entry", help="Only these entries; the page keeps what it says of others.")
]
New = Annotated[bool, typer.Option("--new", help="Only what the page does not show as it is now, or not as green.")]
Break = Annotated[bool, typer.Option("--break", help="Break the code of each rule and see whether its tests notice.")]
Jobs = Annotated[int, typer.Option("--jobs", min=1, help="Breaks tried at the same time; default: one a processor.")]
Check = Annotated[bool, typer.Option("--check", help="Run nothing, write nothing; exit 1 where a page is not current.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result of every entry and case as JSON.")]


def certify(
    regulation: Only = "",
    entry: Entries = [],  # noqa: B006 - typer wants a list
    new: New = False,
    breaks: Break = False,
    jobs: Jobs = _PROCESSORS,
    check: Check = False,
    as_json: Json = False,
) -> None:
    """Show case by case that the house obeys; exit 0 only if every case of every testable entry is tied and green.

    Pages are written to docs/rules. Needs the rule matrices in ../shared (or CROUPIER_SHARED). With --break exit 0 only
    if every break is noticed by a test of its entry, or its list explains why it can't be.
    """
    known = _known(ROOT / "docs" / "rules", regulation)
    chosen = [rules for rules in known.values() if regulation in ("", rules.regulation)]
    if check:
        stale = stale_pages(ROOT, known, chosen)
        for name in stale:
            typer.echo(f"croupier certify: docs/rules/{name}.md is not current, run croupier certify", err=True)
        for name in older_pages(ROOT, chosen):
            typer.echo(f"croupier certify: docs/rules/{name}.md was not run with these sources as a whole", err=True)
        raise typer.Exit(1 if stale else 0)
    if find_shared(ROOT) is None:
        raise StackError("the rule matrices are not in ../shared/regulations (set CROUPIER_SHARED)")
    strange = [ref for ref in entry if not any(ref in rules.entries for rules in chosen)]
    if strange:
        raise StackError(f"there is no entry {', '.join(strange)}")
    if breaks:
        good = all([_break(known, rules, entry, new=new, jobs=jobs) for rules in chosen])  # noqa: C419 - each is run
    elif entry or new:
        good = _show_partly(known, chosen, entry, as_json=as_json)
    else:
        before = digest_of(ROOT)
        heard = _run(["tests"], regulation)
        # Who edits while it runs has no run of the whole.
        ran = Ran(before, datetime.now(UTC).date().isoformat()) if digest_of(ROOT) == before else None
        outcomes = {rules.regulation: outcomes_of(rules, heard.tests) for rules in chosen}
        good = _written(known, chosen, heard, outcomes, as_json=as_json, ran=ran)
    raise typer.Exit(0 if good else 1)


def _show_partly(known: dict[str, Rules], chosen: list[Rules], entries: list[str], *, as_json: bool) -> bool:
    heard = collect(ROOT)
    pages = {rules.regulation: read_page(page_at(ROOT, rules)) for rules in chosen}
    wanted = {
        rules.regulation: refs_of(rules, entries) if entries else refs_new(rules, heard.tests, pages[rules.regulation])
        for rules in chosen
    }
    names = [test.test for test in heard.tests if any(test.refs(name) & refs for name, refs in wanted.items())]
    ran = _run(names) if names else Heard([], "")
    outcomes = {name: outcomes_with(known[name], page, wanted[name], ran.tests) for name, page in pages.items()}
    return _written(known, chosen, Heard(heard.tests, ran.said), outcomes, as_json=as_json)


def _written(
    known: dict[str, Rules],
    chosen: list[Rules],
    heard: Heard,
    outcomes: dict[str, Outcomes],
    *,
    as_json: bool,
    ran: Ran | None = None,
) -> bool:
    refuse_unknown(ROOT, known, heard)
    for rules in chosen:
        page = page_for(ROOT, rules, heard.tests, outcomes[rules.regulation], ran)
        write_page(page_at(ROOT, rules), page)
    certificates = [certify_rules(rules, heard.tests, outcomes[rules.regulation]) for rules in chosen]
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode([document_of(each) for each in certificates])).decode())
    else:
        print_certificates(Console(), certificates, heard.said)
    return all(each.complete for each in certificates)


def _break(known: dict[str, Rules], rules: Rules, entries: list[str], *, new: bool, jobs: int) -> bool:
    listed = read_breaks(ROOT, rules)
    before = verdicts_on(ROOT, rules)
    todo = [(ref, it) for ref, it in each_break(listed) if not entries or ref in entries]
    todo = [(ref, it) for ref, it in todo if not new or not is_settled(it, before.get((ref, it.id)))]
    if not listed:
        return True
    heard = collect(ROOT, regulation=rules.regulation)
    refuse_unknown(ROOT, known, heard)
    tied = {test.test for each in plan(rules.regulation, todo, heard.tests) for test in each.tests}
    control = _run(sorted(tied), what="running the tests unbroken") if tied else Heard([], "")
    passed = {test.test for test in control.tests if test.outcome == "passed"}
    for name in sorted(tied - passed):
        typer.echo(f"croupier certify: {name} is not green while nothing is broken, and is not asked", err=True)
    tried: Verdicts = {}
    with shown(Console(stderr=True)) as tell:
        planned = plan(rules.regulation, todo, [test for test in heard.tests if test.test in passed])
        for key, verdict in break_each(ROOT, planned, jobs, partial(tell, f"breaking {rules.regulation}")):
            tried[key] = verdict
            # An hour of breaks may be interrupted; what was tried by then stands on the pages.
            _write_breaks(rules, listed, before | tried, heard.tests)
    _write_breaks(rules, listed, before | tried, heard.tests)
    print_breaks(Console(), rules, todo, tried)
    return all(tried[ref, it.id].fate is Fate.NOTICED or it.survives for ref, it in todo)


def _write_breaks(rules: Rules, listed: Breaks, verdicts: Verdicts, tests: list[Marked]) -> None:
    write_page(place_of(ROOT, rules), breaks_page(rules, listed, verdicts))
    page = page_at(ROOT, rules)
    write_page(page, page_for(ROOT, rules, tests, outcomes_on(read_page(page))))


def _known(folder: Path, regulation: str) -> dict[str, Rules]:
    known = read_rules(folder)
    if not known:
        raise StackError("there is no docs/rules here: certify needs the whole clone, tests included")
    if regulation and regulation not in known:
        raise StackError(f"there is no regulation {regulation}; known: {', '.join(known)}")
    return known


def _run(names: list[str], regulation: str = "", what: str = "running the marked tests") -> Heard:
    with shown(Console(stderr=True)) as tell:
        return run(ROOT, names, regulation, lambda done, total: tell(what, done, total))
