"""The games of the simulated house, by the names that configurations have for them."""

from tests.simulation.games.baccarat import Baccarat
from tests.simulation.games.game import Game
from tests.simulation.games.no_draw_poker import NoDrawPoker
from tests.simulation.games.poker import Poker

GAMES: dict[str, Game] = {game.name: game for game in (Poker(), NoDrawPoker(), Baccarat())}
