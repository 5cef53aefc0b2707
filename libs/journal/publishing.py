"""A commit's events as records of the service's public topic: one for each, dense versions, nothing held back."""

from collections.abc import Callable, Iterable
from typing import TypeVar
from uuid import UUID

from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.messages import Message, PublicEvent
from libs.contracts.registry import wire_name
from libs.journal.commit import Commit
from libs.journal.fold import Step
from libs.journal.log import OutRecord

StateT = TypeVar("StateT")
EventT = TypeVar("EventT")


def public_events(
    service: str,
    steps: Iterable[Step[StateT, EventT]],
    commit: Commit,
    public: Callable[[Step[StateT, EventT]], Message],
) -> list[PublicEvent]:
    """What others may know of a valid commit; `public` drops every secret."""
    events = []
    for step in steps:
        body = public(step)
        events.append(
            PublicEvent(
                stream=commit.stream,
                version=step.version,
                type=wire_name(service, type(body)),
                time=commit.command_time,
                causation=str(UUID(bytes=commit.command_id)),
                correlation=commit.correlation,
                traceparent=commit.traceparent,
                data=body.model_dump(mode="json"),
            )
        )
    return events


def public_records(topic: str, events: Iterable[PublicEvent]) -> list[OutRecord]:
    """Kafka records of the events, in order; the partition is that of the stream."""
    return [OutRecord(topic, *to_record(event)) for event in events]
