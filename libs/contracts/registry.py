"""Names on the wire: event classes to `croupier.<service>.<event_name>.v1` and back, and their JSON Schemas."""

import re
from functools import cache
from typing import Any

from libs.contracts.baccarat_events import BACCARAT_EVENTS
from libs.contracts.bank_events import BANK_EVENTS
from libs.contracts.floor_events import FLOOR_EVENTS
from libs.contracts.live_events import LIVE_EVENTS
from libs.contracts.messages import Message, PublicEvent
from libs.contracts.no_draw_poker_events import NO_DRAW_POKER_EVENTS
from libs.contracts.poker_events import POKER_EVENTS
from libs.contracts.table_events import TABLE_EVENTS, TableEvent
from libs.contracts.tournament_events import TOURNAMENT_EVENTS
from libs.contracts.wallet_events import WALLET_EVENTS


@cache
def wire_name(service: str, event: type[Message]) -> str:
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", event.__name__).lower()
    return f"croupier.{service}.{snake}.v1"


ALL_TABLE_EVENTS: tuple[type[TableEvent], ...] = (
    *TABLE_EVENTS, *POKER_EVENTS, *FLOOR_EVENTS, *LIVE_EVENTS, *BANK_EVENTS, *NO_DRAW_POKER_EVENTS, *BACCARAT_EVENTS,
    *TOURNAMENT_EVENTS,
)  # fmt: skip
"""Of the table service, over all games."""

EVENT_TYPES: dict[str, type[Message]] = {
    **{wire_name("table", event): event for event in ALL_TABLE_EVENTS},
    **{wire_name("wallet", event): event for event in WALLET_EVENTS},
}


class UnknownEvent(ValueError):
    """A public event of a type that this build does not know."""


def parse_event(event: PublicEvent) -> Message:
    """The typed fact inside a public event; UnknownEvent for a new type, ValidationError for a wrong body."""
    known = EVENT_TYPES.get(event.type)
    if known is None:
        raise UnknownEvent(event.type)
    return known.model_validate(event.data)


def json_schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema (2020-12) of every public event's body, by wire name."""
    return {name: event.model_json_schema() for name, event in sorted(EVENT_TYPES.items())}
