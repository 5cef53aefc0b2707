"""Short form of the simulation: seeds without a failure, and every planted bug caught."""

import logging
import os
import subprocess
import sys

import pytest

from tests.journal.simulation.bugs import BUGS
from tests.journal.simulation.seed import run_seed

SEEDS = int(os.environ.get("JOURNAL_SEEDS", "40"))
"""Long form: `python -m tests.journal.simulation --seeds 5000`."""
PATIENCE = 120
"""Seeds within which a planted bug must show."""
CAUGHT_BY = {
    "contiguous-is-valid": 2, "never-ships-again": 4, "parts-mixed": 5, "policies-turned-away": 20,
    "put-off-passed": 20, "seal-without-place": 3, "sent-on-behind-a-failure": 2,
    "snapshot-before-acknowledgement": 2, "start-at-manifest": 2, "wrong-order": 9,
}  # fmt: skip
"""The first seed that does, which is tried first; the others follow where the code has moved on."""


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("first", range(0, SEEDS, 20))
def test_every_seed_keeps_every_promise(first):
    outcomes = {seed: run_seed(seed) for seed in range(first, min(first + 20, SEEDS))}

    assert {seed: outcome.broken for seed, outcome in outcomes.items() if outcome.broken} == {}
    # A storm that voids nothing would prove nothing.
    assert sum(outcome.commits for outcome in outcomes.values()) > 50 * len(outcomes)
    assert sum(outcome.void for outcome in outcomes.values()) > 5 * len(outcomes)


@pytest.mark.parametrize("bug", sorted(BUGS))
def test_a_planted_bug_is_caught(bug):
    with BUGS[bug]():
        seeds = sorted(range(PATIENCE), key=lambda seed: seed != CAUGHT_BY.get(bug, 0))
        assert any(run_seed(seed).broken for seed in seeds), f"{bug} went unnoticed"


def test_a_seed_replays_to_the_byte_in_another_process():
    code = "import logging; logging.disable(50); from tests.journal.simulation.seed import run_seed; print(run_seed(5))"
    there = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert there.stdout.strip() == str(run_seed(5))
