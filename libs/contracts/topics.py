"""The one table of Kafka topics: provisioning, ACLs, docs and code all read it. Nothing is auto-created."""

from dataclasses import dataclass, field
from functools import cache
from typing import Literal
from zlib import crc32

DAY_MS = 86_400_000
MAX_SNAPSHOT_BYTES = 16 * 1024 * 1024
"""Of one stream's whole state. What no record holds goes in parts (`libs/journal/parts.py`)."""
MAX_RECORD_BYTES = 1024 * 1024
"""Of a batch, and so of a record, on any topic: the broker reserves what a request says of itself, and a request holds
what is written at once."""
MAX_REQUEST_BYTES = 2 * MAX_RECORD_BYTES
"""Of anything that is sent to the broker."""
PART_BYTES = 1_000_000
"""Of a snapshot in one record: below the bound by what stands around it."""
PLATFORM = "platform"
"""Among `readers`: every operator platform, each under a login of its own."""
INSPECTOR = "inspector"
"""Who verifies, rebuilds and scans: reads every topic, also where it does not stand among `readers`; writes none."""
HOUSE = "house"
"""Who creates a house: whoever holds the root of its marks, and no process that runs. It has no login of its own."""
Kind = Literal[
    "house", "commands", "journal", "snapshots", "events", "private", "replies", "parked", "sessions", "views", "lobby"
]


@dataclass(frozen=True, slots=True)
class Topic:
    name: str
    kind: Kind
    writers: tuple[str, ...]
    """What they write carries their mark (`libs/journal/marks.py`)."""
    readers: tuple[str, ...]
    """The auditor reads everything: what is sealed is sealed from it as well, unless it has the key."""
    config: dict[str, str] = field(default_factory=dict)
    is_single: bool = False
    """One partition in every house."""

    def partitions(self, of_house: int) -> int:
        """How many it has in a house of so many: the same for a service's commands and journal, since a command and its
        commit share a partition (journal 1)."""
        return 1 if self.is_single else of_house

    @property
    def is_never_cut(self) -> bool:
        """Its first offset is 0 for ever: nothing of it grows old, and compaction leaves offsets as they are."""
        return self.config["cleanup.policy"] == "compact" or self.config["retention.ms"] == "-1"


SEGMENT_BYTES = 32 * 1024 * 1024
"""Of one file of a partition. A broker that was killed reads the last one of each partition whole, and takes every id
that a producer gave itself in it, expired or not: 68 bytes make one, which is some 280 of its heap. With Kafka's own
gigabyte one login makes more than any heap holds, and the broker never comes up again. Smaller ones are more files for
ever: at 16 MiB a terabyte is 65,536 of them, each an open file, and, once read, all the mappings that Linux gives a
process as it comes."""

_OF_ALL = {
    "segment.bytes": str(SEGMENT_BYTES),
    "unclean.leader.election.enable": "false",
    # When a record was written is the broker's word: nobody's clock but one (journal 8, 13), and no forger's.
    "message.timestamp.type": "LogAppendTime",
    # Nobody here compresses, and readers leave aside what is. So that the broker does not unpack it, either: a record
    # of 100 bytes may say of itself that it has 600 MB, which the broker would reserve.
    "compression.type": "producer",
}
_FOR_EVER = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1", **_OF_ALL}
_MAX_COMMAND_BYTES = {"max.message.bytes": str(256 * 1024)}


_COMPACTED = {
    "cleanup.policy": "compact",
    **_OF_ALL,
    # What comes compressed is unpacked when it comes, for which our broker has no codec (`libs/stack/kafka.py`): at a
    # broker that has them, who compacts would read it whole, again after each start, and end each time.
    "compression.type": "uncompressed",
    "max.message.bytes": str(MAX_RECORD_BYTES),
    # A start reads the topic whole, and the broker compacts no segment that is still written to: with its default, a
    # week of old snapshots would be read before the first hand goes on.
    "segment.ms": "60000",
    "min.cleanable.dirty.ratio": "0.1",
    "max.compaction.lag.ms": "120000",
}


