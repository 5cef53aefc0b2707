"""What is remembered of a table of no-draw poker and of its running round."""

from collections.abc import Mapping
from typing import Literal

from libs.sealing.deck import Deck
from services.table.domain.games.banked.state import BankedRound, BankedTable
from services.table.domain.games.banked.state import Stakes as AnyStakes
from services.table.domain.games.game import Game
from services.table.domain.games.no_draw_poker.configuration import NoDrawConfiguration
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import Story


class Stakes(AnyStakes, frozen=True, kw_only=True):
    """What one seat has on its two areas, `ante` and `bet`."""

    decision: Literal["", "fold", "continue"] = ""
    hand: tuple[int, ...] = ()
    """Deck positions."""

    @property
    def ante(self) -> int:
        return self.on.get("ante", 0)

    @property
    def bet(self) -> int:
        return self.on.get("bet", 0)


class Round(BankedRound, frozen=True, kw_only=True):
    stakes: Mapping[int, Stakes] = {}
    warned: bool = False
    """The extra time runs (31)."""
    dealer: tuple[int, ...] = ()
    deck: Deck | None = None
    """None before the deal, and in what is written of it: the sealed part stands beside."""

    @property
    def undecided(self) -> list[Stakes]:
        return [stakes for _, stakes in sorted(self.stakes.items()) if not stakes.decision]

    @property
    def playing(self) -> list[Stakes]:
        """Seats with a second bet, ascending."""
        return [stakes for _, stakes in sorted(self.stakes.items()) if stakes.decision == "continue"]


class NoDrawTable(BankedTable, frozen=True, kw_only=True):
    configuration: NoDrawConfiguration | None = None
    round: Round | None = None

    @property
    def rules(self) -> NoDrawConfiguration:
        assert self.configuration is not None, "a table has rules from its opening on"
        return self.configuration

    @property
    def running(self) -> Round:
        assert self.round is not None, "events of a round come while it runs"
        return self.round

    def is_bound(self, sitter: Sitter) -> bool:
        stakes = self.stakes_of(sitter)
        return stakes is not None and stakes.decision != "fold"


NoDrawStory = Story[NoDrawTable, NoDrawConfiguration, Game]
