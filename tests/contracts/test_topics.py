"""No topic takes a record that does not fit into a request, and nobody makes one that its topic does not take."""

import pytest

from libs.contracts.topics import (
    MAX_RECORD_BYTES,
    MAX_REQUEST_BYTES,
    MAX_SNAPSHOT_BYTES,
    PART_BYTES,
    TOPICS,
    Topic,
    batch_bytes,
    topic,
)
from libs.journal.kafka_produce import _REQUEST_BYTES, size_of
from libs.journal.machine import COMMIT_BYTES
from libs.journal.pace import Pace
from libs.journal.parts import cut
from libs.stack.kafka import bounds

_DEFAULT = 1_048_588
"""Kafka's own bound of a batch, for topics of which the table says nothing."""
_AROUND = 64 * 1024
"""Of a request: names of topics, who asks, a batch's own head."""


@pytest.mark.parametrize("each", TOPICS, ids=lambda each: each.name)
def test_what_a_topic_takes_fits_into_a_request(each: Topic) -> None:
    taken = int(each.config.get("max.message.bytes", _DEFAULT))
    assert taken + _AROUND <= MAX_REQUEST_BYTES == int(bounds()["socket.request.max.bytes"])
    assert batch_bytes(each.name) + 61 <= taken, "a batch's records, and its own head"


def test_a_writer_asks_for_no_more_at_once() -> None:
    assert MAX_RECORD_BYTES + _AROUND <= _REQUEST_BYTES + _AROUND <= MAX_REQUEST_BYTES
    assert max(Pace().batch_bytes, COMMIT_BYTES + 50_000) <= batch_bytes(topic("table", "journal").name)


def test_a_part_fits_with_all_that_stands_around_it() -> None:
    """The longest name of a stream, a seal and a mark."""
    of, headers = "f" * 16 + ".1000000", (("seal", bytes(200)), ("mark", bytes(200)))
    for key, value in cut("tournament-journal.1", "s" * 400, 2**62, bytes(MAX_SNAPSHOT_BYTES), of, PART_BYTES):
        assert size_of(key, value, headers) <= batch_bytes(topic("tournament", "snapshots").name)