def _kept(days: int) -> dict[str, str]:
    """A broker takes whole segments away, the first once its last record is old enough: without a bound of its own one
    is written to for a week, and what is kept for a day for eight. Hole cards are, and a start reads them."""
    bounds = {"retention.ms": str(days * DAY_MS), "segment.ms": str(days * DAY_MS // 8)}
    return {"cleanup.policy": "delete", **bounds, **_OF_ALL}


def _service(
    svc: str, commands_from: tuple[str, ...], events_to: tuple[str, ...], looked_up_by: tuple[str, ...] = ()
) -> list[Topic]:
    """`looked_up_by`: who looks at the commands, whether a player has asked for what the events say."""

    def of(kind: Kind, *, by: tuple[str, ...], to: tuple[str, ...], config: dict[str, str]) -> Topic:
        return Topic(f"croupier.{svc}.{kind}.v1", kind, by, to, config, is_single=kind == "parked")

    only, mine = (svc,), (svc, "audit")
    return [
        of(
            "commands",
            by=commands_from,
            to=(*mine, *looked_up_by),
            config={**_kept(7), **_MAX_COMMAND_BYTES},
        ),
        of("journal", by=only, to=mine, config=_FOR_EVER),
        of("snapshots", by=only, to=mine, config=_COMPACTED),
        of("events", by=only, to=events_to, config=_FOR_EVER),
        of("parked", by=only, to=("audit", INSPECTOR), config=_kept(90)),
    ]


_DECIDERS = ("table", "wallet", "tournament")
REPLIES = Topic("croupier.replies.v1", "replies", _DECIDERS, ("gateway", "audit"), _kept(1))
TABLE_PRIVATE = Topic("croupier.table.private.v1", "private", ("table",), ("gateway", "audit"), _kept(1))
SESSIONS = Topic("croupier.sessions.v1", "sessions", ("gateway",), ("gateway", "audit"), _COMPACTED)
"""Which players' sessions do not count any more, told by gateways to gateways."""
VIEWS = Topic("croupier.gateway.views.v1", "views", ("gateway",), ("gateway", "audit"), _COMPACTED)
"""What gateways have made of public events, so that one that starts need not read all of them (journal 20)."""
LOBBY = Topic("croupier.gateway.lobby.v1", "lobby", ("gateway",), ("gateway", "audit"), _COMPACTED)
"""What the lobby says of each table, told by gateways that serve it to those that do not (floors)."""

EVERYBODY = ("gateway", "table", "wallet", "tournament", "audit")
HOUSES = Topic("croupier.house.v1", "house", (HOUSE,), EVERYBODY, _FOR_EVER, is_single=True)
"""What the house is (`libs/contracts/house.py`): looked at by every process before it does anything."""

TOPICS: tuple[Topic, ...] = (
    HOUSES,
    *_service("table", ("gateway", "table", "tournament"), (*_DECIDERS, "audit", "gateway", PLATFORM), ("wallet",)),
    *_service("wallet", ("gateway", "wallet"), (*_DECIDERS, "audit", "gateway", PLATFORM)),
    *_service(
        "tournament", ("gateway", "tournament"), ("wallet", "audit", "gateway", PLATFORM, "tournament"), ("wallet",)
    ),
    REPLIES,
    TABLE_PRIVATE,
    SESSIONS,
    VIEWS,
    LOBBY,
)
WRITERS = frozenset(writer for each in TOPICS for writer in each.writers)
"""Everybody of this house who writes to any topic."""


def topic(svc: str, kind: Kind) -> Topic:
    """The topic of a service by kind; KeyError for one that is not in the table."""
    for candidate in TOPICS:
        if candidate.name == f"croupier.{svc}.{kind}.v1":
            return candidate
    raise KeyError(f"no topic croupier.{svc}.{kind}.v1 in libs/contracts/topics.py")


_LAST_ALONE = tuple(each.name for each in TOPICS if each.config["cleanup.policy"] == "compact")


def keeps_the_last(name: str) -> bool:
    """Whether of a key only the last record stays there; `name` may have a prefix."""
    return name.endswith(_LAST_ALONE)


BATCH_BYTES = 1_039_000
"""Of records in one batch where a topic says nothing else: just below the broker's default limit."""
_HEAD_BYTES = 1_000
"""What is left for a batch's own head."""
_SMALLER = {
    each.name: size for each in TOPICS if (size := int(each.config.get("max.message.bytes", BATCH_BYTES))) < BATCH_BYTES
}


@cache
def batch_bytes(name: str) -> int:
    """Bytes of records that may lie in one batch of this topic: the broker holds its limit against a batch as a whole.
    `name` may have a prefix."""
    return next((size - _HEAD_BYTES for topic, size in _SMALLER.items() if name.endswith(topic)), BATCH_BYTES)


def partition_of(stream: str, partitions: int) -> int:
    """Partition of a stream: CRC-32 of its name modulo the house's count. Everybody who writes uses this function."""
    return crc32(stream.encode()) % partitions
