"""A command's way out and its answer's way back: one id, one record, one reply, however often it is asked.

The same idempotency key and wish is the same command for ever, at every gateway. With another wish a key is refused
where it is remembered; elsewhere that is another command, since who asks must never hear another one's answer, and no
two streams may know one id: what is minted of it (a sitting, a top-up) would mean two things to the wallet.
"""

import asyncio
import hashlib
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, Protocol, get_args
from uuid import UUID

import msgspec
from prometheus_client import Counter

from libs.contracts.commands import Command, message_of
from libs.contracts.facts import taken
from libs.contracts.messages import CommandMessage, Principal, Reply, command_id_at, time_of
from libs.contracts.wallet_commands import (
    AccountReason,
    ClaimReference,
    CountCash,
    DepositFunds,
    RequestCash,
    WithdrawFunds,
    cash_of,
    claimant,
    references_of,
)  # fmt: skip
from libs.edge.problems import Problem
from libs.telemetry import current_traceparent
from services.gateway import metrics

SKEW_MS = 5_000
"""How far ahead of our clock a key's own time may be (journal 13)."""


class Remembered(msgspec.Struct, gc=False):
    """What one key stands for. `reply` is there once it is final; `at` is when the key was first seen (ms)."""

    digest: bytes
    command_id: UUID
    at: int
    reply: Reply | None = None


@dataclass(slots=True)
class IdempotencyKeys:
    """Bounded memory of (principal, key), the least recently used going first.

    A key gives its own time to the command id, and so means the same command at every gateway, after a restart and
    after an eviction. Only what was asked under it is remembered here alone.
    """

    keep_ms: int
    max_records: int
    _held: OrderedDict[tuple[str, str], Remembered] = field(default_factory=OrderedDict)

    def claim(self, order: "Order", now: int, horizon_ms: int) -> Remembered:
        """What the key stands for, new or known; `Problem` 422 when it was used otherwise or its time is off."""
        held = str(order.principal), order.key
        known = self._held.get(held)
        if known is not None and now - known.at < self.keep_ms:
            if known.digest != order.digest:
                raise Problem(
                    422,
                    "idempotency-key-reused",
                    "This key was used for another request; take a new one for a new wish.",
                )
            self._held.move_to_end(held)
            return known
        made = self._held[held] = Remembered(order.digest, order.command_id(now, horizon_ms), now)
        self._held.move_to_end(held)
        self._evict(now)
        return made

    def known(self, principal: str, key: str) -> bool:
        """Whether the key was claimed before, as far as it is remembered."""
        return (principal, key) in self._held

    def __len__(self) -> int:
        return len(self._held)

    def _evict(self, now: int) -> None:
        while len(self._held) > self.max_records:
            self._held.popitem(last=False)
        # The oldest are in front, save for those used again; these leave when their turn comes.
        while self._held and now - next(iter(self._held.values())).at >= self.keep_ms:
            self._held.popitem(last=False)


def _time_for(key: str, now: int, horizon_ms: int) -> int:
    at = time_of(UUID(key))
    if at > now + SKEW_MS:
        raise Problem(422, "idempotency-key-time", "The time in this UUIDv7 key lies in the future.")
    if at < now - horizon_ms:
        raise Problem(422, "idempotency-key-time", f"The time in this UUIDv7 key is older than {horizon_ms // 1000} s.")
    return at


def _apart(key: str, what: str) -> str:
    """Another key of the same time, for what belongs to one wish."""
    return str(command_id_at(time_of(UUID(key)), key, what))


Service = Literal["table", "wallet", "tournament"]

RESEND_SECONDS = 1.0
_SECONDS = {service: metrics.COMMAND_SECONDS.labels(service) for service in get_args(Service)}


