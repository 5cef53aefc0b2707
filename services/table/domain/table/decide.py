"""The rules of a table in one place to start reading: who may ask, which part decides, events or one reason why not."""

from libs.contracts.commands import TableCommand
from libs.contracts.facts import TableEvent
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_commands import WakeTable
from libs.contracts.table_events import CARDS_LOST, TableOpened
from libs.decider import Decided, Given, Rejected
from libs.decider.handlers import handlers_in
from services.table.domain.games.registry import elsewhere, game_of
from services.table.domain.table import (
    bank,
    closing,
    conduct,
    departing,
    draws,
    opening,
    seating,
    sitting_out,
    topping_up,
    tournament,
    waiting_list,
    waking,
)
from services.table.domain.table.evolve import TableT, evolve_in
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Table
from services.table.domain.table.story import AnyStory, Story, Supply

AT_ANY_TABLE = handlers_in(
    bank, closing, conduct, departing, draws, opening, seating, sitting_out, topping_up, tournament, waiting_list,
    waking,
)  # fmt: skip
"""Commands that are decided alike whatever is played; those of a game are in its `game.py`."""


def decide(state: Table, command: TableCommand, given: Given[Supply]) -> Decided[Table, TableEvent] | Rejected:
    """Events in the order of public versions (none: accepted, nothing to do), with the state after each."""
    if given.by.kind not in command.may_ask:
        return rejected(Reason.NOT_ALLOWED, state.configuration)
    if isinstance(command, opening.OPENING):
        return opening.decide_opening(state, command, given)
    rules, kind = state.configuration, type(command)
    if rules is None or state.status == "closed":
        return Decided() if kind is WakeTable else rejected(Reason.TABLE_NOT_OPEN, rules)
    game = game_of(rules)
    story: AnyStory = Story(state, given, game)
    if kind is not WakeTable:
        waking.lapse(story)
    status = story.state.status
    if status == "closed" or (command.only_while_open and status == "closing"):
        return rejected(Reason.TABLE_NOT_OPEN, rules)

    handler = game.commands.get(kind) or AT_ANY_TABLE.get(kind)
    if handler is None and elsewhere(game, kind):
        return rejected(Reason.NOT_IN_THIS_MODE, rules)
    of_tournament = rules.tournament or given.by.kind == "tournament"
    if of_tournament and (kept_out := tournament.refuse_in_tournament(command, story)) is not None:
        return kept_out
    if handler is None:
        return rejected(Reason.NOT_THIS_GAME, rules)
    if game.cards_lost(story.state) and not command.voids:
        game.give_up(story, CARDS_LOST)
        if kind is WakeTable:  # what follows comes with a wake of its own, and with the entropy that it needs
            return story.decided
    return handler(command, story) or story.decided


def evolve(state: TableT, event: TableEvent) -> TableT:
    """The state after an event that happened; its version is one higher. ChipsLost when chips were made or lost."""
    configuration = state.configuration
    if configuration is None:
        assert isinstance(event, TableOpened), "a table's first event opens it"
        configuration = event.configuration
    return evolve_in(game_of(configuration), state, event)


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
