"""What the games against the house share: who can bet, when the next betting opens, who sits there."""

from collections.abc import Mapping
from typing import Any

from libs.contracts.table_events import PlayerSeated
from services.table.domain.games.game import Game
from services.table.domain.table.idling import IdleSitter, invite_skippers
from services.table.domain.table.state import Table
from services.table.domain.table.story import AnyStory


class BankedTable(Table, frozen=True, kw_only=True):
    seats: Mapping[int, IdleSitter] = {}
    last_round: int = 0
    """Number of the last round or coup opened."""
    lapsed_at: int | None = None
    """When a betting period ended without a bet, and none has opened since: the table waits for somebody."""

    @property
    def rounds(self) -> int:
        return self.last_round


class BankedGame(Game):
    """Played against the house, with a time for bets before each round."""

    banked = True

    def seated(self, state: Any, event: PlayerSeated) -> IdleSitter:
        return IdleSitter(
            seat=event.seat,
            player=event.player,
            reservation=event.reservation,
            stack=event.stack,
            seated_at=event.at,
            active_at=event.at,
        )

    def after_round(self, story: AnyStory) -> None:
        invite_skippers(story)


def able_to_stake(state: BankedTable, least: int) -> list[int]:
    """Seats whose players could place the least stake, ascending."""
    return [
        seat
        for seat, sitter in sorted(state.seats.items())
        if not sitter.out and sitter.leaving is None and sitter.stack >= least
    ]


def next_betting_at(state: BankedTable, between_rounds_ms: int) -> int | None:
    """When the next betting opens by itself. After one in which nobody bet the table waits for a bet or a newcomer."""
    lapsed = state.lapsed_at
    if lapsed is not None and all(sitter.seated_at <= lapsed for sitter in state.seats.values()):
        return None
    return state.ended_at + between_rounds_ms
