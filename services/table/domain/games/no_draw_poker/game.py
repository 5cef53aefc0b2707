"""No-draw poker, as the table knows it."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from libs.contracts import no_draw_poker_events
from libs.contracts.facts import GameEvent, TableEvent, told_in
from libs.contracts.no_draw_poker_events import RoundDealt
from libs.contracts.table_events import TableClosed
from libs.decider.handlers import handlers_in
from libs.sealing.deck import Deck
from services.table.domain.games.banked import rounds
from services.table.domain.games.banked.game import BankedGame, Refuse
from services.table.domain.games.game import Dealt, Fold
from services.table.domain.games.no_draw_poker import antes, decide, waking
from services.table.domain.games.no_draw_poker.configuration import NoDrawConfiguration
from services.table.domain.games.no_draw_poker.evolve import evolve_round
from services.table.domain.games.no_draw_poker.state import NoDrawTable

MAX_IN_MINIMA = 25
"""The maximum is at most 25 times the minimum (pt-803-2015-no-draw 18)."""


class NoDrawPoker(BankedGame):
    name = "no_draw_poker"
    configuration = NoDrawConfiguration
    table = NoDrawTable
    commands = handlers_in(decide, rounds)
    folds: ClassVar[Mapping[type[TableEvent], Fold]] = dict.fromkeys(
        told_in(no_draw_poker_events, GameEvent), evolve_round
    )
    voided = no_draw_poker_events.RoundVoided

    dues = staticmethod(waking.dues)
    lapse = staticmethod(waking.lapse)
    wake = staticmethod(waking.wake)
    leave = staticmethod(antes.leave)
    close_betting = staticmethod(antes.close_betting)

    def at_odds(self, values: dict[str, Any], refuse: Refuse) -> None:
        least, most = values["min_ante"], values["max_ante"]
        if not least <= most <= MAX_IN_MINIMA * least:
            refuse("max_ante", f"must be {least} to {MAX_IN_MINIMA * least}, {MAX_IN_MINIMA} times the minimum")
        if values["buy_in_min"] < least:
            refuse("buy_in_min", "must be at least the smallest ante")

    def follow(self, state: NoDrawTable, event: TableEvent) -> NoDrawTable:
        """A table closes between rounds: a betting period without a bet ends with it."""
        return replace(state, round=None) if isinstance(event, TableClosed) else state

    def deck_of(self, state: NoDrawTable) -> Deck | None:
        return state.round.deck if state.round is not None else None

    def with_deck(self, state: NoDrawTable, deck: Deck | None) -> NoDrawTable:
        return replace(state, round=replace(state.running, deck=deck))

    def cards_lost(self, state: NoDrawTable) -> bool:
        return state.round is not None and state.round.phase == "deciding" and state.round.deck is None

    def dealt(self, state: NoDrawTable, event: TableEvent) -> Sequence[Dealt]:
        if not isinstance(event, RoundDealt):
            return ()
        stakes = state.running.stakes
        return [Dealt(event.round, deal.seat, stakes[deal.seat].player, deal.positions) for deal in event.deals]
