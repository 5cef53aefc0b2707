"""The rules of a table in one place to start reading: who may ask, which part decides, events or one reason why not."""

from libs.contracts.commands import TableCommand
from libs.contracts.facts import TableEvent
from libs.contracts.table_commands import OpenTable, WakeTable
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.tournament_commands import OpenTournamentTable
from libs.decider import Decided, Given, Rejected
from services.table.domain.games.registry import TOURNAMENT_GAMES, elsewhere, game_of
from services.table.domain.table import (
    changing,
    closing,
    connection,
    leaving,
    pausing,
    seating,
    sitting_out,
    topping_up,
    waking,
)
from services.table.domain.table.bank.handlers import BANK_COMMANDS
from services.table.domain.table.evolve import evolve
from services.table.domain.table.floor.handlers import FLOOR_COMMANDS
from services.table.domain.table.handlers import handlers_in
from services.table.domain.table.opening import open_table
from services.table.domain.table.rejections import outside_rulebook, rejected
from services.table.domain.table.state import Table
from services.table.domain.table.story import AnyStory, Story, Supply
from services.table.domain.table.tournament.gate import refuse_in_tournament
from services.table.domain.table.tournament.handlers import TOURNAMENT_COMMANDS
from services.table.domain.table.tournament.opening import open_tournament_table
from services.table.rulebooks.library import find_rulebook
from services.table.rulebooks.tournaments import configure_table

AT_ANY_TABLE = {
    **handlers_in(changing, closing, connection, leaving, pausing, seating, sitting_out, topping_up, waking),
    **FLOOR_COMMANDS,
    **BANK_COMMANDS,
    **TOURNAMENT_COMMANDS,
}
"""Commands that are decided alike whatever is played; those of a game are in its `game.py`."""


_OPENING = (OpenTable, OpenTournamentTable)


def decide(state: Table, command: TableCommand, given: Given[Supply]) -> Decided[Table, TableEvent] | Rejected:
    """Events in the order of public versions (none: accepted, nothing to do), with the state after each."""
    if given.by.kind not in command.may_ask:
        return rejected(Reason.NOT_ALLOWED, state.configuration)
    if isinstance(command, _OPENING):
        return _open(state, command, given)
    rules, kind = state.configuration, type(command)
    if rules is None or state.status == "closed":
        return Decided() if kind is WakeTable else rejected(Reason.TABLE_NOT_OPEN, rules)
    if command.only_while_open and state.status == "closing":
        return rejected(Reason.TABLE_NOT_OPEN, rules)

    game = game_of(rules)
    story: AnyStory = Story(state, given, game)
    handler = game.commands.get(kind) or AT_ANY_TABLE.get(kind)
    if handler is None and elsewhere(game, kind):
        return rejected(Reason.NOT_IN_THIS_MODE, rules)
    if rules.tournament or given.by.kind == "tournament":
        kept_out = refuse_in_tournament(command, story)
        if kept_out is not None:
            return kept_out
    if handler is None:
        return rejected(Reason.NOT_THIS_GAME, rules)
    return handler(command, story) or story.decided


def _open(
    state: Table, command: OpenTable | OpenTournamentTable, given: Given[Supply]
) -> Decided[Table, TableEvent] | Rejected:
    if state.status != "new":
        return rejected(Reason.ALREADY_OPEN, state.configuration)
    rulebook = find_rulebook(command.rulebook)
    if rulebook is None:
        return rejected(Reason.UNKNOWN_RULEBOOK)
    if not rulebook.enabled:
        return Rejected(str(Reason.VARIANT_NOT_AVAILABLE), rulebook.ref(rulebook.disabled_rule))
    tournament = given.by.id if isinstance(command, OpenTournamentTable) else ""
    if tournament and rulebook.game not in TOURNAMENT_GAMES:
        return rejected(Reason.NOT_THIS_GAME)
    configured = configure_table(rulebook, command.configuration, tournament)
    if isinstance(configured, list):
        return outside_rulebook(configured)
    story: AnyStory = Story(state, given, game_of(configured))
    if isinstance(command, OpenTable):
        return open_table(command, rulebook, configured, story) or story.decided
    return open_tournament_table(command, rulebook, configured, story) or story.decided


class TableDecider:
    """`libs.decider.Decider` of a table."""

    def initial(self, stream: str) -> Table:
        return Table(table=stream)

    def decide(
        self, state: Table, command: TableCommand, given: Given[Supply]
    ) -> Decided[Table, TableEvent] | Rejected:
        return decide(state, command, given)

    def evolve(self, state: Table, event: TableEvent) -> Table:
        return evolve(state, event)
