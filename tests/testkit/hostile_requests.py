"""Requests as bytes that no client library makes: what a login can send to a broker, whatever it is let do."""

import gzip
import os
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


def finding(group: str) -> bytes:
    """Who coordinates it; the broker makes the topic of groups when it is asked for the first time."""
    return _head(10, 1) + _short(group) + b"\0"


def joining(group: str, topic: str, size: int, rebalance_ms: int) -> bytes:
    """A new member's `JoinGroup` of so many bytes, nearly all of them what it says of itself: the group keeps it, and
    tells it to its leader."""
    told = struct.pack(">hi", 0, 1) + _short(topic)
    around = _head(11, 3) + _short(group) + struct.pack(">ii", 60_000, rebalance_ms) + _short("") + _short("consumer")
    around += struct.pack(">i", 1) + _short("range")
    data = size - len(around) - len(told) - 8
    return around + struct.pack(">i", len(told) + 4 + data) + told + struct.pack(">i", data) + os.urandom(data)


PLAIN, GZIP, SNAPPY, LZ4, ZSTD = range(5)


def claiming(codec: int, claimed: int) -> bytes:
    """Batches' content: a record that says of itself that it has so many bytes, of which 64 follow."""
    record = bytearray()
    encode_varint(claimed, record.append)
    return packed(codec, bytes(record) + bytes(64))


def packed(codec: int, content: bytes) -> bytes:
    """As Kafka's own codec unpacks it; all but gzip in one block as it is, of less than 256 bytes."""
    size = len(content)
    match codec:
        case 1:
            return gzip.compress(content)
        case 2:
            block = bytes([size, 60 << 2, size - 1]) if size >= 60 else bytes([size, (size - 1) << 2])
            return b"\x82SNAPPY\0" + struct.pack(">iii", 1, 1, len(block) + size) + block + content
        case 3:
            return bytes.fromhex("04224d18604082") + struct.pack("<I", size | 1 << 31) + content + bytes(4)
        case 4:
            block = (size << 3 | 1).to_bytes(3, "little")
            return bytes.fromhex("28b52ffd20") + bytes([size]) + block + content
    return content


def bomb(megabytes: int) -> bytes:
    """Of zeros, in gzip: a thousandth of it."""
    record = bytearray()
    encode_varint(megabytes * 2**20, record.append)
    return gzip.compress(record) + gzip.compress(bytes(2**24)) * (megabytes // 16)


_BY_BROKER = 8
"""Whose word the time is: the bit among a batch's attributes."""


def plain_record(key: bytes, value: bytes) -> bytes:
    record = bytearray(3)  # attributes; time and offset as the batch's own
    for part in (key, value):
        encode_varint(len(part), record.append)
        record += part
    record.append(0)
    framed = bytearray()
    encode_varint(len(record), framed.append)
    return bytes(framed + record)


def producing(topic: str, content: bytes, codec: int, producer: int = -1) -> bytes:
    """A batch of one record, the first of an id that the producer gives itself; -1: of none."""
    now, first = int(time.time() * 1000), -1 if producer < 0 else 0
    checked = struct.pack(">hiqqqhii", codec, 0, now, now, producer, first, first, 1) + content
    batch = struct.pack(">qiibI", 0, 9 + len(checked), -1, 2, calc_crc32c(checked)) + checked
    name = topic.encode()
    body = struct.pack(">hhiih", -1, 1, 5_000, 1, len(name)) + name + struct.pack(">iii", 1, 0, len(batch)) + batch
    return _head(0, 8) + body


def ids(first: int, count: int, time_ms: int) -> bytes:
    """Of a partition's file, as a broker writes it: smallest batches, each of an id that no other has; the first one
    stands at offset `first`."""
    record, found = b"\x0c\0\0\0\x01\x01\0", bytearray()  # neither key nor value
    for number in range(first, first + count):
        checked = struct.pack(">hiqqqhii", _BY_BROKER, 0, time_ms, time_ms, 1_000_000 + number, 0, 0, 1) + record
        found += struct.pack(">qiibI", number, 9 + len(checked), 0, 2, calc_crc32c(checked)) + checked
    return bytes(found)


def describing_producers(topic: str) -> bytes:
    """Which ids the broker keeps of the topic's first partition."""
    return _flexible(61, 0, _count(1), _text(topic), _count(1), struct.pack(">i", 0) + _NO_TAGS)


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


def _short(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">h", len(encoded)) + encoded


def _head(api: int, version: int) -> bytes:
    return struct.pack(">hhih", api, version, 1, 1) + b"x"


def _flexible(api: int, version: int, *fields: bytes) -> bytes:
    return b"".join((_head(api, version), _NO_TAGS, *fields, _NO_TAGS))


def _count(entries: int | None) -> bytes:
    return bytes([0 if entries is None else entries + 1])


def _text(text: str | None) -> bytes:
    return b"\0" if text is None else _count(len(text)) + text.encode()
