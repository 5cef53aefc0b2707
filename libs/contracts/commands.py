"""What a command is made of: frozen structs that are a request's body, a command record's body and what is decided.

A command is declared once. It is validated at the door and again where its service takes it in; a field that nobody
knows is refused at both. The principal stands in the envelope, never in the body. Limits here are what makes a command
well formed; what the rules of the game refuse is the decider's matter.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal, TypeVar
from uuid import UUID

import msgspec

from libs.contracts.facts import MAX_NUMBER, Fact
from libs.contracts.messages import CommandMessage, Principal, PrincipalKind
from libs.contracts.roles import Role, Scope
from libs.contracts.texts import UNCLEAN, Id, is_clean, line, unclean

MAX_AMOUNT = 10**15
"""Well-formed amounts end here (minor units), far above any table and far below 2**63."""

Amount = Annotated[int, msgspec.Meta(ge=1, le=MAX_AMOUNT, description="minor units of the currency (cents)")]
SeatNumber = Annotated[int, msgspec.Meta(ge=1, le=11, description="seat number, clockwise from 1")]
Number = Annotated[int, msgspec.Meta(ge=1, le=MAX_NUMBER)]
Value = Annotated[int, msgspec.Meta(ge=-MAX_AMOUNT, le=MAX_AMOUNT)] | Annotated[str, line(200, 0)] | bool | None
"""A word, a whole number, true, false or null: money is never a float."""
Values = Annotated[dict[Id, Value], msgspec.Meta(max_length=64)]
"""A configuration as it comes in. What it means is the rulebook's matter."""

OUTAGE_MS = 1_000
"""What lies for longer than this after it was due was left lying by a house that stood still (pt-811-2015 45)."""

PLAYER: tuple[PrincipalKind, ...] = ("player",)
STAFF: tuple[PrincipalKind, ...] = ("staff", "operator")
POLICY: tuple[PrincipalKind, ...] = ("policy",)
ORGANISER: tuple[PrincipalKind, ...] = ("tournament",)
"""A tournament at its own tables; its id is the principal's."""


class Command(Fact, forbid_unknown_fields=True):
    """Something asked of a stream."""

    service: ClassVar[Literal["table", "wallet", "tournament"]]
    """Who decides it."""
    may_ask: ClassVar[tuple[PrincipalKind, ...]] = ()
    """Kinds of principal from whom it is taken at all."""
    roles: ClassVar[tuple[Role, ...]] = ()
    """Of the staff: who of them may ask it. Kept by the gateway, which knows people's roles."""
    scope: ClassVar[Scope | None] = None
    """Of an operator's platform: with which scope it may ask it; None: only people may."""
    by_gateway: ClassVar[bool] = False
    """The gateway's own word, as a policy of its own."""
    example: ClassVar[Mapping[str, Any]] = {}
    path: ClassVar[str] = ""
    """Of a game's own command that players send as it is: where, below `/v1/tables/{table}`. Others stand in
    `services/gateway/app/doors.py`."""
    summary: ClassVar[str] = ""
    """What it does, where it has a `path`."""


class TableCommand(Command):
    """Stream = table id."""

    service = "table"
    draws: ClassVar[bool] = False
    """Needs fresh entropy: it starts a round, or draws lots."""
    voids: ClassVar[bool] = False
    """Ends the running round with every bet returned."""
    only_while_open: ClassVar[bool] = False
    """Refused once the table is closing."""
    of_strangers: ClassVar[str | None] = "not_seated"
    """Why the gateway refuses it to a player who has nothing to do with the table; None: it is how one comes to it."""


class PlayerCommand(TableCommand):
    """Asked by players alone."""

    may_ask = PLAYER


class StaffCommand(TableCommand):
    """Asked by staff, or by an operator's platform."""

    may_ask = STAFF
    roles: ClassVar[tuple[Role, ...]] = ("floor", "supervisor")
    scope: ClassVar[Scope | None] = "tables"


class SupervisorCommand(TableCommand):
    """Takes something back, or decides between people: a supervisor's, and no machine's."""

    may_ask = STAFF
    roles = ("supervisor",)


class DealerCommand(TableCommand):
    """Of the table's dealer, whom the table knows by name; a supervisor may take the dealer's place."""

    may_ask = STAFF
    roles = ("dealer", "supervisor")


class PolicyCommand(TableCommand):
    """Follows from an event of another service."""

    may_ask = POLICY


class OrganiserCommand(TableCommand):
    """Asked by the tournament whose table it is."""

    may_ask = ORGANISER


class WalletCommand(Command):
    """Stream = account id, `account-<player>-<CUR>` (`-demo` for play money)."""

    service = "wallet"
    roles: ClassVar[tuple[Role, ...]] = ("cashier",)
    scope: ClassVar[Scope | None] = "money"


class TournamentCommand(Command):
    """Stream = tournament id; of the tournament as a whole."""

    service = "tournament"


