"""Requests of Kafka's protocol by hand: an honest one, and those that ended brokers."""

import os
from struct import pack

from aiokafka.conn import AIOKafkaConnection, create_conn

from libs.broker import Broker

REGEX = "(((a{1,1000}){1,30}){1,30}){1,10}"
"""RE2J writes repetitions out: nine million instructions."""


def text(said: str) -> bytes:
    return pack(">h", len(said)) + said.encode()


def compact(said: str | None) -> bytes:
    return b"\0" if said is None else bytes([len(said) + 1]) + said.encode()


def framed(body: bytes) -> bytes:
    return pack(">i", len(body)) + body


def request(kind: int, version: int, body: bytes, flexible: bool = False) -> bytes:
    return framed(pack(">hhi", kind, version, 7) + text("x") + (b"\0" if flexible else b"") + body)


def list_transactions() -> bytes:
    return request(66, 2, b"\1\1" + pack(">q", -1) + compact(REGEX) + b"\0", flexible=True)


def consumer_heartbeat(group: str) -> bytes:
    member = compact(group) + compact("AAAAAAAAAAAAAAAAAAAAAA") + pack(">i", 0) + compact(None) + compact(None)
    return request(
        68, 1, member + pack(">i", 300_000) + b"\0" + compact(REGEX) + compact(None) + b"\1\0", flexible=True
    )


def join(group: str, size: int) -> bytes:
    head = text(group) + pack(">ii", 1_800_000, 270_000) + text("") + text("consumer") + pack(">i", 1) + text("range")
    return request(11, 3, head + framed(os.urandom(size)))


def versions() -> bytes:
    return request(18, 0, b"")


def metadata(kind: int = 3) -> bytes:
    return request(kind, 1, pack(">i", 0))


async def logged_in(broker: Broker) -> AIOKafkaConnection:
    host, _, port = broker.bootstrap.rpartition(":")
    return await create_conn(host, int(port), **broker.security())