class Sender(Protocol):
    """Where commands go: Kafka, or a test's stand-in. Whether one arrived is told by the reply, or by none."""

    def send(self, service: str, message: CommandMessage, traceparent: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Order:
    """One wish of a principal, well formed and not yet sent.

    `minted` names a field that gets an id of our own, made of the command's id, so that it is the same however often
    the wish is repeated: the sitting of a `TakeSeat`, a `top_up`.
    """

    principal: Principal
    key: str
    """A UUIDv7 in lower case."""
    stream: str
    command: Command
    minted: str | None = None
    correlation: str = ""
    started: int | None = None
    """When the session of the player who asks did (ms)."""
    claim: ClaimReference | None = None
    """The operator's reference, which is claimed first: it counts once, whatever the account."""

    @property
    def first(self) -> "Order | None":
        """The claim as an order of its own, the same however often the wish is repeated."""
        if self.claim is None:
            return None
        stream = references_of(claimant(self.principal), self.claim.reference)
        return self._beside("claim", stream, self.claim)

    @property
    def counted(self) -> "Order | None":
        """A person's money is counted before it moves; play money is nothing to count."""
        claim, by = self.claim, self.principal
        moves = isinstance(self.command, DepositFunds | WithdrawFunds)
        if claim is None or by.kind != "staff" or claim.kind != "real" or not moves:
            return None
        return self._beside("cash", cash_of(by.id), taken(CountCash, claim))

    @property
    def waiting(self) -> "Order":
        """The same money, asked of a second person."""
        assert self.claim is not None, "only money waits"
        return self._beside("request", self.stream, taken(RequestCash, self.claim))

    def _beside(self, what: str, stream: str, command: Command) -> "Order":
        return Order(self.principal, _apart(self.key, what), stream, command, correlation=self.correlation)

    @property
    def name(self) -> str:
        return type(self.command).__name__

    @property
    def service(self) -> Service:
        return self.command.service

    @property
    def digest(self) -> bytes:
        """What must not change under one key: what is asked of whom, by whichever door it came."""
        return hashlib.sha256(msgspec.json.encode((self.name, self.stream, self.command))).digest()

    def command_id(self, now: int, horizon_ms: int) -> UUID:
        """The same at every gateway; `Problem` 422 when the key's time is off."""
        at = _time_for(self.key, now, horizon_ms)
        return command_id_at(at, str(self.principal), self.key, self.digest.hex())

    def message(self, command_id: UUID) -> CommandMessage:
        command = self.command
        if self.minted:
            command = msgspec.structs.replace(command, **{self.minted: f"{self.minted}-{command_id}"})
        return message_of(command, id=command_id, stream=self.stream, by=self.principal, correlation=self.correlation)


@dataclass(slots=True)
class CommandDesk:
    """Sends orders and hands their replies back.

    Parallel repeats of one key share one command id and one reply (compliance GAM-2). A final reply is remembered; an
    unknown, busy or expired one is not, and the same key sends the same command again, which its service knows.
    """

    sender: Sender
    keys: IdempotencyKeys
    horizons_ms: dict[Service, int]
    timeout_ms: int = 10_000
    now: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000)
    _waiting: dict[UUID, "_Waiting"] = field(default_factory=dict, repr=False)
    _overdue: "deque[_Waiting]" = field(default_factory=deque, repr=False)
    """Those waited for, in the order in which they were sent: one timer looks after all."""
    _timer: asyncio.TimerHandle | None = None

    async def submit(self, order: Order) -> Reply:
        """The folded reply; `Problem` 422 for a misused key, 504 when nobody answered in time."""
        first = order.first
        if first is not None:
            self._claim(order)  # with another body it has to be refused before anything is claimed
            claimed = await asyncio.shield(self.ask(first, current_traceparent()))
            if claimed.verdict != "accepted":
                # All who move money share these lists: a version would tell one how much the others do.
                return msgspec.structs.replace(claimed, stream="", version=0)
        counted = order.counted
        if counted is not None:
            alone = await asyncio.shield(self.ask(counted, current_traceparent()))
            if alone.reason == AccountReason.NEEDS_ANOTHER:
                order = order.waiting
            elif alone.verdict != "accepted":
                return alone
        return await asyncio.shield(self.ask(order, current_traceparent()))

    def ask(self, order: Order, traceparent: str = "") -> "asyncio.Future[Reply]":
        """The same at once: sent already, and one future for all who ask under one key."""
        loop = asyncio.get_running_loop()
        known = self._claim(order)
        waiting = self._waiting.get(known.command_id)
        if known.reply is not None or waiting is not None:
            _counted(order.name, "repeated").inc()
        if known.reply is not None:
            told: asyncio.Future[Reply] = loop.create_future()
            told.set_result(known.reply)
            return told
        now = loop.time()
        if waiting is None:
            waiting = self._waiting[known.command_id] = _Waiting(known, order.name, order.service, now, loop)
        if now >= waiting.resend_at:
            waiting.resend_at, waiting.until = now + RESEND_SECONDS, now + self.timeout_ms / 1000
            self._overdue.append(waiting)
            if self._timer is None:
                self._timer = loop.call_at(waiting.until, self._give_up)
            self.sender.send(order.service, order.message(known.command_id), traceparent)
        return waiting.reply

    def turned_away(self, order: Order, reason: str, version: int) -> Reply:
        """The refusal of an order that is not sent; its key stays unused. `Problem` 422 for a key's wrong time."""
        _counted(order.name, "turned_away").inc()
        command_id = order.command_id(self.now(), self.horizons_ms[order.service])
        return Reply(
            command_id=command_id, stream=order.stream, verdict="rejected", version=version, reason=str(reason)
        )

    def _claim(self, order: Order) -> Remembered:
        return self.keys.claim(order, self.now(), self.horizons_ms[order.service])

    def hear(self, reply: Reply) -> None:
        """Takes a reply. One that no request here waits for, or a repeated one, is passed over."""
        waiting = self._waiting.pop(reply.command_id, None)
        if waiting is None:
            return
        if reply.verdict in ("accepted", "rejected"):
            waiting.known.reply = reply
        _counted(waiting.name, reply.verdict).inc()
        _SECONDS[waiting.service].observe(asyncio.get_running_loop().time() - waiting.since)
        waiting.reply.set_result(reply)

    def awaits(self, command_id: UUID, service: str) -> bool:
        """Whether an answer of this service is waited for."""
        waiting = self._waiting.get(command_id)
        return waiting is not None and waiting.service == service

    @property
    def open(self) -> int:
        return len(self._waiting)

    def _give_up(self) -> None:
        loop = asyncio.get_running_loop()
        now, self._timer = loop.time(), None
        while self._overdue and (self._overdue[0].until <= now or self._overdue[0].reply.done()):
            waiting = self._overdue.popleft()
            if not waiting.reply.done():
                del self._waiting[waiting.known.command_id]
                _counted(waiting.name, "unknown").inc()
                waiting.reply.set_exception(_unknown(waiting.known.command_id))
                waiting.reply.exception()  # whoever waited is told; whoever is gone need not be warned
        if self._overdue:
            self._timer = loop.call_at(self._overdue[0].until, self._give_up)


class _Waiting:
    """A reply to come. `since`, `resend_at` and `until` (when it is given up) are seconds of the event loop's clock."""

    __slots__ = ("known", "name", "reply", "resend_at", "service", "since", "until")

    def __init__(
        self, known: Remembered, name: str, service: Service, since: float, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.known = known
        self.name = name
        self.service = service
        self.since = self.resend_at = self.until = since
        self.reply: asyncio.Future[Reply] = loop.create_future()


@cache
def _counted(name: str, outcome: str) -> Counter:
    return metrics.COMMANDS.labels(name, outcome)


def _unknown(command_id: UUID) -> Problem:
    return Problem(504, "outcome-unknown", "Outcome unknown; repeat with the same key.", command_id=str(command_id))
