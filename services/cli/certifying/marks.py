"""A pytest plugin: takes the tests that carry a rule mark; writes line by line what they are and how they end.

The lines go to the file named by `--marks-to`; `--marks-of` keeps one regulation.
"""

import json
from pathlib import Path
from typing import Any

import pytest

MARK = "rule"
_STACK = {"stack", "kafka", "topics", "database"}
"""Fixtures of the real broker and database."""
_LATE = ("stack", "slow")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--marks-to", default="", help="file for what is collected and how it ends, a JSON object a line")
    parser.addoption("--marks-of", default="", help="only tests of this regulation")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.marks_to:
        config.pluginmanager.register(_Writer(Path(config.option.marks_to), config.option.marks_of))


def _is_late(item: pytest.Item) -> bool:
    return not _STACK.isdisjoint(getattr(item, "fixturenames", ())) or any(map(item.get_closest_marker, _LATE))


class _Writer:
    def __init__(self, out: Path, regulation: str) -> None:
        self._out = out
        self._regulation = regulation
        self._outcomes: dict[str, str] = {}
        self._died_of: dict[str, tuple[str, str]] = {}
        """Why, and in which file."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        kept = [item for item in items if self._rules(item)]
        config.hook.pytest_deselected(items=[item for item in items if not self._rules(item)])
        items[:] = kept
        for item in kept:
            self._write({"test": item.nodeid, "rules": self._rules(item), "late": _is_late(item)})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test has passed when no phase of it failed or was skipped."""
        before = self._outcomes.get(report.nodeid, "passed")
        self._outcomes[report.nodeid] = report.outcome if before == "passed" else before
        crash = getattr(report.longrepr, "reprcrash", None)
        if report.failed and crash is not None:
            self._died_of.setdefault(report.nodeid, (str(crash.message).partition("\n")[0], str(crash.path)))
        if report.when == "teardown":
            died_of, died_in = self._died_of.get(report.nodeid, ("", ""))
            ended = {"outcome": self._outcomes[report.nodeid], "died_of": died_of, "died_in": died_in}
            self._write({"test": report.nodeid, **ended})

    def _rules(self, item: pytest.Item) -> list[list[str]]:
        named = [[str(arg) for arg in mark.args] for mark in item.iter_markers(MARK)]
        return [rule for rule in named if not self._regulation or rule[:1] == [self._regulation]]

    def _write(self, line: dict[str, Any]) -> None:
        with self._out.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")
