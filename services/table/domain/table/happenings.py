"""All events of a table stream: those of the table and those of its hands."""

from typing import get_args

from services.table.domain.games.poker.events import HandEvent
from services.table.domain.table.events import Event, SeatingEvent

TableEvent = SeatingEvent | HandEvent

EVENT_CLASSES: tuple[type[Event], ...] = (*get_args(SeatingEvent), *get_args(HandEvent))
