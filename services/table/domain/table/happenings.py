"""All events of a table stream: those of the table and those of every game."""

from typing import get_args

from services.table.domain.games.registry import GAMES
from services.table.domain.table.bank.events import BankEvent
from services.table.domain.table.events import Event, SeatingEvent
from services.table.domain.table.floor.events import FloorEvent
from services.table.domain.table.tournament.events import TournamentEvent

TableEvent = Event

EVENT_CLASSES: tuple[type[Event], ...] = (
    *get_args(SeatingEvent),
    *get_args(FloorEvent),
    *get_args(BankEvent),
    *get_args(TournamentEvent),
    *(event for game in GAMES.values() for event in game.events),
)
