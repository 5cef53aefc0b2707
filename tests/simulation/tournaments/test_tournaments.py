"""Short form of the simulated tournaments: none fails, planted bugs are caught, a seed replays to the byte."""

import os
from collections import Counter
from contextlib import aclosing
from dataclasses import replace
from random import Random

import pytest

from libs.journal.commit import decode
from services.audit.verifying.findings import Kind
from services.audit.verifying.tournaments import refused_order
from services.tournament.domain import definition
from tests.simulation.bugs import IN_TOURNAMENTS
from tests.simulation.running import outcomes
from tests.simulation.tournaments.crowd import Crowd
from tests.simulation.tournaments.forms import START, form_of
from tests.simulation.tournaments.rails import Faults
from tests.simulation.tournaments.seed import run_seed

SEEDS = int(os.environ.get("TOURNAMENT_SEEDS", "16"))
"""Long form, with up to 500 players: `make sim-tournaments SEEDS=1000`."""
_MOST = 24
PATIENCE = 60
"""Tournaments within which a planted bug must show."""


@pytest.mark.timeout(600)
def test_every_tournament_keeps_every_promise() -> None:
    numbers, fired = Counter[str](), Counter[str]()
    for seed in range(SEEDS):
        outcome = run_seed(seed, _MOST)
        assert not outcome.check, outcome.what
        numbers.update(outcome.figures)
        numbers["hands"] += outcome.hands
        fired.update(outcome.fired)
    # Empty halls and a calm sea would prove nothing.
    assert numbers["tournaments: ended: completed"] > SEEDS / 2
    assert numbers["hands"] > 20 * SEEDS
    assert numbers["moves"] > SEEDS
    assert numbers["rebuys and add-ons"] > SEEDS / 4
    assert numbers["tickets"] > SEEDS / 8
    assert numbers["disqualified"] > SEEDS / 8
    assert numbers["excluded"] > SEEDS / 8
    assert numbers["tournaments: the one that tickets are for: completed"] > 0
    assert min(fired[each] for each in ("lost", "doubled", "policy crashed", "tournament killed", "table killed")) > 0


def test_a_tournament_replays_to_the_byte() -> None:
    assert run_seed(9, _MOST) == run_seed(9, _MOST)


def test_an_order_that_a_table_refuses_is_an_incident(monkeypatch: pytest.MonkeyPatch) -> None:
    """A definition that no table is opened with has slipped through: staff hear why, and not silence."""
    form = form_of(4, _MOST)
    refused = replace(form, faults=Faults(), rules={**form.rules, "table": {**form.rules["table"], "decision_ms": 1}})
    monkeypatch.setattr(definition, "_outside", lambda *given: iter(()))
    crowd = Crowd(refused, Random("refused"))
    crowd.arrive()
    while crowd.rails.now < START + 6 * 60_000 and crowd.rails.step():
        pass
    journals = [each.journal for (service, _), each in crowd.rails.processes.items() if service == "table"]
    found = [finding for journal in journals for record in journal for finding in refused_order(decode(record.value))]
    assert {(each.kind, each.severity) for each in found} == {(Kind.STANDS, "major")}
    assert {each.stream for each in found} == {f"t-1.t{number}" for number in crowd.checks.state.play.tables}
    assert all("outside_rulebook" in each.detail and "decision_ms must be" in each.detail for each in found)


@pytest.mark.parametrize("bug", IN_TOURNAMENTS[:2])
@pytest.mark.timeout(600)
async def test_planted_bugs_are_caught(bug: str) -> None:
    assert await _caught(bug)


@pytest.mark.slow
@pytest.mark.parametrize("bug", IN_TOURNAMENTS)
@pytest.mark.timeout(1800)
async def test_every_planted_bug_is_caught(bug: str) -> None:
    assert await _caught(bug)


async def _caught(bug: str) -> bool:
    async with aclosing(outcomes(0, PATIENCE, 1, bug, "small-tournaments")) as told:
        async for outcome in told:
            if outcome.check:
                return True
    return False
