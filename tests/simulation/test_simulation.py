"""Short form of the simulation: seeds without a failure, planted bugs caught, a seed that replays to the byte."""

import asyncio
import os
import subprocess
import sys
from contextlib import aclosing

import pytest

from tests.simulation.bugs import ALSO_IN_THE_BANK, BUGS, IN_TOURNAMENTS, PACKAGES
from tests.simulation.running import ROOT, Outcome, Sum, outcomes
from tests.testkit.mutation import place_of

SEEDS = int(os.environ.get("SIMULATION_SEEDS", "16"))
"""Long form: `make sim SEEDS=5000`."""
QUICKLY_CAUGHT = (
    "no-dedupe", "marks-not-looked-at", "credited-twice", "deck-redrawn-on-resume", "cards-in-the-log",
    "coup-paid-twice", "undealt-card-published", "forgotten-a-generation-early", "put-by-for-ever", "moved-twice",
)  # fmt: skip
"""One of each kind, each in many seeds; all of them: `make sim-bugs`."""
PATIENCE = 20
"""Seeds within which such a bug must show."""


@pytest.mark.timeout(600)
async def test_every_seed_keeps_every_promise() -> None:
    total = Sum()
    async for outcome in outcomes(0, SEEDS, 2):
        total.add(outcome)

    assert [outcome.what for outcome in total.failing] == []
    # A calm sea would prove nothing: work was done, rivals wrote, clients were left in doubt, hands were played.
    assert total.seeds == SEEDS
    assert total.numbers["commits"] > 30 * SEEDS
    assert total.numbers["hands"] > SEEDS / 4
    assert total.numbers["rounds"] > SEEDS / 8
    assert total.numbers["coups"] > SEEDS / 8
    assert total.fired["house moved"] > SEEDS / 8
    # Four groups in one to eight partitions; with marks, but for those that somebody had moved.
    assert total.fired["position carried over"] > 4 * total.fired["house moved"]
    assert total.fired["days idle"] + total.fired["days away"] > SEEDS / 8
    assert total.fired["asked again years later"] > SEEDS
    for quantity in (total.numbers["void"], total.numbers["unknown"], total.fired["crash"], total.fired["zombie"],
                     total.fired["forged"], total.fired["replayed"], total.fired["insider"]):  # fmt: skip
        assert quantity > SEEDS / 4


@pytest.mark.timeout(600)
async def test_planted_bugs_are_caught() -> None:
    two_at_a_time = asyncio.Semaphore(2)

    async def caught(bug: str) -> bool:
        async with two_at_a_time:
            return await _first_failing(bug, PATIENCE) is not None

    assert await asyncio.gather(*map(caught, QUICKLY_CAUGHT)) == [True] * len(QUICKLY_CAUGHT), QUICKLY_CAUGHT


@pytest.mark.slow
@pytest.mark.parametrize("bug", sorted(BUGS.keys() - set(IN_TOURNAMENTS)))
@pytest.mark.timeout(1800)
async def test_every_planted_bug_is_caught(bug: str) -> None:
    worlds = ("bank", "house") if bug in ALSO_IN_THE_BANK else ("house",)
    found = [await _first_failing(bug, 120, world) for world in worlds]

    assert any(found), f"{bug} went unnoticed"


def test_what_planted_bugs_replace_is_in_the_source() -> None:
    """The source moves on; a bug that is planted nowhere would go unnoticed for ever."""
    for bug in BUGS.values():
        place = place_of(bug, ROOT, PACKAGES)
        compile(place.read_text().replace(bug.old, bug.new), str(place), "exec")


@pytest.mark.timeout(600)
def test_a_seed_replays_to_the_byte_in_another_process() -> None:
    assert _fingerprint("1") == _fingerprint("12345")


def _fingerprint(hash_seed: str) -> str:
    found = subprocess.run(
        [sys.executable, "-m", "tests.simulation.worker", "3", "1", "4"],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=280,
    )
    return found.stdout


async def _first_failing(bug: str, seeds: int, world: str = "house") -> Outcome | None:
    async with aclosing(outcomes(0, seeds, 1, bug, world)) as told:
        async for outcome in told:
            if outcome.check:
                return outcome
    return None
