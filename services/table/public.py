"""From what happened to what everybody may know: one domain event, one public event, without the secret parts."""

from typing import Any

import msgspec

from libs.contracts import table_events as contract
from libs.contracts.registry import ALL_TABLE_EVENTS
from libs.contracts.table_events import TableEvent
from services.table.domain.table.events import Event

_PUBLIC: dict[str, type[TableEvent]] = {public.__name__: public for public in ALL_TABLE_EVENTS}
_NOT_PUBLIC = ("at", "deck")
"""`at` is the envelope's time; `deck` is the secret."""


def public_event(event: Event) -> contract.TableEvent:
    """The contract's event of the same name; ValidationError when the two have drifted apart."""
    return _PUBLIC[type(event).__name__].model_validate(public_body(event))


def public_body(event: Event) -> dict[str, Any]:
    """The fields that the contract has, as plain values."""
    body = {name: getattr(event, name) for name in event.__struct_fields__ if name not in _NOT_PUBLIC}
    plain: dict[str, Any] = msgspec.to_builtins(body)
    return plain
