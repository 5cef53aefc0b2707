"""No-draw poker, as the table knows it."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from libs.contracts import no_draw_poker_events
from libs.contracts.facts import GameEvent, TableEvent, told_in
from libs.contracts.no_draw_poker_commands import NoDrawReason
from libs.contracts.no_draw_poker_events import RoundDealt
from libs.contracts.table_events import TableClosed
from libs.decider import Rejected
from libs.sealing.deck import Deck
from services.table.domain.games.banked import BankedGame, IdleSitter
from services.table.domain.games.game import Dealt, Fold, Reading
from services.table.domain.games.no_draw_poker import decide, voiding, waking
from services.table.domain.games.no_draw_poker.configuration import NoDrawConfiguration
from services.table.domain.games.no_draw_poker.evolve import evolve_round, running
from services.table.domain.games.no_draw_poker.leaving import leave
from services.table.domain.games.no_draw_poker.reading import read
from services.table.domain.games.no_draw_poker.state import NoDrawTable
from services.table.domain.games.no_draw_poker.story import NoDrawStory
from services.table.domain.table.handlers import handlers_in
from services.table.domain.table.rejections import rejected
from services.table.rulebooks.rulebook import Rulebook


class NoDrawPoker(BankedGame):
    name = "no_draw_poker"
    configuration = NoDrawConfiguration
    table = NoDrawTable
    commands = handlers_in(decide, voiding)
    folds: ClassVar[Mapping[type[TableEvent], Fold]] = dict.fromkeys(
        told_in(no_draw_poker_events, GameEvent), evolve_round
    )

    def read(self, rulebook: Rulebook, values: dict[str, Any]) -> Reading:
        return read(rulebook, values)

    def follow(self, state: NoDrawTable, event: TableEvent) -> NoDrawTable:
        """A table closes between rounds: a betting period without a bet ends with it."""
        return replace(state, round=None) if isinstance(event, TableClosed) else state

    def dues(self, state: NoDrawTable) -> Sequence[int | None]:
        return waking.dues(state)

    def wake(self, story: NoDrawStory, outage: bool, down_since: int | None = None) -> None:
        waking.wake(story, outage, down_since)

    def moved_at(self, state: NoDrawTable) -> int | None:
        """After a restart whoever has to bet or decide gets the full time again (33)."""
        playing = state.round
        if playing is None or playing.until is None or not playing.stakes:
            return None
        return playing.alive_at

    def leave(self, story: NoDrawStory, sitter: IdleSitter) -> None:
        leave(story, sitter)

    def seats_changed(self, story: NoDrawStory) -> None:
        """Nothing follows: the next betting opens by the clock or with a bet."""

    def why_not(self, configuration: NoDrawConfiguration, bank: int) -> Rejected | None:
        """The bank can pay the worst case of every seat, or no bet is taken."""
        if bank >= configuration.worst_case:
            return None
        return rejected(NoDrawReason.BANK_TOO_SMALL, configuration, f"the worst case is {configuration.worst_case}")

    def deck_of(self, state: NoDrawTable) -> Deck | None:
        return state.round.deck if state.round is not None else None

    def with_deck(self, state: NoDrawTable, deck: Deck | None) -> NoDrawTable:
        return replace(state, round=replace(running(state), deck=deck))

    def dealt(self, state: NoDrawTable, event: TableEvent) -> Sequence[Dealt]:
        if not isinstance(event, RoundDealt):
            return ()
        stakes = running(state).stakes
        return [Dealt(event.round, deal.seat, stakes[deal.seat].player, deal.positions) for deal in event.deals]
