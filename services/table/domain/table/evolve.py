"""The table's `evolve`, whatever is played: takes any event that ever happened and refuses none."""

from libs.contracts.facts import TableEvent
from libs.contracts.table_events import TableOpened
from services.table.domain.games.registry import game_of
from services.table.domain.table.folding import TableT, fold


def evolve(state: TableT, event: TableEvent) -> TableT:
    """The state after the event; its version is one higher. ChipsLost when chips were made or lost."""
    configuration = state.configuration
    if configuration is None:
        assert isinstance(event, TableOpened), "a table's first event opens it"
        configuration = event.configuration
    return fold(game_of(configuration), state, event)
