"""docs/rules is what lists, marks and the last run say: whoever ties a test runs `croupier certify`."""

from functools import cache
from pathlib import Path

import pytest

from services.cli.certifying import checking
from services.cli.certifying.checking import misfits, stale_pages
from services.cli.certifying.page import outcomes_on
from services.cli.certifying.rules import Rules, read_matrices, read_rules
from services.cli.certifying.running import Heard, Marked
from tests.conftest import COLLECTED

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "rules"
KNOWN = read_rules(FOLDER)


def test_the_pages_of_the_regulations_are_current(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """All tests are collected for it; where this run has done so, not once more. Matrices are read once for all."""
    monkeypatch.setattr(checking, "read_matrices", cache(read_matrices))
    here = pytestconfig.stash.get(COLLECTED, None)
    if here is not None:
        tests = [Marked(test, rules) for test, rules in here]
        monkeypatch.setattr(checking, "collect", lambda root: Heard(tests, ""))
    assert {"pt-811-2015", "mo-97-2010"} <= set(KNOWN)
    assert not stale_pages(ROOT, KNOWN, KNOWN.values()), "run `croupier certify`"


@pytest.mark.parametrize("rules", KNOWN.values(), ids=KNOWN)
def test_every_break_fits_its_file(rules: Rules) -> None:
    assert misfits(ROOT, rules) == []


@pytest.mark.parametrize("rules", KNOWN.values(), ids=KNOWN)
def test_every_listed_case_is_shown_or_says_what_is_missing(rules: Rules) -> None:
    """What is not listed yet is counted on the page; `at_least` of the list is only ever raised."""
    outcomes = outcomes_on((FOLDER / f"{rules.regulation}.md").read_text(encoding="utf-8"))
    shown = {ref for ref, case in rules.cases.items() if outcomes.get(ref) == "passed" and not case.missing}
    assert [ref for ref, case in rules.cases.items() if ref not in shown and not case.missing] == []
    assert len(shown) >= rules.at_least
