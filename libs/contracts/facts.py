"""What a fact is made of: frozen structs that are event, journal payload and public body at once.

A fact is declared once, here, and its bytes are written once: what a commit holds of an event is, byte for byte, the
`data` of the public event. Docstrings of classes and fields are the words of the JSON Schemas
(`libs/contracts/schemas.py`). A reader passes over fields that it does not know: later versions only add.
"""

from collections.abc import Iterator
from types import ModuleType
from typing import Annotated, Any, ClassVar, TypeVar, dataclass_transform

import msgspec

MAX_NUMBER = 2**53 - 1
"""No whole number is larger than every reader of JSON takes exactly (RFC 8259 6), and MessagePack, too."""
MAX_MOMENT = 7_258_118_400_000
"""The year 2200."""

Seat = Annotated[int, msgspec.Meta(description="seat number, clockwise from 1")]
Chips = Annotated[int, msgspec.Meta(description="minor units of the currency (cents), or chips of a tournament")]
Hand = Annotated[int, msgspec.Meta(ge=1, le=MAX_NUMBER, description="number of the hand at its table: 1, 2, 3 …")]
Round = Annotated[int, msgspec.Meta(ge=1, le=MAX_NUMBER, description="number of the round or coup: 1, 2, 3 …")]
Milliseconds = Annotated[int, msgspec.Meta(description="milliseconds")]
BasisPoints = Annotated[int, msgspec.Meta(description="hundredths of a percent: 500 = 5 %")]
Moment = Annotated[int, msgspec.Meta(description="milliseconds since the epoch, UTC")]
When = Annotated[int, msgspec.Meta(ge=0, le=MAX_MOMENT, description="milliseconds since the epoch, UTC")]
"""What somebody may ask for; what was told is taken as it is."""
Root = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
Position = Annotated[int, msgspec.Meta(description="place of a card in the shuffled deck or shoe; 0 is the top")]


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class _Frozen(msgspec.StructMeta):
    """Every struct declared under it is frozen, without saying so again; the collector need not look for circles."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> "_Frozen":  # the metaclass protocol's own parameters
        return super().__new__(mcls, name, bases, namespace, **{"frozen": True, "gc": False, **options})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class _ByKeyword(_Frozen):
    """Frozen, and built by keyword."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> "_ByKeyword":
        return super().__new__(mcls, name, bases, namespace, **{"kw_only": True, **options})  # type: ignore[return-value]


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Part(msgspec.Struct, metaclass=_Frozen):
    """A part of an event: a payment, a card, a seat's result."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Fact(msgspec.Struct, metaclass=_ByKeyword):
    """An event, or what an operator chose."""


def plain(part: msgspec.Struct, *left_out: str) -> dict[str, Any]:
    """The fields as plain values, ready for JSON."""
    fields: dict[str, Any] = msgspec.to_builtins(part)
    for name in left_out:
        fields.pop(name, None)
    return fields


StructT = TypeVar("StructT", bound=msgspec.Struct)


def taken(kind: type[StructT], /, *sources: object, **more: Any) -> StructT:
    """A struct made of `more` and of the fields of the same names in `sources`, the first of which goes before."""
    names = [name for name in kind.__struct_fields__ if name not in more]
    found = {name: getattr(each, name) for each in reversed(sources) for name in names if hasattr(each, name)}
    return kind(**found, **more)


class TableEvent(Fact):
    """What happened at a table. Who decides leaves `at` and `table` out; the decision's story stamps them."""

    service: ClassVar[str] = "table"
    """Whose public event it is."""
    numbered: ClassVar[str] = ""
    """Field for the number of the running hand or round, which the story stamps too."""
    at: Moment = 0
    """When it was decided."""
    table: str = ""
    """Id of the table, which is the stream."""


class GameEvent(TableEvent):
    """What a game tells of its rounds, and folds itself; the table folds all others."""


class HandEvent(GameEvent):
    """Of one hand of poker. The story stamps the number of the last hand started."""

    numbered = "hand"
    hand: Hand = 0


class WalletEvent(Fact):
    """What happened to an account: `account`, `player` and `currency` are stamped by the decider."""

    service: ClassVar[str] = "wallet"
    account: str = ""
    """Id of the account, which is the stream."""
    player: str = ""
    currency: str = ""


class TournamentEvent(Fact):
    """What happened to a tournament as a whole. The decision's story stamps `at` and `tournament`."""

    service: ClassVar[str] = "tournament"
    at: Moment = 0
    """When it was decided."""
    tournament: str = ""
    """Id of the tournament, which is the stream."""


def told_in(module: ModuleType, base: type[Fact]) -> Iterator[type[Any]]:
    """Events or commands that a module declares, in its order; what others derive from is none itself."""
    for kind in vars(module).values():
        if not isinstance(kind, type) or not issubclass(kind, base) or kind.__module__ != module.__name__:
            continue
        if not any(other.__module__.startswith("libs.") for other in kind.__subclasses__()):
            yield kind
