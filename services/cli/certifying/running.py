"""Runs pytest in a process of its own and hears, test by test, which rules are shown."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from libs.stack import StackError

PLUGIN = "services.cli.certifying.marks"
_LOOK_AGAIN_S = 0.2
_PASSED, _FAILED, _NOTHING_COLLECTED = 0, 1, 5
Tell = Callable[[int, int], None]
"""Tests done, tests in all."""


class Marked(msgspec.Struct):
    """A test with a rule mark. `rules` are the mark's words: regulation, then refs. `outcome` is None until it ran."""

    test: str
    rules: list[list[str]]
    outcome: str | None = None

    @property
    def file(self) -> str:
        return self.test.partition("::")[0]

    @property
    def function(self) -> str:
        """Without its parameters."""
        return self.test.partition("[")[0]


class Heard(msgspec.Struct):
    tests: list[Marked]
    said: str
    """What pytest itself wrote."""


def collect(root: Path, tests: str = "tests", regulation: str = "") -> Heard:
    """Every marked test, none of them run. StackError: pytest cannot even collect them."""
    return _pytest(root, ["--collect-only", tests], regulation, lambda done, total: None)


def run(root: Path, tests: str = "tests", regulation: str = "", tell: Tell = lambda done, total: None) -> Heard:
    """Every marked test, run; the broker and the database are started by the tests that need them."""
    return _pytest(root, [tests], regulation, tell)


def _pytest(root: Path, arguments: list[str], regulation: str, tell: Tell) -> Heard:
    with tempfile.TemporaryDirectory() as folder:
        lines, log = Path(folder, "marks.jsonl"), Path(folder, "pytest.log")
        lines.touch()
        command = [sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "--marks-to", str(lines)]
        command += ["--marks-of", regulation, *arguments]
        with log.open("wb") as said:
            process = subprocess.Popen(command, cwd=root, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
            try:
                while process.poll() is None:
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
            known[line["test"]] = Marked(line["test"], line["rules"])
        elif line is not None and line["test"] in known:
            known[line["test"]].outcome = line["outcome"]
    yield from known.values()


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        line: dict[str, Any] = json.loads(text)
    except ValueError:
        return None  # It is being written at this moment.
    return line
