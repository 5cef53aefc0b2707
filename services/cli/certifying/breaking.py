"""Runs the tests of an entry while its code is broken, each break in a process of its own."""

import json
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from enum import StrEnum
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from libs.stack_error import StackError
from services.cli.certifying.breaks import Break
from services.cli.certifying.page import link
from services.cli.certifying.running import Marked, Tell, run

_PLANTED = Path(__file__).parent / "planted"
_NO_BREAK = ("NameError", "ImportError", "ModuleNotFoundError", "SyntaxError", "IndentationError")
"""What a test dies of when the break is nonsense; it has noticed nothing then."""
_NO_CODE = ("TypeError", "AttributeError", "UnboundLocalError")
"""The same, where the broken file itself raises it: the code can't run any more, whatever the rule says."""
_HANGS = "Failed: Timeout"
_TEST_S, _ALL_S = 180, 900
"""A test may wait out a minute's notice on the real house, as tests/e2e/test_change_rules.py does."""
_FIRST = ["--maxfail", "1", "-o", f"timeout={_TEST_S}"]


class Fate(StrEnum):
    NOTICED = "✓ noticed"
    SURVIVED = "✗ survived"
    UNTIED = "✗ no test"
    NOT_VALID = "◐ not valid"


class Verdict(msgspec.Struct, frozen=True):
    fate: Fate
    by: str
    """A link to the test that noticed it, or why it is not valid."""


class Planned(msgspec.Struct, frozen=True):
    ref: str
    it: Break
    tests: list[Marked]
    """Those tied to the entry or a case of it, green while nothing is broken."""


def plan(regulation: str, breaks: Iterable[tuple[str, Break]], green: list[Marked]) -> list[Planned]:
    """A test that shows a case of the entry is asked before one that only names it: the case's figures notice first."""
    tied: dict[str, list[Marked]] = {}
    for test in green:
        for entry in {ref.partition("/")[0] for ref in test.refs(regulation)}:
            tied.setdefault(entry, []).append(test)

    def by_name_only(ref: str, test: Marked) -> bool:
        return not any(named.startswith(f"{ref}/") for named in test.refs(regulation))

    return [Planned(ref, it, sorted(tied.get(ref, []), key=partial(by_name_only, ref))) for ref, it in breaks]


def break_each(root: Path, planned: list[Planned], jobs: int, tell: Tell) -> Iterator[tuple[tuple[str, str], Verdict]]:
    """Entry, the break's id and the verdict, as each is done. StackError: a break does not fit its file."""
    texts = [each.it.text(root) for each in planned]
    with TemporaryDirectory() as compiled, ThreadPoolExecutor(jobs) as pool:
        tried = [pool.submit(_break, root, each, text, compiled) for each, text in zip(planned, texts, strict=True)]
        running = dict(zip(tried, planned, strict=True))
        try:
            for count, done in enumerate(as_completed(running), 1):
                tell(count, len(planned))
                yield (running[done].ref, running[done].it.id), done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _break(root: Path, planned: Planned, text: str, compiled: str) -> Verdict:
    """`compiled`: where Python keeps what it compiles, for the next break; the broken file is never kept."""
    if not planned.tests:
        return Verdict(Fate.UNTIED, "")
    broken = root / planned.it.file
    env = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "PYTHONPYCACHEPREFIX": compiled,
        "CROUPIER_BREAK": json.dumps({"path": str(broken), "text": text}),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(_PLANTED), os.environ.get("PYTHONPATH")))),
    }
    # What needs broker and database comes last: mostly a test without them notices first, and they are not even asked.
    for late in (False, True):
        names = [test.test for test in planned.tests if test.late is late]
        verdict = _tried(root, names, env, broken) if names else None
        if verdict is not None:
            return verdict
    return Verdict(Fate.SURVIVED, "")


def _tried(root: Path, names: list[str], env: dict[str, str], broken: Path) -> Verdict | None:
    """None: all passed."""
    try:
        heard = run(root, [*_FIRST, *names], env=env, limit_s=_ALL_S)
    except StackError as wrong:
        return Verdict(Fate.NOT_VALID, _last_line(str(wrong)))
    for test in heard.tests:
        if test.outcome == "failed":
            nonsense = _is_nonsense(test, broken)
            return Verdict(Fate.NOT_VALID, test.died_of) if nonsense else Verdict(Fate.NOTICED, link(test.function))
    return None


def _is_nonsense(test: Marked, broken: Path) -> bool:
    in_it = test.died_in == os.path.realpath(broken)
    return test.died_of.startswith((*_NO_BREAK, _HANGS)) or (in_it and test.died_of.startswith(_NO_CODE))


def _last_line(text: str) -> str:
    """pytest's own error, which it marks with an E."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line[1:].strip() for line in reversed(lines) if line.startswith("E ")), lines[-1])
