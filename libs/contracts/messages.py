"""Envelopes: a command on its way in, the reply on its way out, and the public event as a CloudEvent 1.0."""

import hashlib
from functools import cache
from typing import Annotated, Any, Literal, Self
from uuid import UUID

import msgspec

from libs.contracts.facts import Fact, Part
from libs.contracts.reading import read
from libs.contracts.texts import ID, Id

Verdict = Literal["accepted", "rejected", "expired", "busy"]
PrincipalKind = Literal["player", "staff", "policy", "timer", "operator", "tournament"]
_ENCODER = msgspec.json.Encoder()


@cache
def _decoder(kind: type) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


class Message(Fact, forbid_unknown_fields=True):
    """Base of what crosses a topic of our own: frozen, and a field nobody knows is refused."""

    def encoded(self) -> bytes:
        return _ENCODER.encode(self)

    @classmethod
    def decoded(cls, value: bytes) -> Self:
        """Raises msgspec.DecodeError for what is no JSON, msgspec.ValidationError for what is no such message."""
        return read(_decoder(cls), value)  # type: ignore[no-any-return]


class Principal(Part, forbid_unknown_fields=True):
    """Who asks."""

    kind: PrincipalKind
    id: Id

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


class CommandMessage(Message):
    """Value of a commands topic, as JSON; key = stream. `traceparent` travels in the header of that name."""

    id: UUID
    """UUIDv7; its time is t0 of journal 13."""
    stream: Annotated[str, msgspec.Meta(min_length=1, max_length=128, pattern=rf"^{ID}(?!\n)$")]
    type: Id
    principal: Principal
    correlation: Annotated[str, msgspec.Meta(max_length=64, pattern=rf"^({ID})?(?!\n)$")] = ""
    body: dict[str, Any]
    """Fields of the command (`libs/contracts/commands.py`)."""


class Reply(Message):
    """What a folded commit says (journal 10). `expired` and `busy` are not final: nothing was decided.

    `accepted` with a `reason` is a refusal told as an event, such as a refused withdrawal.
    """

    command_id: UUID
    stream: str
    verdict: Verdict
    version: Annotated[int, msgspec.Meta(ge=0)]
    """Version of the stream after the commit."""
    reason: str | None = None
    rule: str | None = None
    detail: str = ""


class PublicEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One fact as its readers get it. Kafka binary mode: these fields are `ce_*` headers, `data` is the value."""

    stream: str
    version: int
    """Dense per stream: 1, 2, 3 …"""
    type: str
    """`croupier.<service>.<event_name>.v1`"""
    time: int
    """Milliseconds since the epoch, UTC."""
    causation: str
    """Id of the command that caused the commit."""
    correlation: str = ""
    traceparent: str = ""
    data: bytes
    """The fact as JSON, byte for byte as the journal holds it."""

    @property
    def id(self) -> str:
        return f"{self.stream}/{self.version}"

    @property
    def service(self) -> str:
        """`table` for `croupier.table.bet_placed.v1`: two services may have a stream of one name."""
        return self.type.removeprefix("croupier.").partition(".")[0]


def command_id_at(now_ms: int, *parts: str) -> UUID:
    """UUIDv7 (RFC 9562) whose time is `now_ms` and whose random bits are a digest of `parts`.

    Doing the same thing twice gives the same id: a policy derives it from the event it reacts to, so that the second
    attempt is a duplicate.
    """
    digest = hashlib.sha256("\x1f".join(parts).encode()).digest()
    value = (now_ms & ((1 << 48) - 1)) << 80
    value |= int.from_bytes(digest[:10], "big")
    value &= ~(0xF << 76)
    value |= 0x7 << 76
    value &= ~(0x3 << 62)
    value |= 0x2 << 62
    return UUID(int=value)


def time_of(command_id: UUID) -> int:
    """Milliseconds since the epoch inside a UUIDv7."""
    return command_id.int >> 80


def time_in_id(name: str) -> int | None:
    """Milliseconds since the epoch in what is named after a command (`reservation-<UUIDv7>`); None: there is none."""
    try:
        found = UUID(name.partition("-")[2])
    except ValueError:
        return None
    return time_of(found) if found.version == 7 else None
