"""The one table of Kafka topics: provisioning, ACLs, docs and code all read it. Nothing is auto-created."""

from dataclasses import dataclass, field
from typing import Literal
from zlib import crc32

PARTITIONS = 4
"""Same for a service's commands and journal, for ever: a command and its commit share a partition (journal 1)."""

DAY_MS = 86_400_000
MAX_SNAPSHOT_BYTES = 16 * 1024 * 1024
PLATFORM = "platform"
"""Among `readers`: every operator platform, each under a login of its own."""
INSPECTOR = "inspector"
"""Who verifies, rebuilds and scans: reads every topic, also where it does not stand among `readers`; writes none."""
Kind = Literal["commands", "journal", "snapshots", "events", "private", "replies", "parked"]


@dataclass(frozen=True, slots=True)
class Topic:
    name: str
    kind: Kind
    partitions: int
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    config: dict[str, str] = field(default_factory=dict)


_FOR_EVER = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}
_SAFE = {"unclean.leader.election.enable": "false"}
_MAX_COMMAND_BYTES = {"max.message.bytes": str(256 * 1024)}


_SOON_COMPACTED = {
    # A start reads the topic whole, and the broker compacts no segment that is still written to: with its defaults, a
    # gigabyte or a week of old snapshots would be read before the first hand goes on.
    "segment.bytes": str(2 * MAX_SNAPSHOT_BYTES),
    "segment.ms": "60000",
    "min.cleanable.dirty.ratio": "0.1",
    "max.compaction.lag.ms": "120000",
}


def _kept(days: int) -> dict[str, str]:
    return {"cleanup.policy": "delete", "retention.ms": str(days * DAY_MS)}


def _service(svc: str, commands_from: tuple[str, ...], events_to: tuple[str, ...]) -> list[Topic]:
    return [
        Topic(
            f"croupier.{svc}.commands.v1",
            "commands",
            PARTITIONS,
            commands_from,
            (svc,),
            # Time of a command is the broker's (journal 8, 13): nobody's clock but one.
            {**_kept(7), **_SAFE, **_MAX_COMMAND_BYTES, "message.timestamp.type": "LogAppendTime"},
        ),
        Topic(f"croupier.{svc}.journal.v1", "journal", PARTITIONS, (svc,), (svc, "audit"), {**_FOR_EVER, **_SAFE}),
        Topic(
            f"croupier.{svc}.snapshots.v1",
            "snapshots",
            PARTITIONS,
            (svc,),
            (svc,),
            # One record is one stream's whole state; an account remembers every reference it ever saw.
            {"cleanup.policy": "compact", **_SAFE, "max.message.bytes": str(MAX_SNAPSHOT_BYTES), **_SOON_COMPACTED},
        ),
        Topic(f"croupier.{svc}.events.v1", "events", PARTITIONS, (svc,), events_to, {**_FOR_EVER, **_SAFE}),
        Topic(f"croupier.{svc}.parked.v1", "parked", 1, (svc,), ("audit", INSPECTOR), _kept(90)),
    ]


REPLIES = Topic("croupier.replies.v1", "replies", PARTITIONS, ("table", "wallet"), ("gateway",), _kept(1))
TABLE_PRIVATE = Topic("croupier.table.private.v1", "private", PARTITIONS, ("table",), ("gateway",), _kept(1))

TOPICS: tuple[Topic, ...] = (
    *_service("table", ("gateway", "table"), ("wallet", "table", "audit", "gateway", PLATFORM, "tournament")),
    *_service("wallet", ("gateway", "wallet"), ("table", "wallet", "audit", "gateway", PLATFORM)),
    REPLIES,
    TABLE_PRIVATE,
)


def topic(svc: str, kind: Kind) -> Topic:
    """The topic of a service by kind; KeyError for one that is not in the table."""
    for candidate in TOPICS:
        if candidate.name == f"croupier.{svc}.{kind}.v1":
            return candidate
    raise KeyError(f"no topic croupier.{svc}.{kind}.v1 in libs/contracts/topics.py")


def partition_of(stream: str, partitions: int = PARTITIONS) -> int:
    """Partition of a stream: CRC-32 of its name modulo the count. Everybody who writes uses this one function."""
    return crc32(stream.encode()) % partitions
