"""Baccarat, as the table knows it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from libs.contracts import baccarat_events
from libs.contracts.facts import GameEvent, TableEvent, told_in
from libs.decider.handlers import handlers_in
from libs.sealing.deck import Shoe
from libs.sealing.shuffle import Shuffler
from services.table.domain.games.baccarat import decide, waking
from services.table.domain.games.baccarat.configuration import BaccaratConfiguration
from services.table.domain.games.baccarat.evolve import evolve_baccarat, follow
from services.table.domain.games.baccarat.finishing import finish
from services.table.domain.games.baccarat.state import BaccaratStory, BaccaratTable
from services.table.domain.games.banked import rounds
from services.table.domain.games.banked.game import BankedGame, Refuse
from services.table.domain.games.banked.state import BankedTable
from services.table.domain.games.game import Fold, Fresh
from services.table.domain.table.waiting_list import offers_by_lot

IN_MINIMA = {"max_ponto_banca": 70, "max_tie": 15, "max_pair": 8}
"""A maximum of chapter I is at most so many times the minimum (pt-812-2015-baccarat 15)."""


class Baccarat(BankedGame):
    name = "baccarat"
    configuration = BaccaratConfiguration
    table = BaccaratTable
    commands = handlers_in(decide, rounds)
    folds: ClassVar[Mapping[type[TableEvent], Fold]] = dict.fromkeys(
        told_in(baccarat_events, GameEvent), evolve_baccarat
    )
    voided = baccarat_events.CoupVoided

    follow = staticmethod(follow)
    dues = staticmethod(waking.dues)
    lapse = staticmethod(waking.lapse)
    wake = staticmethod(waking.wake)
    leave = staticmethod(decide.leave)
    close_betting = staticmethod(finish)

    def at_odds(self, values: dict[str, Any], refuse: Refuse) -> None:
        least = values["min_bet"]
        for field, times in IN_MINIMA.items():
            if field in values and not least <= values[field] <= times * least:
                refuse(field, f"must be {least} to {times * least}, {times} times the minimum bet")
        if values["mode"] == "multi" and values["betting_ms"] is None:
            refuse("betting_ms", "is missing: all seats bet in one period")
        if values["buy_in_min"] < least:
            refuse("buy_in_min", "must be at least the minimum bet")
        if values["kind"] == "real" and not values["approved_on"]:
            refuse("approved_on", "is needed for real money")

    def supply(self, state: BaccaratTable, shuffler: Shuffler) -> Fresh | None:
        """A shoe is drawn only for a wake that may start one: most coups come out of the shoe that is there."""
        if offers_by_lot(state):
            return shuffler.shuffle()
        return shuffler.shoe(state.rules.dealing.decks) if waking.wants_shoe(state) else None

    def opens_with_a_bet(self, state: BankedTable) -> bool:
        """A shoe begins only on a wake, which brings entropy; between those any bet can open a coup."""
        assert isinstance(state, BaccaratTable)
        return rounds.may_open(state) and not state.needs_shoe

    def seats_changed(self, story: BaccaratStory) -> None:
        """A betting period without a stake lapses when nobody is left who could bet."""
        if story.state.round is not None and not story.state.in_round and not rounds.can_stake(story.state):
            story.tell(baccarat_events.CoupLapsed())

    def cards_lost(self, state: BaccaratTable) -> bool:
        return state.round is not None and state.in_use.deck is None

    def give_up(self, story: BaccaratStory, cause: str) -> None:
        if story.state.in_round:
            super().give_up(story, cause)
        else:
            story.tell(baccarat_events.CoupLapsed())

    def deck_of(self, state: BaccaratTable) -> Shoe | None:
        return state.shoe.deck if state.shoe is not None else None

    def with_deck(self, state: BaccaratTable, deck: Shoe | None) -> BaccaratTable:
        return replace(state, shoe=replace(state.in_use, deck=deck))
