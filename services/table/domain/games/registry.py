"""The games of this house. Adding one adds a line here and a folder beside."""

from collections.abc import Mapping
from functools import cache

from libs.contracts.configurations import Configuration
from services.table.domain.games.baccarat.game import Baccarat
from services.table.domain.games.game import Game
from services.table.domain.games.live_poker.game import LivePoker
from services.table.domain.games.no_draw_poker.game import NoDrawPoker
from services.table.domain.games.poker.game import Poker
from services.table.domain.games.tournament_poker import TournamentPoker

GAMES: Mapping[str, Game] = {game.name: game for game in (Poker(), NoDrawPoker(), Baccarat())}
LIVE_GAMES: Mapping[str, Game] = {"poker": LivePoker()}
"""The same games where a human deals; what is not here has no such mode."""
TOURNAMENT_GAMES: Mapping[str, Game] = {"poker": TournamentPoker()}
"""The same games at a tournament table; what is not here has none."""
ALL_GAMES = (*GAMES.values(), *LIVE_GAMES.values(), *TOURNAMENT_GAMES.values())


def game_of(configuration: Configuration) -> Game:
    """The game that a configuration is of."""
    return _game_of(type(configuration), bool(configuration.tournament), configuration.live)


@cache
def _game_of(kind: type[Configuration], in_tournament: bool, live: bool) -> Game:
    games = TOURNAMENT_GAMES if in_tournament else LIVE_GAMES if live else GAMES
    return games[str(kind.__struct_config__.tag)]


def elsewhere(game: Game, command: type[object]) -> bool:
    """Whether the same game takes this command in another mode."""
    return any(command in other.commands for other in ALL_GAMES if other.name == game.name)
