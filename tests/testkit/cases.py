"""The figures of the cases that a test is tied to, read from `docs/rules` and not typed again.

`@pytest.mark.rule("pt-811-2015", "11.a/1")` ties a test to the first case of entry 11.a, and its argument `case` gives
the figures: `case["stack"]`. A test that passes and left a figure of its cases unread fails.
"""

from collections.abc import Generator, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from services.cli.certifying.rules import read_rules

MARK = "rule"
T = TypeVar("T")


class Case:
    """Figures by name, of one case or of all cases of a test. KeyError where a name is none's, or more than one's."""

    def __init__(self, figures: dict[str, dict[str, Any]], unread: set[tuple[str, str]]) -> None:
        self._figures = figures
        self._unread = unread

    def of(self, ref: str) -> "Case":
        """One of several cases: `11.a/2`, or `mo-97-2010#4.2/1` where two regulations have the number."""
        meant = [it for it in self._figures if ref in (it, it.partition("#")[2])]
        if len(meant) != 1:
            raise KeyError(f"the test is tied to {', '.join(self._figures) or 'no case'}; {ref} is none or not one")
        return Case({meant[0]: self._figures[meant[0]]}, self._unread)

    def __getitem__(self, name: str) -> Any:
        having = [ref for ref, figures in self._figures.items() if name in figures]
        if len(having) != 1:
            raise KeyError(f"{name} is a figure of {' and of '.join(having) or 'none'} of {', '.join(self._figures)}")
        self._unread.discard((having[0], name))
        return self._figures[having[0]][name]

    def read(self, name: str, kind: type[T]) -> T:
        """As `kind`, such as `dict[int, int]`; another kind is an error."""
        return msgspec.convert(self[name], kind)

    def int(self, name: str) -> "_int":
        return self.read(name, _int)

    def ints(self, name: str) -> "list[_int]":
        return self.read(name, list[_int])

    def text(self, name: str) -> str:
        return self.read(name, str)

    def moment(self, name: str) -> "_int":
        """A time of day, `20:15` or `12:00:19.999`, in milliseconds since midnight."""
        hours, minutes, seconds = [*map(float, self.text(name).split(":")), 0.0][:3]
        return round(((hours * 60 + minutes) * 60 + seconds) * 1000)

    def cards(self, name: str) -> list[str]:
        """Written as `Ah Kd 7c`."""
        return self.text(name).split()


_int = int
_TIED = pytest.StashKey[tuple[Case, set[tuple[str, str]]]]()


def each_case(regulation: str, *refs: str) -> pytest.MarkDecorator:
    """The test runs once for each of the cases, tied to it, with its figures in `case`."""
    params = [pytest.param(ref, marks=pytest.mark.rule(regulation, ref), id=ref) for ref in refs]
    return pytest.mark.parametrize("case", params, indirect=True)


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Case:
    """The figures of the cases that this test's marks name."""
    found, _ = _tied(request.node)
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Fail what passed with a figure unread."""
    yield
    _, unread = _tied(item)
    if unread:
        named = ", ".join(f"{name} of {ref}" for ref, name in sorted(unread))
        pytest.fail(f"the test did not read {named} (see `case` in tests/testkit/cases.py)", pytrace=False)


def _tied(item: pytest.Item) -> tuple[Case, set[tuple[str, str]]]:
    if _TIED not in item.stash:
        named = [(str(mark.args[0]), str(ref)) for mark in item.iter_markers(MARK) for ref in mark.args[1:]]
        figures = dict(_figures(item.config.rootpath, [(name, ref) for name, ref in named if "/" in ref]))
        unread = {(ref, name) for ref, of_it in figures.items() for name in of_it}
        item.stash[_TIED] = Case(figures, unread), unread
    return item.stash[_TIED]


def _figures(root: Path, named: Iterable[tuple[str, str]]) -> Iterable[tuple[str, dict[str, Any]]]:
    for regulation, ref in named:
        listed = _listed(root).get(regulation, {})
        if ref not in listed:
            pytest.fail(f"{regulation} has no listed case {ref}", pytrace=False)
        yield f"{regulation}#{ref}", listed[ref]


@cache
def _listed(root: Path) -> dict[str, dict[str, dict[str, Any]]]:
    known = read_rules(root / "docs" / "rules")
    return {name: {ref: case.figures for ref, case in rules.cases.items()} for name, rules in known.items()}
