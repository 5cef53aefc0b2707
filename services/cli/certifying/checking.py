"""Whether lists, marks, matrices and pages say the same."""

from collections.abc import Iterable
from pathlib import Path

from libs.stack_error import StackError
from services.cli.certifying.breaks import each_break, read_breaks
from services.cli.certifying.breaks_page import breaks_page, place_of, summary_of, verdicts_on
from services.cli.certifying.page import doubts_in, doubts_on, outcomes_on, page_of
from services.cli.certifying.results import Outcomes, certify_rules
from services.cli.certifying.rules import Rules, differences, find_shared, read_matrices, unknown_marks
from services.cli.certifying.running import Heard, Marked, collect
from services.cli.certifying.sources import Ran, digest_of, ran_on


def page_at(root: Path, rules: Rules) -> Path:
    return root / "docs" / "rules" / f"{rules.regulation}.md"


def read_page(file: Path) -> str:
    """Empty where there is none."""
    return file.read_text(encoding="utf-8") if file.exists() else ""


def write_page(file: Path, text: str) -> None:
    """Whole or not at all, so that who is interrupted loses no page."""
    new = file.with_name(f".{file.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(file)


def page_for(root: Path, rules: Rules, tests: list[Marked], outcomes: Outcomes, ran: Ran | None = None) -> str:
    """Without `ran`, the run of the whole, what the page says of the last one stays; so do doubts without matrices."""
    before, shared = read_page(page_at(root, rules)), find_shared(root)
    doubts = doubts_on(before) if shared is None else doubts_in(read_matrices(shared).get(rules.matrix, {}))
    return page_of(certify_rules(rules, tests, outcomes), summary_of(root, rules), ran or ran_on(before), doubts)


def older_pages(root: Path, chosen: Iterable[Rules]) -> list[str]:
    """Pages whose tests were not run as a whole with the sources as they are: a test may fail that they call green."""
    now = digest_of(root)
    runs = {rules.regulation: ran_on(read_page(page_at(root, rules))) for rules in chosen}
    return [name for name, ran in runs.items() if ran is None or ran.digest != now]


def stale_pages(root: Path, known: dict[str, Rules], chosen: Iterable[Rules]) -> list[str]:
    """Pages that are not what lists, marks and the last run make of them. Tests are collected, not run."""
    heard = collect(root)
    refuse_unknown(root, known, heard)
    stale = []
    for rules in chosen:
        page = read_page(page_at(root, rules))
        if page != page_for(root, rules, heard.tests, outcomes_on(page)):
            stale.append(rules.regulation)
        breaks = read_breaks(root, rules)
        written = read_page(place_of(root, rules))
        if written != (breaks_page(rules, breaks, verdicts_on(root, rules)) if breaks else ""):
            stale.append(f"{rules.regulation}-breaks")
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


def misfits(root: Path, rules: Rules) -> list[str]:
    """Breaks that do not fit their file: the code has moved on."""
    found = []
    for ref, it in each_break(read_breaks(root, rules)):
        try:
            it.text(root)
        except StackError as wrong:
            found.append(f"{rules.regulation} {ref}: {wrong}")
    return found
