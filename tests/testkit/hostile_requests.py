"""Requests as bytes that no client library makes: what a login can send to a broker, whatever it is let do."""

import gzip
import struct
import time
from collections.abc import Mapping

from aiokafka.conn import create_conn
from aiokafka.record.util import calc_crc32c, encode_varint

from libs.broker import Broker

EXPRESSION = "(((a{1,1000}){1,30}){1,30}){1,10}"
"""Nine million instructions, written out."""
_NO_TAGS = b"\0"


async def asked(broker: Broker, request: bytes) -> bytes:
    """What is answered, behind the number of the request. Raises `KafkaError` where the connection is closed."""
    host, _, port = broker.bootstrap.rpartition(":")
    connection = await create_conn(host, int(port), **broker.security(), request_timeout_ms=30_000)
    try:
        answer: bytes = await connection._send_sasl_token(request)  # the only one that takes bytes
    finally:
        connection.close()
    return answer[4:]


def listing_transactions(expression: str) -> bytes:
    states, producers, duration = _count(0), _count(0), struct.pack(">q", -1)
    return _flexible(66, 2, states, producers, duration, _text(expression))


def heartbeat(group: str, expression: str) -> bytes:
    """Of a member that is new, in the protocol of groups that came with Kafka 4."""
    member, epoch, rebalance = _text("AAAAAAAAAAAAAAAAAAAAAA"), struct.pack(">i", 0), struct.pack(">i", 300_000)
    topics, owned = _count(None), _count(0)
    return _flexible(
        *(68, 1, _text(group), member, epoch, _text(None), _text(None), rebalance),
        *(topics, _text(expression), _text(None), owned),
    )


def share_heartbeat(group: str, topic: str) -> bytes:
    member = _text("AAAAAAAAAAAAAAAAAAAAAA")
    return _flexible(76, 1, _text(group), member, struct.pack(">i", 0), _text(None), _count(1), _text(topic))


def producing(topic: str, claimed: int) -> bytes:
    """A compressed batch of one record that says of itself that it has so many bytes; 64 follow."""
    record = bytearray()
    encode_varint(claimed, record.append)
    record += bytes(64)
    now = int(time.time() * 1000)
    checked = struct.pack(">hiqqqhii", 1, 0, now, now, -1, -1, -1, 1) + gzip.compress(record)
    batch = struct.pack(">qiibI", 0, 9 + len(checked), -1, 2, calc_crc32c(checked)) + checked
    name = topic.encode()
    body = struct.pack(">hhiih", -1, 1, 5_000, 1, len(name)) + name + struct.pack(">iii", 1, 0, len(batch)) + batch
    return _head(0, 8) + body


def fetching(topics: Mapping[str, int], version: int = 11) -> bytes:
    """Of each topic so many partitions, from 1,000 on; asks for a session to be kept."""
    partition = struct.Struct(">iiqqi")
    named = b"".join(
        struct.pack(">h", len(name.encode())) + name.encode() + struct.pack(">i", count)
        + b"".join(partition.pack(1_000 + each, 0, 0, -1, 1) for each in range(count))
        for name, count in topics.items()
    )  # fmt: skip
    head = struct.pack(">iiiibiii", -1, 0, 0, 1 << 20, 0, 0, 0, len(topics))
    return _head(1, version) + head + named + struct.pack(">ih", 0, 0)


def _head(api: int, version: int) -> bytes:
    return struct.pack(">hhih", api, version, 1, 1) + b"x"


def _flexible(api: int, version: int, *fields: bytes) -> bytes:
    return b"".join((_head(api, version), _NO_TAGS, *fields, _NO_TAGS))


def _count(entries: int | None) -> bytes:
    return bytes([0 if entries is None else entries + 1])


def _text(text: str | None) -> bytes:
    return b"\0" if text is None else _count(len(text)) + text.encode()
