"""The games of this house. Adding one adds a line here and a folder beside."""

from collections.abc import Mapping
from functools import cache

from libs.contracts.configurations import Configuration
from services.table.domain.games.baccarat.game import Baccarat
from services.table.domain.games.game import Game
from services.table.domain.games.no_draw_poker.game import NoDrawPoker
from services.table.domain.games.poker.game import Poker
from services.table.domain.games.tournament_poker import TournamentPoker

GAMES: Mapping[str, Game] = {game.name: game for game in (Poker(), NoDrawPoker(), Baccarat())}
TOURNAMENT_GAMES: Mapping[str, Game] = {"poker": TournamentPoker()}
"""The same games at a tournament table; what is not here has none."""


def game_of(configuration: Configuration) -> Game:
    """The game that a configuration is of."""
    return _game_of(type(configuration), bool(configuration.tournament))


@cache
def _game_of(kind: type[Configuration], in_tournament: bool) -> Game:
    return (TOURNAMENT_GAMES if in_tournament else GAMES)[str(kind.__struct_config__.tag)]
