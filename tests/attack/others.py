"""Attacks that have tests of their own: floods, slow clients, forged records, roles, logins."""

import re
import subprocess
import sys
import time

from tests.attack.rows import Row
from tests.conftest import PROJECT

OTHERS: dict[str, tuple[str, ...]] = {
    "a table flooded by a session without an account (C1)": ("tests/e2e/test_flood.py",),
    "nonsense at every door of a hand that is played": ("tests/e2e/test_nonsense.py",),
    "floods of heads, slow clients, endless bodies, sockets that read nothing (H1, H3)": (
        "tests/edge",
        "tests/e2e/test_rude_people.py",
    ),
    "records of every kind forged on every topic, by whoever reaches the broker": ("tests/e2e/test_forging.py",),
    "every login of the broker at every topic": ("tests/broker",),
    "every endpoint asked by every role": ("tests/e2e/test_roles.py", "tests/identity"),
}
"""What is attacked, and where; a file that is not there yet is left out and the row says so."""


def tried(what: str, files: tuple[str, ...]) -> Row:
    row = Row(what, found_by=", ".join(f"`{file}`" for file in files))
    there = [file for file in files if (PROJECT / file).exists()]
    if not there:
        row.said["not here yet"] += 1
        return row
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *there]
    ended = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    for count, outcome in re.findall(r"(\d+) (passed|failed|error|skipped)", ended.stdout.splitlines()[-1]):
        row.said[f"tests {outcome}"] += int(count)
        row.tried += int(count)
    if ended.returncode:
        row.wrong("; ".join(line for line in ended.stdout.splitlines() if line.startswith(("FAILED", "ERROR")))[:400])
    row.seconds = time.monotonic() - began
    return row
