"""Every time that a table remembers or is configured with, found in the code, so that a new one is not forgotten."""

import re
from collections.abc import Iterator
from typing import Any, get_args

import msgspec

from libs.contracts.configurations import Configuration
from services.table.domain.games.registry import ALL_GAMES

_TIME = re.compile(r"(^|_)(at|until|since|from|started|ended|touched|due|ms)$")


def times_remembered() -> set[str]:
    """`Class.field` of each in the state of any game's table, its configuration left out."""
    found: set[str] = set()
    for kind in {game.table for game in ALL_GAMES}:
        found |= set(_times_in(kind, set(), Configuration))
    return found


def times_configured() -> set[str]:
    """Field of each, whatever game's configuration has it."""
    found: set[str] = set()
    for kind in {game.configuration for game in ALL_GAMES}:
        found |= set(_times_in(kind, set()))
    return {name.partition(".")[2] for name in found}


def _times_in(kind: type[msgspec.Struct], seen: set[type], *without: type) -> Iterator[str]:
    if kind in seen or issubclass(kind, without):
        return
    seen.add(kind)
    for field in msgspec.structs.fields(kind):
        inner = list(_types_in(field.type))
        if int in inner and _TIME.search(field.name):
            declared = next(
                base for base in reversed(kind.__mro__) if field.name in getattr(base, "__annotations__", {})
            )
            yield f"{declared.__name__}.{field.name}"
        for part in inner:
            if isinstance(part, type) and issubclass(part, msgspec.Struct):
                yield from _times_in(part, seen, *without)


def _types_in(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in get_args(annotation):
        yield from _types_in(part)
