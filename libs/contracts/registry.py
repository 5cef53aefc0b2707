"""Names on the wire: event classes to `croupier.<service>.<event_name>.v1` and back."""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any

import msgspec

from libs.contracts import (
    baccarat_commands,
    baccarat_events,
    bank_commands,
    bank_events,
    commands,
    floor_commands,
    floor_events,
    live_commands,
    live_events,
    no_draw_poker_commands,
    no_draw_poker_events,
    poker_commands,
    poker_events,
    table_commands,
    table_events,
    tournament_commands,
    tournament_events,
    wallet_commands,
    wallet_events,
)
from libs.contracts.commands import TableCommand, WalletCommand
from libs.contracts.facts import Fact, TableEvent, WalletEvent, told_in
from libs.contracts.messages import PublicEvent

_OF_TABLES = (
    table_events,
    floor_events,
    bank_events,
    commands,
    tournament_events,
    poker_events,
    live_events,
    no_draw_poker_events,
    baccarat_events,
)
_ASKED_OF_TABLES = (
    table_commands,
    floor_commands,
    bank_commands,
    tournament_commands,
    poker_commands,
    live_commands,
    no_draw_poker_commands,
    baccarat_commands,
)


ALL_TABLE_EVENTS: tuple[type[TableEvent], ...] = tuple(
    event for module in _OF_TABLES for event in told_in(module, TableEvent)
)
"""Of the table service, over all games."""
ALL_WALLET_EVENTS: tuple[type[WalletEvent], ...] = tuple(told_in(wallet_events, WalletEvent))
ALL_TABLE_COMMANDS: tuple[type[TableCommand], ...] = tuple(
    command for module in _ASKED_OF_TABLES for command in told_in(module, TableCommand)
)
ALL_WALLET_COMMANDS: tuple[type[WalletCommand], ...] = tuple(told_in(wallet_commands, WalletCommand))
REASONS: tuple[str, ...] = tuple(
    sorted(
        {
            str(reason)
            for module in (commands, wallet_commands, *_ASKED_OF_TABLES)
            for kind in vars(module).values()
            if isinstance(kind, type) and issubclass(kind, StrEnum)
            for reason in kind
        }
    )
)
"""Why a command may be refused, over all services and games."""


def snake(name: str) -> str:
    """`take_seat` for `TakeSeat`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@cache
def wire_name(event: type[Fact]) -> str:
    return f"croupier.{'wallet' if issubclass(event, WalletEvent) else 'table'}.{snake(event.__name__)}.v1"


EVENT_TYPES: Mapping[str, type[Fact]] = {wire_name(event): event for event in (*ALL_TABLE_EVENTS, *ALL_WALLET_EVENTS)}
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
    return decoder.decode(data)


def parse_event(event: PublicEvent) -> Any:
    """The typed fact inside a public event; raises as `decode_fact` does."""
    return decode_fact(event.type, event.data)
