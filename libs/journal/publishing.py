"""A commit's events as records of the service's public topic: its own bytes, dense versions, nothing held back."""

from uuid import UUID

from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.messages import PublicEvent
from libs.journal.commit import Commit
from libs.journal.log import OutRecord


def public_events(commit: Commit) -> list[PublicEvent]:
    """What everybody may know of a valid commit: all that stands in its events; what is sealed stays beside them."""
    causation = str(UUID(bytes=commit.command_id))
    return [
        PublicEvent(
            stream=commit.stream,
            version=version,
            type=kind,
            time=commit.command_time,
            causation=causation,
            correlation=commit.correlation,
            traceparent=commit.traceparent,
            data=payload,
        )
        for version, (kind, payload) in enumerate(commit.events, start=commit.base + 1)
    ]


def public_records(topic: str, commit: Commit) -> list[OutRecord]:
    """Kafka records of the events, in order; the partition is that of the stream."""
    return [OutRecord(topic, *to_record(event)) for event in public_events(commit)]
