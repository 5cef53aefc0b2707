"""A small clone with its own code, tests and list, and the matrix beside it."""

from pathlib import Path

LIST = """
regulation: house-1
matrix: house-1-matrix
title: House rules
source: The house
entries:
  '1': {asks: Green., service: table, kind: betting, section: One, cases: [
    {says: Buys in., figures: {stack: 10000, each: 5000, seats: [2, 4]}}, {says: No figures., reading: Ours.}]}
  '2': {asks: Red., service: table, kind: betting, cases: [{says: One of two fails.}, {says: Shown.}]}
  '3': {asks: Skipped., service: table, kind: betting, cases: [{says: Skipped.}]}
  '4': {asks: Half a thing., service: table, kind: betting, cases: [
    {says: Half., missing: The other half.}, {says: Nothing of it.}]}
  '5': {asks: Nobody came., service: console, kind: ui, section: Two, cases: 2}
  '6': {asks: A word., service: table, kind: definition, nothing: Definition.}
"""
TESTS = """
import pytest
rule = pytest.mark.rule

@rule("house-1", "1/1")
@pytest.mark.parametrize("n", [1, 2])
def test_green(case, n): assert case["stack"] == case["each"] * len(case.ints("seats"))

@rule("house-1", "2/1", "2/2")
def test_shown(): pass

@rule("house-1", "2/1")
@pytest.mark.parametrize("n", [1, 2])
def test_red(n): assert n == 1

@rule("house-1", "1/2", "3/1")
def test_both(): pass

@rule("house-1", "3/1")
def test_skipped(): pytest.skip("not here")

@rule("house-1", "4", "4/1")
def test_half(): pass

@rule("house-1", "5")
def test_entry_only(): pass

def test_no_rule(): assert False
"""
MATRIX = """
id: house-1-matrix
rules:
- {ref: '1', service: table, kind: betting, testable: true, ambiguity: It is open. Read so., accept: [
    {given: 'Seats 2 and 4 with 5000 each, 10000 in all.', when: They play by rule 17., then: Nothing is lost (see 9).},
    {given: Nothing., when: Nothing., then: Nothing.}]}
- {ref: '2', service: table, kind: betting, testable: true, accept: [{given: ., when: ., then: .}, {given: .}]}
- {ref: '3', service: table, kind: betting, testable: true, ambiguity: 'This | that is open. Read: that.',
  accept: [{given: ., when: ., then: .}]}
- {ref: '4', service: table, kind: betting, testable: true, accept: [{given: .}, {given: .}]}
- {ref: '5', service: console, kind: ui, testable: true, accept: [{given: .}, {given: .}]}
- {ref: '6', service: table, kind: definition, testable: false, ambiguity: Which word?}
"""


def build(root: Path) -> None:
    for folder in (root / "tests", root / "docs" / "rules", root.parent / "shared" / "regulations"):
        folder.mkdir(parents=True)
    (root / "pytest.ini").write_text("[pytest]\nmarkers = rule\naddopts = --import-mode=importlib\n")
    (root / "conftest.py").write_text('pytest_plugins = ["tests.testkit.cases"]\n')
    (root / "tests" / "test_house.py").write_text(TESTS)
    (root / "docs" / "rules" / "house-1.yaml").write_text(LIST)
    (root.parent / "shared" / "regulations" / "house.yaml").write_text(MATRIX)


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