def message_of(command: Command, *, id: UUID, stream: str, by: Principal, correlation: str = "") -> CommandMessage:
    """The command in its envelope."""
    return CommandMessage(
        id=id,
        stream=stream,
        type=type(command).__name__,
        principal=by,
        correlation=correlation,
        body=msgspec.to_builtins(command),
    )


class AnyReason(StrEnum):
    """Why any command may be refused, whatever is asked."""

    TOO_LARGE = "too_large"
    """What the command would cause does not fit into one record of the journal; nothing was done."""
    INTERNAL_ERROR = "internal_error"
    """The decision failed by a fault of ours; nothing was done, and the log says where."""
    INSUFFICIENT_FUNDS = "insufficient_funds"
    """Told as an event and answered as `refused`: the account has less than was asked for. For a seat the gateway says
    so at once, and nothing is reserved."""
    NO_ACCOUNT = "no_account"
    """Said by the gateway to who enters a tournament for nothing: no account of the player's is in its currency, and
    what they win could not be paid. The platform opens one."""
    REMOVED = "removed"
    """The staff took the player off this table; it takes a new session to sit down there again."""
    TOO_MANY_REQUESTS = "too_many_requests"
    """More than a fair share of requests; nothing was sent on, and the same key may be used again a little later."""
    OVER_QUOTA = "over_quota"
    """Too many commands of this sender are remembered by the table or account, and nothing was decided; the oldest are
    forgotten in time, and the same key may be used again then."""
    TOO_MANY_COMMANDS = "too_many_commands"
    """The same of all who may send as little as this sender."""


class Wrong(msgspec.Struct, frozen=True):
    """A field that is missing, unknown or out of bounds; never its value."""

    place: tuple[str | int, ...]
    detail: str
    known: bool = True
    """Whether there is such a field at all."""


StructT = TypeVar("StructT", bound=msgspec.Struct)


def fitted(kind: type[StructT], given: Any) -> StructT:
    """A body as its struct; msgspec.ValidationError when a field is missing, unknown, out of bounds or unclean."""
    made = msgspec.convert(given, kind)
    for name, value in given.items():  # its keys are fields of `kind` by now
        if not is_clean(value) if isinstance(value, str) else next(unclean(value), None) is not None:
            raise msgspec.ValidationError(UNCLEAN)
        if isinstance(value, dict | list) and next(_unknown(value, getattr(made, name), ()), None) is not None:
            raise msgspec.ValidationError(_UNKNOWN)
    return made


_UNKNOWN = "Unknown field"


def _unknown(given: Any, made: Any, place: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Fields inside of fields that nobody knows: parts are read of events, too, where they are passed over."""
    if isinstance(given, Mapping) and isinstance(made, msgspec.Struct):
        for name, value in given.items():
            if name not in made.__struct_fields__:
                yield (*place, name)
            else:
                yield from _unknown(value, getattr(made, name), (*place, name))
    elif isinstance(given, Mapping) and isinstance(made, Mapping):
        for (name, value), part in zip(given.items(), made.values(), strict=True):
            yield from _unknown(value, part, (*place, name))
    elif isinstance(given, list) and isinstance(made, list | tuple):
        for number, (value, part) in enumerate(zip(given, made, strict=True)):
            yield from _unknown(value, part, (*place, number))


MOST_WRONG = 100
"""Fields that are looked for in one body: it may have eight thousand, which take ten times as long to name as a good
body takes to answer."""


def wrong_fields(kind: type[msgspec.Struct], given: Any) -> list[Wrong]:
    """Fields of a body that do not fit `kind`, `MOST_WRONG` at most, where msgspec stops at the first; empty when it
    fits."""
    if not isinstance(given, Mapping):
        return [Wrong((), "Expected an object")]
    return list(islice(_wrong_fields(kind, given), MOST_WRONG))


def _wrong_fields(kind: type[msgspec.Struct], given: Mapping[str, Any]) -> Iterator[Wrong]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for name, field in fields.items():
        if name not in given:
            if field.required:
                yield Wrong((name,), "Field required")
            continue
        if places := list(islice(unclean(given[name], (name,)), MOST_WRONG)):
            yield from (Wrong(place, UNCLEAN) for place in places)
            continue
        try:
            made = msgspec.convert(given[name], field.type)
            yield from (Wrong(place, _UNKNOWN, known=False) for place in _unknown(given[name], made, (name,)))
        except msgspec.ValidationError as wrong:
            text, _, inside = str(wrong).partition(" - at `$")
            yield Wrong((name, *_parts(inside)), text)
    for name in given:
        if name not in fields:
            yield Wrong((name,), _UNKNOWN, known=False)


def _parts(path: str) -> Iterator[str | int]:
    """`[2].name` as its parts."""
    for part in path.removesuffix("`").replace("[", ".").replace("]", "").split("."):
        if part:
            yield int(part) if part.isdigit() else part
