"""`certify --break`: a break that the rule's own tests notice is told from one that they don't, and from nonsense."""

import re
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from libs.stack import StackError
from services.cli import certify as command
from services.cli.__main__ import app
from services.cli.certifying import breaking
from services.cli.certifying.checking import misfits
from services.cli.certifying.rules import read_rules
from tests.cli.certify.small import build, change

VAULT = """
from pathlib import Path

MOST = int((Path(__file__).parent / "most.txt").read_text())

def fits(amount):
    return 0 < amount <= MOST

def word():
    return "vault"
"""
TESTS = """
import subprocess, sys
import pytest
import vault
rule = pytest.mark.rule

@rule("house-1", "1/2")
def test_fits(): assert vault.fits(1) and not vault.fits(0)

@rule("house-1", "2/1")
def test_most(): assert vault.fits(100) and not vault.fits(101)

@rule("house-1", "3/1")
def test_in_a_process():
    said = subprocess.run([sys.executable, "-c", "import vault; print(vault.word())"], capture_output=True, text=True)
    assert said.stdout == "vault\\n"

@rule("house-1", "4/1")
def test_red_already(): assert False
"""
BREAKS = """
'1':
  - {in: vault.py, code: 0 < amount, broken: 0 <= amount}
  - {in: vault.py, code: amount <= MOST, broken: amount <= LEAST}
  - {in: vault.py, code: '"vault"', broken: '"safe"', survives: It is a name.}
'2':
  - {in: most.txt, code: '100', broken: '101'}
  - {in: vault.py, code: '"vault"', broken: '"safe"'}
  - {in: most.txt, code: '100', broken: much}
'3': [{in: vault.py, code: '"vault"', broken: '"safe"'}]
'4': [{in: vault.py, code: '"vault"', broken: '"safe"'}]
'5': {none: Nothing of ours.}
"""

NONSENSE = """
'1':
  - {in: vault.py, code: 0 < amount, broken: None < amount}
  - {in: vault.py, code: 0 < amount, broken: amount.bit < amount}
  - {in: vault.py, code: 0 < amount, broken: 'sum(iter(lambda: 0, 1)) < amount'}
  - {in: vault.py, code: 0 < amount, broken: 0 < 1 // amount}
"""


