"""`case` gives a test the figures of its cases; what was not read, or is not listed, fails it."""

from pathlib import Path

import pytest

from services.cli.certifying.running import run
from tests.cli.certify.small import build, change

TESTS = """
import pytest
from tests.testkit.cases import each_case
rule = pytest.mark.rule

@rule("house-1", "1/1")
def test_all_read(case): assert (case["stack"], case["each"], case.ints("seats")) == (10000, 5000, [2, 4])

@rule("house-1", "1/1")
def test_one_unread(case): assert case["stack"] == 10000 and case["each"]

@rule("house-1", "1/1")
def test_none_asked(): pass

@rule("house-1", "1/2")
def test_no_figures(): pass

@rule("house-1", "1/9")
def test_not_listed(): pass

@rule("house-1", "1/1", "2/1")
def test_more_than_one(case):
    with pytest.raises(KeyError, match="stack is a figure of house-1#1/1 and of house-1#2/1"):
        case["stack"]
    with pytest.raises(KeyError, match="seat is a figure of none"):
        case["seat"]
    with pytest.raises(KeyError, match="3/1 is none"):
        case.of("3/1")
    assert (case.of("1/1")["stack"], case.of("house-1#2/1").int("stack"), case["each"]) == (10000, 60, 5000)
    assert (case["seats"], case.cards("board")) == ([2, 4], ["Th", "9h"])
    assert case.read("stacks", dict[int, int]) == {1: 60}

@each_case("house-1", "1/1", "2/2")
def test_each(case): assert case["stack"] == 10000 and case["each"] == 5000 and case["seats"]

@rule("house-1", "1/1")
def test_skipped(case): pytest.skip("not here")

@rule("house-1", "1/1")
async def test_asynchronous(case): assert case["stack"] and case["each"]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "clone"
    build(root)
    figures = "{stack: 60, board: Th 9h, stacks: {1: 60}}"
    change(root / "docs" / "rules" / "house-1.yaml", "One of two fails.", f"One of two fails., figures: {figures}")
    change(root / "docs" / "rules" / "house-1.yaml", "{says: Shown.}", "{says: Shown., figures: {stack: 10000}}")
    change(root / "pytest.ini", "[pytest]", "[pytest]\nasyncio_mode = auto")
    (root / "tests" / "test_house.py").write_text(TESTS)
    return root


def test_a_test_reads_every_figure_of_its_cases(root: Path) -> None:
    heard = run(root)
    assert {test.test.rpartition("::")[2]: test.outcome for test in heard.tests} == {
        "test_all_read": "passed",
        "test_one_unread": "failed",
        "test_none_asked": "failed",
        "test_no_figures": "passed",
        "test_not_listed": "failed",
        "test_more_than_one": "passed",
        "test_each[1/1]": "passed",
        "test_each[2/2]": "failed",
        "test_skipped": "skipped",
        "test_asynchronous": "failed",
    }
    assert "the test did not read seats of house-1#1/1" in heard.said
    assert "the test did not read each of house-1#1/1, seats of house-1#1/1, stack of house-1#1/1" in heard.said
    assert "house-1 has no listed case 1/9" in heard.said
