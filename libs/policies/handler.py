"""What a policy makes of one public record: nothing, one or several commands, or it is parked. Knows no broker.

And the command itself, a pure function of the event that it answers.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from time import time_ns
from typing import Any

import msgspec

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.contracts.commands import Command, message_of
from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, Principal, PublicEvent, command_id_at
from libs.contracts.registry import parse_event, place_of, wire_name
from libs.journal.intake import Parked
from libs.journal.log import LogRecord
from libs.telemetry import current_traceparent, span

Reactions = Mapping[type[Fact], Callable[[PublicEvent, Any], Sequence[CommandMessage]]]
"""By event, what it asks of other streams: pure functions. No other event is read."""
Send = Callable[[CommandMessage, Mapping[str, str]], Awaitable[None]]
"""Takes a command with its headers; the offset of its event is committed once the log has it."""
Park = Callable[[LogRecord, Parked], Awaitable[None]]
"""Sets a record that is no event aside untouched, with the reason; the stream goes on."""
WhyNot = Callable[[PublicEvent, Any], Awaitable[str | None]]
"""Why nothing follows from an event, however true its mark is, in a few words; None: it is believed."""
RENEWED_MS = 300_000
"""So much later an answer that lasts gets another id: time enough is left then to decide it (journal 13)."""


async def believed(event: PublicEvent, fact: Any) -> None:
    """What an event says is so because its service says so."""


def first_of(*asked: WhyNot) -> WhyNot:
    """What the first of them has against an event."""

    async def why_not(event: PublicEvent, fact: Any) -> str | None:
        for each in asked:
            if (why := await each(event, fact)) is not None:
                return why
        return None

    return why_not


class Handler:
    """What is done with each record, in order; whoever calls it commits the offset only after it has returned."""

    def __init__(
        self, reactions: Reactions, send: Send, park: Park, why_not: WhyNot = believed, lasts_ms: int = 0,
        now: Callable[[], int] = lambda: time_ns() // 1_000_000,
    ) -> None:  # fmt: skip
        """`lasts_ms`: how old an event may be and still be answered in time, where that is longer than the asked
        service remembers ids. Then two ids may stand for one answer: whoever decides it has to know by what it names
        that it was decided before. `now`: milliseconds since the epoch.
        """
        self._wanted = frozenset(map(wire_name, reactions))
        self._reactions = reactions
        self._send = send
        self._park = park
        self._why_not = why_not
        self._lasts_ms = lasts_ms
        self._now = now

    async def handle(self, record: LogRecord) -> None:
        """Raises what a reaction and the log raise: then the record has to come again."""
        read = read_event(record, self._wanted)
        if isinstance(read, tuple) and (why := await self._why_not(*read)) is not None:
            read = Parked("not_asked", why)
        if isinstance(read, tuple):
            await self._answer(*read)
        elif isinstance(read, Parked):
            await self._park(record, read)

    async def _answer(self, event: PublicEvent, fact: Any) -> None:
        with span(f"policy {event.type}", event.traceparent, event.stream, event.causation):
            for command in self._reactions[type(fact)](event, fact):
                await self._send(self._in_time(event, command), _trace_header(event))

    def _in_time(self, event: PublicEvent, command: CommandMessage) -> CommandMessage:
        late = self._now() - event.time
        if not RENEWED_MS <= late <= self._lasts_ms:
            return command
        renewed = event.time + late // RENEWED_MS * RENEWED_MS
        return msgspec.structs.replace(command, id=command_id_at(renewed, str(command.id)))


def read_event(record: LogRecord, wanted: Collection[str]) -> tuple[PublicEvent, Any] | Parked | None:
    """The event and its typed body; None for one that nobody here listens to."""
    name = dict(record.headers).get("ce_type", b"").decode(errors="replace")
    if name and name not in wanted:
        return None
    try:
        event = from_record(record.key, record.value, record.headers)
        return event, parse_event(event)
    except NotAPublicEvent as wrong:
        return Parked("not_an_event", str(wrong))
    except msgspec.MsgspecError as wrong:
        return Parked("malformed", place_of(wrong))


def _trace_header(event: PublicEvent) -> dict[str, str]:
    traceparent = current_traceparent() or event.traceparent
    return {"traceparent": traceparent} if traceparent else {}


def policy_command(event: PublicEvent, stream: str, command: Command, by: str, part: str = "") -> CommandMessage:
    """`by` is the policy's name; `part` tells several commands of one event to one stream apart.

    The id's time is the event's, so an old reaction expires like any other command, unless it lasts (`Handler`).
    """
    return message_of(
        command,
        id=command_id_at(event.time, event.id, type(command).__name__, *filter(None, [part])),
        stream=stream,
        by=Principal("policy", by),
        correlation=event.correlation,
    )
