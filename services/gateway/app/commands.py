"""A command's way out and its answer's way back: one id, one record, one reply, however often it is asked."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol
from uuid import UUID

import msgspec

from libs.contracts.commands import Command, WalletCommand, message_of
from libs.contracts.messages import CommandMessage, Principal, Reply
from libs.edge.problems import Problem
from libs.telemetry import Work, current_traceparent
from services.gateway import metrics
from services.gateway.app.idempotency import IdempotencyKeys, request_digest

Service = Literal["table", "wallet"]

RESEND_SECONDS = 1.0


class Sender(Protocol):
    """Where commands go: Kafka, or a test's stand-in."""

    async def send(self, service: str, message: CommandMessage, traceparent: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Order:
    """One wish of a principal, well formed and not yet sent.

    `minted` names a field that gets an id of our own, made of the command's id, so that it is the same however often
    the wish is repeated: the sitting of a `TakeSeat`, a `top_up`.
    """

    principal: Principal
    key: str
    stream: str
    command: Command
    minted: str | None = None
    correlation: str = ""

    @property
    def name(self) -> str:
        return type(self.command).__name__

    @property
    def service(self) -> Service:
        return "wallet" if isinstance(self.command, WalletCommand) else "table"

    @property
    def digest(self) -> bytes:
        """What must not change under one key: what is asked of whom, by whichever door it came."""
        return request_digest(self.name, self.stream, msgspec.json.encode(self.command))

    def message(self, command_id: UUID) -> CommandMessage:
        own = {self.minted: f"{self.minted}-{command_id}"} if self.minted else {}
        command = msgspec.structs.replace(self.command, **own)
        return message_of(command, id=command_id, stream=self.stream, by=self.principal, correlation=self.correlation)


@dataclass(slots=True)
class CommandDesk:
    """Sends orders and waits for their replies.

    Parallel repeats of one key share one command id and one reply (compliance GAM-2). A final reply is remembered; an
    unknown, busy or expired one is not, and the same key sends the same command again, which its service knows.
    """

    sender: Sender
    keys: IdempotencyKeys
    horizons_ms: dict[Service, int]
    timeout_ms: int = 10_000
    now: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000)
    _waiting: dict[UUID, "_Waiting"] = field(default_factory=dict, repr=False)

    async def submit(self, order: Order) -> Reply:
        """The folded reply; `Problem` 422 for a misused key, 504 when nobody answered in time."""
        known = self.keys.claim(
            str(order.principal), order.key, order.digest, self.now(), self.horizons_ms[order.service]
        )
        if known.reply is not None:
            metrics.COMMANDS.labels(order.name, "repeated").inc()
            return known.reply

        started = time.perf_counter()
        with Work(current_traceparent(), order.stream, known.command_id):
            reply = await self._answer(order, known.command_id)
        if reply.verdict in ("accepted", "rejected"):
            known.reply = reply
        metrics.COMMANDS.labels(order.name, reply.verdict).inc()
        metrics.COMMAND_SECONDS.labels(order.service).observe(time.perf_counter() - started)
        return reply

    def hear(self, reply: Reply) -> None:
        """Takes a reply. One that no request here waits for, or a repeated one, is passed over."""
        waiting = self._waiting.get(reply.command_id)
        if waiting is not None and not waiting.reply.done():
            waiting.reply.set_result(reply)

    def awaits(self, command_id: UUID) -> bool:
        return command_id in self._waiting

    @property
    def open(self) -> int:
        return len(self._waiting)

    async def _answer(self, order: Order, command_id: UUID) -> Reply:
        waiting = self._waiting.get(command_id)
        if waiting is None:
            waiting = self._waiting[command_id] = _Waiting(asyncio.get_running_loop().create_future())
        waiting.count += 1
        try:
            async with asyncio.timeout(self.timeout_ms / 1000):
                if waiting.is_due(time.monotonic()):
                    await self.sender.send(order.service, order.message(command_id), current_traceparent())
                return await asyncio.shield(waiting.reply)
        except TimeoutError:
            metrics.COMMANDS.labels(order.name, "unknown").inc()
            raise _unknown(command_id) from None
        finally:
            # The last one to leave closes the door; whoever repeats the key after that sends again.
            waiting.count -= 1
            if waiting.count == 0 and self._waiting.get(command_id) is waiting:
                del self._waiting[command_id]


@dataclass(slots=True)
class _Waiting:
    """A reply to come and how many requests wait for it."""

    reply: asyncio.Future[Reply]
    count: int = 0
    sent_at: float | None = None

    def is_due(self, now: float) -> bool:
        """Whether to send it (again): the first time, or when a repeat comes after the answer should have been here."""
        if self.sent_at is not None and now - self.sent_at < RESEND_SECONDS:
            return False
        self.sent_at = now
        return True


def _unknown(command_id: UUID) -> Problem:
    return Problem(504, "outcome-unknown", "Outcome unknown; repeat with the same key.", command_id=str(command_id))
