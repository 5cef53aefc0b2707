"""What is remembered of a table of red or black, and what follows from its configuration."""

from libs.contracts import red_black_configuration as chosen
from libs.sealing.deck import Deck
from services.table.domain.games.banked.state import BankedRound, BankedTable
from services.table.domain.games.game import Game
from services.table.domain.table.story import Story


class RedBlackConfiguration(chosen.RedBlackConfiguration):
    @property
    def least_stake(self) -> int:
        return self.betting.min_stake

    @property
    def worst_case(self) -> int:
        """Every seat has the most on one colour, and it comes; the other colour only loses."""
        return self.seats * self.betting.max_stake


class Round(BankedRound, frozen=True, kw_only=True):
    deck: Deck | None = None
    """None before the deal, and in what is written of it: the sealed part stands beside."""


class RedBlackTable(BankedTable, frozen=True, kw_only=True):
    configuration: RedBlackConfiguration | None = None
    round: Round | None = None

    @property
    def rules(self) -> RedBlackConfiguration:
        assert self.configuration is not None, "a table has rules from its opening on"
        return self.configuration

    @property
    def running(self) -> Round:
        assert self.round is not None, "events of a round come while it runs"
        return self.round


RedBlackStory = Story[RedBlackTable, RedBlackConfiguration, Game]
