"""The proof is proved: what is tied and green is shown, everything else is not, and a page that lies is found."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from libs.stack import StackError
from services.cli import certify as command
from services.cli.__main__ import app
from services.cli.certifying.results import Certificate, Result, certify_rules, outcomes_of, outcomes_on, page_of
from services.cli.certifying.rules import read_rules
from services.cli.certifying.running import collect, run

LIST = """
regulation: house-1
matrix: house-1-matrix
title: House rules
source: The house
entries:
  '1': {asks: Green., service: table, kind: betting, section: One}
  '2': {asks: Red., service: table, kind: betting}
  '3': {asks: Skipped., service: table, kind: betting}
  '4': {asks: Half a thing., service: table, kind: betting, missing: The other half.}
  '5': {asks: Nobody came., service: console, kind: ui, section: Two}
  '6': {asks: A word., service: table, kind: definition, nothing: Definition.}
"""
TESTS = """
import pytest
rule = pytest.mark.rule

@rule("house-1", "1")
@pytest.mark.parametrize("n", [1, 2])
def test_green(n): pass

@rule("house-1", "2")
@pytest.mark.parametrize("n", [1, 2])
def test_red(n): assert n == 1

@rule("house-1", "1", "3")
def test_both(): pass

@rule("house-1", "3")
def test_skipped(): pytest.skip("not here")

@rule("house-1", "4")
def test_half(): pass

def test_no_rule(): assert False
"""
MATRIX = """
id: house-1-matrix
rules:
- {ref: '1', service: table, kind: betting, testable: true}
- {ref: '2', service: table, kind: betting, testable: true}
- {ref: '3', service: table, kind: betting, testable: true}
- {ref: '4', service: table, kind: betting, testable: true}
- {ref: '5', service: console, kind: ui, testable: true}
- {ref: '6', service: table, kind: definition, testable: false}
"""


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small clone with its own tests and list, and the matrix beside it."""
    root = tmp_path / "clone"
    for folder in (root / "tests", root / "docs" / "rules", tmp_path / "shared" / "regulations"):
        folder.mkdir(parents=True)
    (root / "pytest.ini").write_text("[pytest]\nmarkers = rule\n")
    (root / "tests" / "test_house.py").write_text(TESTS)
    (root / "docs" / "rules" / "house-1.yaml").write_text(LIST)
    (tmp_path / "shared" / "regulations" / "house.yaml").write_text(MATRIX)
    monkeypatch.setattr(command, "ROOT", root)
    monkeypatch.setenv("CROUPIER_SHARED", str(tmp_path / "shared"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return root


def certificate_of(clone: Path) -> Certificate:
    heard = run(clone)
    rules = read_rules(clone / "docs" / "rules")["house-1"]
    return certify_rules(rules, heard.tests, outcomes_of(rules, heard.tests))


def write_page(clone: Path) -> Path:
    page = clone / "docs" / "rules" / "house-1.md"
    page.write_text(page_of(certificate_of(clone)), encoding="utf-8")
    return page


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_one_result_for_each_entry(clone: Path) -> None:
    certificate = certificate_of(clone)
    assert {line.ref: line.result for line in certificate.lines} == {
        "1": Result.SHOWN,
        "2": Result.FAILING,
        "3": Result.NOT_YET,
        "4": Result.IN_PART,
        "5": Result.NOT_YET,
        "6": Result.NOTHING,
    }
    assert [test.rpartition("::")[2] for test in certificate.lines[0].tests] == ["test_both", "test_green"]
    assert (certificate.testable, certificate.tests, certificate.complete) == (5, 7, False)


def test_the_page_says_it_all_and_can_be_read_back(clone: Path) -> None:
    page = write_page(clone).read_text(encoding="utf-8")
    assert "- **4** (in part): The other half." in page
    assert "| 2 | Red. | table | ✗ failing | · [red](../../tests/test_house.py) |" in page
    assert outcomes_on(page) == {"1": "passed", "2": "failed", "3": None, "4": "passed", "5": None, "6": None}


def test_the_command_succeeds_only_when_everything_is_shown(clone: Path) -> None:
    told = CliRunner().invoke(app, ["certify", "--json"])
    assert told.exit_code == 1
    (document,) = json.loads(told.stdout)
    assert (document["complete"], document["totals"]["failing"]) == (False, 1)
    change(clone / "tests" / "test_house.py", "assert n == 1", "pass")
    change(clone / "tests" / "test_house.py", 'pytest.skip("not here")', "pass")
    change(clone / "tests" / "test_house.py", '"house-1", "4"', '"house-1", "4", "5"')
    change(clone / "docs" / "rules" / "house-1.yaml", ", missing: The other half.", "")
    told = CliRunner().invoke(app, ["certify", "--json"])
    assert told.exit_code == 0, told.output
    assert "Nothing is left to show." in (clone / "docs" / "rules" / "house-1.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("tests/test_house.py", '"house-1", "4"', '"house-1", "4", "5"'),
        ("tests/test_house.py", "def test_half", "def test_other_half"),
        ("docs/rules/house-1.yaml", "Green.", "Greener."),
        ("docs/rules/house-1.md", "✗ failing", "✓ shown"),
        ("docs/rules/house-1.md", "| 5 |", "| 4 |"),
    ],
)
def test_a_page_that_is_not_current_is_found(clone: Path, file: str, old: str, new: str) -> None:
    write_page(clone)
    assert CliRunner().invoke(app, ["certify", "--check"]).exit_code == 0
    change(clone / file, old, new)
    told = CliRunner().invoke(app, ["certify", "--check"])
    assert told.exit_code == 1
    assert "docs/rules/house-1.md is not current" in told.output


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ('"house-1", "7"', "house-1 has no entry 7"),
        ('"house-9", "1"', "there is no regulation house-9"),
        ('"house-1"', "names a regulation and at least one entry"),
    ],
)
def test_marks_that_name_what_there_is_not_are_refused(clone: Path, mark: str, said: str) -> None:
    change(clone / "tests" / "test_house.py", '"house-1", "4"', mark)
    for how in ([], ["--check"]):
        told = CliRunner().invoke(app, ["certify", *how])
        assert isinstance(told.exception, StackError)
        assert said in str(told.exception)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  '5': {asks: Nobody came., service: console, kind: ui, section: Two}\n", ""),
        ("'5': {", "'55': {"),
        ("asks: Red., service: table", "asks: Red., service: wallet"),
        ("kind: definition, nothing: Definition.", "kind: definition"),
        ("house-1-matrix", "house-2-matrix"),
    ],
)
def test_a_list_that_is_not_the_matrix_is_refused(clone: Path, old: str, new: str) -> None:
    change(clone / "docs" / "rules" / "house-1.yaml", old, new)
    told = CliRunner().invoke(app, ["certify"])
    assert isinstance(told.exception, StackError)


def test_without_the_matrices_it_is_one_line(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_SHARED", str(clone / "nowhere"))
    told = CliRunner().invoke(app, ["certify"])
    assert isinstance(told.exception, StackError)
    assert "\n" not in str(told.exception)
    write_page(clone)
    assert CliRunner().invoke(app, ["certify", "--check"]).exit_code == 0, "a page can be checked without them"


def test_what_pytest_cannot_read_is_told(clone: Path) -> None:
    (clone / "tests" / "test_house.py").write_text("def test_(:\n")
    with pytest.raises(StackError, match="pytest could not do its work"):
        collect(clone)
