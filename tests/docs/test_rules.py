"""docs/rules is what lists, marks and the last run say: whoever ties a test runs `croupier certify`."""

from pathlib import Path

from services.cli.certify import stale_pages
from services.cli.certifying.rules import read_rules

ROOT = Path(__file__).parents[2]


def test_the_pages_of_the_regulations_are_current() -> None:
    known = read_rules(ROOT / "docs" / "rules")
    assert {"pt-811-2015", "mo-97-2010"} <= set(known)
    assert not stale_pages(ROOT, known), "run `croupier certify`"
