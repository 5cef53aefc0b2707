"""A story at a poker table."""

from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.table.story import Story

PokerStory = Story[PokerTable, PokerConfiguration]
