"""Runs pytest in a process of its own and hears, test by test, which rules are shown."""

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from libs.stack_error import StackError

PLUGIN = "services.cli.certifying.marks"
_LOOK_AGAIN_S = 0.2
_PASSED, _FAILED, _NOTHING_COLLECTED = 0, 1, 5
Tell = Callable[[int, int], None]
"""Tests done, tests in all."""


class Marked(msgspec.Struct):
    """A test with a rule mark. `rules` are the mark's words: regulation, then refs. `outcome` is None until it ran."""

    test: str
    rules: list[list[str]]
    late: bool = False
    """Slow, or needs the broker or the database."""
    outcome: str | None = None
    died_of: str = ""
    """Why it failed, in a line."""
    died_in: str = ""
    """The file that raised it, as pytest names it."""

    @property
    def file(self) -> str:
        return self.test.partition("::")[0]

    @property
    def function(self) -> str:
        """Without its parameters."""
        return self.test.partition("[")[0]

    def refs(self, regulation: str) -> set[str]:
        """Entries and cases that it is tied to."""
        return {ref for words in self.rules if words[:1] == [regulation] for ref in words[1:]}


class Heard(msgspec.Struct):
    tests: list[Marked]
    said: str
    """What pytest itself wrote."""


def collect(root: Path, tests: str = "tests", regulation: str = "") -> Heard:
    """Every marked test, none of them run. StackError: pytest cannot even collect them."""
    return run(root, ["--collect-only", tests], regulation)


def run(
    root: Path,
    arguments: Iterable[str] = ("tests",),
    regulation: str = "",
    tell: Tell = lambda done, total: None,
    *,
    env: Mapping[str, str] | None = None,
    limit_s: float = math.inf,
) -> Heard:
    """Every marked test among `arguments`, run; the broker and the database are started by the tests that need them.

    StackError: pytest could not collect them, or was not done after `limit_s`.
    """
    with tempfile.TemporaryDirectory() as folder:
        lines, log = Path(folder, "marks.jsonl"), Path(folder, "pytest.log")
        lines.touch()
        command = [sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "--marks-to", str(lines)]
        command += ["--marks-of", regulation, *arguments]
        with log.open("wb") as said:
            process = subprocess.Popen(command, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
            until = time.monotonic() + limit_s
            try:
                while process.poll() is None and time.monotonic() < until:
                    heard = list(_read(lines))
                    tell(sum(test.outcome is not None for test in heard), len(heard))
                    time.sleep(_LOOK_AGAIN_S)
            finally:
                process.terminate()
                process.wait()
        text = log.read_text(encoding="utf-8", errors="replace")
        if process.returncode not in (_PASSED, _FAILED, _NOTHING_COLLECTED):
            raise StackError(f"pytest could not do its work:\n{text[-4000:]}")
        return Heard(list(_read(lines)), text)


def _read(file: Path) -> Iterator[Marked]:
    known: dict[str, Marked] = {}
    for text in file.read_text(encoding="utf-8").splitlines():
        line = _parsed(text)
        if line is not None and "rules" in line:
            known[line["test"]] = Marked(line["test"], line["rules"], line["late"])
        elif line is not None and line["test"] in known:
            test = known[line["test"]]
            test.outcome, test.died_of, test.died_in = line["outcome"], line["died_of"], line["died_in"]
    yield from known.values()


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        line: dict[str, Any] = json.loads(text)
    except ValueError:
        return None  # It is being written at this moment.
    return line
