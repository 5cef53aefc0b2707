"""A random source that fails its health test: nobody is seated by lot, and the process says so."""

from typing import Any

from libs.contracts.tournaments_commands import WakeTournament
from libs.sealing.health import EntropyUnhealthy
from libs.telemetry.entropy import ENTROPY_UNHEALTHY, EntropyWatch
from services.tournament.domain.state import Tournament
from services.tournament.machine import tournament_machine


class Broken:
    def __getattr__(self, name: str) -> Any:
        raise EntropyUnhealthy("repetition count")


def test_a_failed_source_is_told_and_gives_no_lots() -> None:
    watch = EntropyWatch("nobody is seated by lot")
    assert watch.problem is None
    before = ENTROPY_UNHEALTHY._value.get()
    machine = tournament_machine(Broken(), watch.failed)  # type: ignore[arg-type]
    assert machine.fresh(Tournament("t", phase="registering"), WakeTournament(due=1)) is None
    assert watch.problem == "the random source failed its health test"
    assert ENTROPY_UNHEALTHY._value.get() == before + 1
