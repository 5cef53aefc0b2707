"""A table whose random source failed its health test deals no more, and says why."""

from libs.contracts.table_commands import WakeTable
from libs.contracts.table_events import ENTROPY_UNHEALTHY, TablePaused
from libs.decider import Decided, Given
from libs.sealing.health import EntropyUnhealthy
from services.table.domain.games.poker.decide import hand_due
from services.table.domain.table.decide import decide, evolve
from services.table.domain.table.waking import next_wake
from services.table.machine import fresh_supply
from tests.table.play import TableUnderTest
from tests.table.under_test import TIMER

WAKE = WakeTable(due=0)


def test_a_due_hand_without_entropy_pauses_the_table_and_nothing_else() -> None:
    state = TableUnderTest().seat(1, 2).state
    due = hand_due(state)
    assert due is not None
    told = decide(state, WAKE, Given(due, None, TIMER))
    assert isinstance(told, Decided)
    assert told.events == [TablePaused(at=due, table=state.table, by="house", reason=ENTROPY_UNHEALTHY)]
    assert next_wake(evolve(state, told.events[0])) is None


class Broken:
    """A shuffler whose source has failed."""

    def shuffle(self) -> None:
        raise EntropyUnhealthy("repetition count")


def test_a_failed_source_is_told_to_the_house_each_time() -> None:
    told: list[str] = []
    supply = fresh_supply(Broken(), lambda: told.append("unhealthy"))  # type: ignore[arg-type]
    assert supply(TableUnderTest().state, WAKE) is None
    assert told == ["unhealthy"]
