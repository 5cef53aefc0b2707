"""Baccarat, as the table knows it."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from libs.contracts import baccarat_events
from libs.contracts.baccarat_commands import BaccaratReason
from libs.contracts.facts import GameEvent, TableEvent, told_in
from libs.decider import Rejected
from libs.sealing.deck import Shoe
from libs.sealing.shuffle import ShoeShuffle, Shuffler
from services.table.domain.games.baccarat import decide, voiding
from services.table.domain.games.baccarat.betting import lapse, present
from services.table.domain.games.baccarat.configuration import BaccaratConfiguration
from services.table.domain.games.baccarat.evolve import evolve_baccarat, follow, in_use
from services.table.domain.games.baccarat.reading import read
from services.table.domain.games.baccarat.state import BaccaratTable
from services.table.domain.games.baccarat.story import BaccaratStory
from services.table.domain.games.baccarat.waking import dues, wake, wants_shoe
from services.table.domain.games.banked import BankedGame, IdleSitter
from services.table.domain.games.game import Fold, Reading
from services.table.domain.table.handlers import handlers_in
from services.table.domain.table.rejections import rejected
from services.table.rulebooks.rulebook import Rulebook


class Baccarat(BankedGame):
    name = "baccarat"
    configuration = BaccaratConfiguration
    table = BaccaratTable
    commands = handlers_in(decide, voiding)
    folds: ClassVar[Mapping[type[TableEvent], Fold]] = dict.fromkeys(
        told_in(baccarat_events, GameEvent), evolve_baccarat
    )

    def read(self, rulebook: Rulebook, values: dict[str, Any]) -> Reading:
        return read(rulebook, values)

    def follow(self, state: BaccaratTable, event: TableEvent) -> BaccaratTable:
        return follow(state, event)

    def dues(self, state: BaccaratTable) -> Sequence[int | None]:
        return dues(state)

    def wake(self, story: BaccaratStory, outage: bool, down_since: int | None = None) -> None:
        wake(story, down_since)

    def supply(self, state: BaccaratTable, shuffler: Shuffler) -> ShoeShuffle | None:
        """A shoe is drawn only for a wake that may start one: most coups come out of the shoe that is there."""
        return shuffler.shoe(state.rules.dealing.decks) if wants_shoe(state) else None

    def leave(self, story: BaccaratStory, sitter: IdleSitter) -> None:
        decide.leave(story, sitter)

    def seats_changed(self, story: BaccaratStory) -> None:
        """A betting period without a stake lapses when nobody is left who could bet."""
        if story.state.coup is not None and not story.state.in_round and not present(story.state):
            lapse(story)

    def why_not(self, configuration: BaccaratConfiguration, bank: int) -> Rejected | None:
        """The bank can pay the worst case of all seats, where the regulation lets it be limited at all (15, 40)."""
        worst = configuration.worst_case
        if worst is None or bank >= worst:
            return None
        detail = f"all seats at their limits can win {worst} in one round"
        return rejected(BaccaratReason.BANK_TOO_SMALL, configuration, detail)

    def deck_of(self, state: BaccaratTable) -> Shoe | None:
        return state.shoe.deck if state.shoe is not None else None

    def with_deck(self, state: BaccaratTable, deck: Shoe | None) -> BaccaratTable:
        return replace(state, shoe=replace(in_use(state), deck=deck))