TWO_NOTICE = """
import pytest
import vault

@pytest.mark.rule("house-1", "1")
def test_named(): assert not vault.fits(0)

@pytest.mark.rule("house-1", "1/2")
def test_case(): assert not vault.fits(0)
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kept from test to test: all of pytest is compiled in it."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture
def clone(tmp_path: Path, compiled: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "clone"
    build(root)
    (root / "vault.py").write_text(VAULT)
    (root / "most.txt").write_text("100\n")
    (root / "tests" / "test_house.py").write_text(TESTS)
    (root / "tests" / "breaks").mkdir()
    (root / "tests" / "breaks" / "house-1.yaml").write_text(BREAKS)
    monkeypatch.setattr(command, "ROOT", root)
    monkeypatch.setattr(breaking, "TemporaryDirectory", lambda: nullcontext(str(compiled)))
    monkeypatch.setenv("CROUPIER_SHARED", str(tmp_path / "shared"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return root


def fates(clone: Path) -> list[str]:
    page = (clone / "docs" / "rules" / "house-1-breaks.md").read_text(encoding="utf-8")
    return [" | ".join(row) for row in re.findall(r"^\| (\d) \|.*\| (. [\w ]+ \| .*?) ?\|$", page, re.MULTILINE)]


def test_what_is_noticed_what_survives_and_what_is_nonsense(clone: Path) -> None:
    before = {path: path.read_bytes() for path in (clone / "vault.py", clone / "most.txt")}
    told = CliRunner().invoke(app, ["certify", "--break", "--jobs", "2"])
    assert told.exit_code == 1, told.output
    assert fates(clone) == [
        "1 | ✓ noticed | [fits](../../tests/test_house.py)",
        "1 | ◐ not valid | NameError: name 'LEAST' is not defined",
        "1 | ✗ survived | It is a name.",
        "2 | ✓ noticed | [most](../../tests/test_house.py)",
        "2 | ✗ survived | ",
        "2 | ◐ not valid | ValueError: invalid literal for int() with base 10: 'much\\n'",
        "3 | ✓ noticed | [in a process](../../tests/test_house.py)",
        "4 | ✗ no test | ",
        "5 | – nothing to break | Nothing of ours.",
    ]
    assert "house-1: 3 of 8 breaks noticed" in told.output
    said = "3 of 8 breaks of 4 entries are noticed by the tests of their own rule, 1 have no test, 2 are not valid, "
    page = (clone / "docs" / "rules" / "house-1.md").read_text(encoding="utf-8")
    assert said + "1 survive for a reason, 1 survive; 0 entries are still to be broken" in page
    assert {path: path.read_bytes() for path in (clone / "vault.py", clone / "most.txt")} == before, (
        "nothing on disk changes"
    )


def test_code_that_cannot_run_is_no_broken_rule(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaking, "_FIRST", ["--maxfail", "1", "-p", "pytest_timeout", "-o", "timeout=1"])
    (clone / "tests" / "breaks" / "house-1.yaml").write_text(NONSENSE)
    CliRunner().invoke(app, ["certify", "--break", "--entry", "1"])
    assert [fate.partition(":")[0] for fate in fates(clone)[:4]] == [
        "1 | ◐ not valid | TypeError",
        "1 | ◐ not valid | AttributeError",
        "1 | ◐ not valid | Failed",
        "1 | ✓ noticed | [fits](../../tests/test_house.py)",
    ]


def test_a_test_that_shows_a_case_is_asked_before_one_that_names_the_entry(clone: Path) -> None:
    (clone / "tests" / "test_house.py").write_text(TWO_NOTICE)
    CliRunner().invoke(app, ["certify", "--break", "--entry", "1"])
    assert fates(clone)[0] == "1 | ✓ noticed | [case](../../tests/test_house.py)"


def test_what_was_tried_before_an_interruption_is_kept_and_new_goes_on(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*asked: Any) -> Iterator[Any]:
        yield from islice(breaking.break_each(*asked), 2)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(command, "break_each", interrupted)
        CliRunner().invoke(app, ["certify", "--break", "--jobs", "1"])
    assert [fate[:13] for fate in fates(clone)[:2]] == ["1 | ✓ noticed", "1 | ◐ not val"]
    assert all("○ not tried" in fate for fate in fates(clone)[2:8])
    assert "are not tried yet" in (clone / "docs" / "rules" / "house-1.md").read_text(encoding="utf-8")
    told = CliRunner().invoke(app, ["certify", "--break", "--new", "--jobs", "1"])
    assert "house-1: 2 of 7 breaks noticed" in told.output, "the one that was noticed is not tried again"
    told = CliRunner().invoke(app, ["certify", "--break", "--new", "--jobs", "1"])
    assert "house-1: 0 of 4 breaks noticed" in told.output, "neither is a survivor that says why"


def test_a_test_that_is_red_unbroken_is_told(clone: Path) -> None:
    told = CliRunner().invoke(app, ["certify", "--break", "--entry", "4"])
    assert "test_red_already is not green while nothing is broken" in told.output


def test_one_entry_is_tried_again_and_the_page_keeps_the_others(clone: Path) -> None:
    assert CliRunner().invoke(app, ["certify", "--break", "--entry", "3", "--entry", "1"]).exit_code == 1
    was = fates(clone)
    assert [fate[:14] for fate in was[3:7]] == ["2 | ○ not trie"] * 3 + ["3 | ✓ noticed "]
    change(
        clone / "tests" / "test_house.py",
        "assert vault.fits(1) and",
        "assert vault.word() == 'vault' and vault.fits(1) and",
    )
    change(clone / "tests" / "breaks" / "house-1.yaml", "broken: amount <= LEAST", "broken: 'amount <= 0'")
    assert CliRunner().invoke(app, ["certify", "--break", "--entry", "1"]).exit_code == 0, "noticed, or explained"
    assert fates(clone)[0] == was[0]
    assert [fate[:13] for fate in fates(clone)[:3]] == ["1 | ✓ noticed"] * 3
    assert fates(clone)[3:] == was[3:]


def test_the_page_of_breaks_is_checked(clone: Path) -> None:
    CliRunner().invoke(app, ["certify", "--break", "--entry", "3"])
    CliRunner().invoke(app, ["certify", "--new"])
    assert CliRunner().invoke(app, ["certify", "--check"]).exit_code == 0
    change(clone / "tests" / "breaks" / "house-1.yaml", "It is a name.", "It is only a name.")
    change(clone / "docs" / "rules" / "house-1-breaks.md", "| 3 |", "| 5 |")
    told = CliRunner().invoke(app, ["certify", "--check"])
    assert told.exit_code == 1
    assert "house-1-breaks.md is not current" in told.output


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("code: 0 < amount", "code: amount", "vault.py has not exactly once"),
        ("code: 0 < amount", "code: gone", "vault.py has not exactly once"),
        ("in: vault.py, code: 0", "in: house.py, code: 0", "house.py has not exactly once"),
        ("broken: 0 <= amount", "broken: 0 < amount", "vault.py has not exactly once"),
        ("broken: 0 <= amount", "broken: 0 <= <= amount", "vault.py is no Python"),
    ],
)
def test_a_break_that_does_not_fit_is_told(clone: Path, old: str, new: str, said: str) -> None:
    change(clone / "tests" / "breaks" / "house-1.yaml", old, new)
    (misfit,) = misfits(clone, read_rules(clone / "docs" / "rules")["house-1"])
    assert misfit.startswith(f"house-1 1: {said}")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("'5':", "'6':", "no testable entry 6"),
        ("'5':", "'9':", "no testable entry 9"),
        ("none:", "no:", "no list of breaks"),
    ],
)
def test_a_list_of_breaks_that_is_none_is_refused(clone: Path, old: str, new: str, said: str) -> None:
    change(clone / "tests" / "breaks" / "house-1.yaml", old, new)
    told = CliRunner().invoke(app, ["certify", "--break"])
    assert isinstance(told.exception, StackError)
    assert said in str(told.exception)
