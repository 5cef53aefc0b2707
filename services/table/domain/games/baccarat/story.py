"""The recorder of events (`Story`) at a table of baccarat."""

from services.table.domain.games.baccarat.configuration import BaccaratConfiguration
from services.table.domain.games.baccarat.state import BaccaratTable
from services.table.domain.games.game import Game
from services.table.domain.table.story import Story

BaccaratStory = Story[BaccaratTable, BaccaratConfiguration, Game]
