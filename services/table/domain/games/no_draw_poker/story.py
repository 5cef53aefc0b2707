"""The recorder of events (`Story`) at a table of no-draw poker."""

from services.table.domain.games.game import Game
from services.table.domain.games.no_draw_poker.configuration import NoDrawConfiguration
from services.table.domain.games.no_draw_poker.state import NoDrawTable
from services.table.domain.table.story import Story

NoDrawStory = Story[NoDrawTable, NoDrawConfiguration, Game]
