"""Names on the wire: event classes to `croupier.<service>.<event_name>.v1` and back."""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import msgspec

from libs import contracts
from libs.contracts.commands import TableCommand, TournamentCommand, WalletCommand
from libs.contracts.facts import Fact, TableEvent, TournamentEvent, WalletEvent, told_in
from libs.contracts.messages import PublicEvent
from libs.contracts.reading import read

_MODULES = [
    import_module(f"libs.contracts.{module.name}")
    for module in iter_modules(contracts.__path__)
    if module.name.endswith(("events", "commands"))
]
"""Every file `<what>_events.py` and `<what>_commands.py` of this folder."""

ALL_TABLE_EVENTS: tuple[type[TableEvent], ...] = tuple(e for module in _MODULES for e in told_in(module, TableEvent))
"""Of the table service, over all games."""
ALL_WALLET_EVENTS: tuple[type[WalletEvent], ...] = tuple(e for module in _MODULES for e in told_in(module, WalletEvent))
ALL_TABLE_COMMANDS: tuple[type[TableCommand], ...] = tuple(
    command for module in _MODULES for command in told_in(module, TableCommand)
)
ALL_WALLET_COMMANDS: tuple[type[WalletCommand], ...] = tuple(
    command for module in _MODULES for command in told_in(module, WalletCommand)
)
ALL_TOURNAMENT_EVENTS: tuple[type[TournamentEvent], ...] = tuple(
    e for module in _MODULES for e in told_in(module, TournamentEvent)
)
ALL_TOURNAMENT_COMMANDS: tuple[type[TournamentCommand], ...] = tuple(
    command for module in _MODULES for command in told_in(module, TournamentCommand)
)
REASON_LISTS: Mapping[str, type[StrEnum]] = {
    module.__name__.rpartition(".")[2].removesuffix("_commands"): kind
    for module in _MODULES
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, StrEnum) and kind.__module__ == module.__name__
}
"""By the file whose commands they refuse: `table`, `baccarat`; `commands` for those of any command."""
REASONS: tuple[str, ...] = tuple(sorted({str(reason) for reasons in REASON_LISTS.values() for reason in reasons}))
"""Why a command may be refused, over all services and games."""


def snake(name: str) -> str:
    """`take_seat` for `TakeSeat`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@cache
def wire_name(event: type[Fact]) -> str:
    service: str = event.service  # type: ignore[attr-defined]
    return f"croupier.{service}.{snake(event.__name__)}.v1"


EVENT_TYPES: Mapping[str, type[Fact]] = {
    wire_name(event): event for event in (*ALL_TABLE_EVENTS, *ALL_WALLET_EVENTS, *ALL_TOURNAMENT_EVENTS)
}
_ENCODER = msgspec.json.Encoder()
_DECODERS = {name: msgspec.json.Decoder(event) for name, event in EVENT_TYPES.items()}


def place_of(wrong: msgspec.MsgspecError) -> str:
    """Which field of a record is wrong, as `$.seats[2].stack`; never its value."""
    found = re.search(r"`(\$[^`]*)`$", str(wrong))
    return found.group(1) if found else "$"


class UnknownEvent(ValueError):
    """An event of a type that this build does not know."""


def encode_fact(event: Fact) -> tuple[str, bytes]:
    """Wire name and bytes: payload of the journal and `data` of the public event."""
    return wire_name(type(event)), _ENCODER.encode(event)


def decode_fact(name: str, data: bytes) -> Any:
    """The typed fact; UnknownEvent for a new type, msgspec.ValidationError or DecodeError for bytes that are not it."""
    decoder = _DECODERS.get(name)
    if decoder is None:
        raise UnknownEvent(name)
    return read(decoder, data)


def parse_event(event: PublicEvent) -> Any:
    """The typed fact inside a public event; raises as `decode_fact` does."""
    return decode_fact(event.type, event.data)
