"""Red or black, as the table knows it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from libs.contracts import red_black_events as e
from libs.contracts.facts import GameEvent, TableEvent, told_in
from libs.contracts.table_events import TableClosed
from libs.decider.handlers import handlers_in
from libs.sealing.deck import Deck
from services.table.domain.games.banked import evolve as banked
from services.table.domain.games.banked import rounds
from services.table.domain.games.banked.game import BankedGame, Refuse
from services.table.domain.games.banked.state import Stakes
from services.table.domain.games.game import Fold
from services.table.domain.games.red_black import decide, waking
from services.table.domain.games.red_black.state import RedBlackConfiguration, RedBlackTable, Round


def evolve_colours(state: RedBlackTable, event: GameEvent) -> RedBlackTable:
    match event:
        case e.ColoursOpened(round=number, at=at, until=until):
            return banked.opened(state, Round(number=number, opened_at=at, until=until, alive_at=at))
        case e.ColoursLapsed():
            return banked.lapsed(state, event)
        case e.ColourStaked() | e.ColourTakenBack():
            return banked.stake_moved(state, event, Stakes)
        case e.ColoursClosed():
            return replace(state, round=replace(state.running, phase="closed", until=None, alive_at=event.at))
        case e.ColoursSettled():
            return banked.settled(state, event)
        case e.ColoursVoided():
            return banked.voided(state, event)
        case _:
            return state  # the deck and its card: what they change is told by the settlement


class RedBlack(BankedGame):
    name = "red_black"
    configuration = RedBlackConfiguration
    table = RedBlackTable
    commands = handlers_in(decide, rounds)
    folds: ClassVar[Mapping[type[TableEvent], Fold]] = dict.fromkeys(told_in(e, GameEvent), evolve_colours)
    voided = e.ColoursVoided

    dues = staticmethod(waking.dues)
    wake = staticmethod(waking.wake)
    leave = staticmethod(decide.leave)
    close_betting = staticmethod(decide.close_betting)

    def at_odds(self, values: dict[str, Any], refuse: Refuse) -> None:
        if values["max_stake"] < values["min_stake"]:
            refuse("max_stake", "must be at least min_stake")

    def follow(self, state: RedBlackTable, event: TableEvent) -> RedBlackTable:
        """A table closes between rounds: a betting period without a stake ends with it."""
        return replace(state, round=None) if isinstance(event, TableClosed) else state

    def deck_of(self, state: RedBlackTable) -> Deck | None:
        return state.round.deck if state.round is not None else None

    def with_deck(self, state: RedBlackTable, deck: Deck | None) -> RedBlackTable:
        return replace(state, round=replace(state.running, deck=deck))
