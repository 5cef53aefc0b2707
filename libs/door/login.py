"""The login, one request and the broker's answer to it at a time, until an answer says that it is good.

Of a name that is no platform's the broker is not asked: with Strimzi its listener for platforms knows the house's own
logins, too.
"""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable

from libs.door.frames import AUTHENTICATE, HANDSHAKE, HEAD, VERSIONS, Frames, Refused
from libs.door.sasl import FAILED_S, failure, may_come, mechanism_in

_MESSAGES = 2
"""Of SCRAM, each with an answer; the second one proves the password."""
_MOST_REQUESTS = 8
"""librdkafka makes five: two for versions, one for the mechanism, SCRAM's two."""
_MOST_BYTES = 16 * 1024
"""Of an answer; the longest one names the versions of each kind of request, ten bytes or fewer for each."""
_SIZE, _NUMBER, _CODE = 4, 4, 2
_FLEXIBLE = 2
"""From this version on an answer to `SaslAuthenticate` has tags behind its number: none, which takes one byte."""


class NotProven(Exception):
    """The broker has said no, or the door in its words, and why, which is passed on."""


async def proven(
    frames: Frames, frame: bytes, there: StreamReader, to_broker: StreamWriter, writer: StreamWriter,
    came_to: Callable[[int], None] = lambda step: None,
) -> bytes:  # fmt: skip
    """The answer that says that the login is good, still to be passed on; `frame` is the first request. `came_to` hears
    2 where the broker has agreed on how to log in, and 3 where it knows the login.

    Raises `NotProven`, `Refused`, and `IncompleteReadError` or OSError where one of both is gone.
    """
    messages, mechanism = 0, None
    for _ in range(_MOST_REQUESTS):
        _, kind, version = HEAD.unpack_from(frame)
        if kind == AUTHENTICATE and not messages and not may_come(frames.login):
            await asyncio.sleep(FAILED_S)
            writer.write(failure(frame, mechanism or ""))
            raise NotProven
        if kind == HANDSHAKE:
            if mechanism is not None:
                raise Refused("before_login")
            mechanism = mechanism_in(frame)
        to_broker.write(frame)
        answer = await frames.in_time(_answer(there))
        if kind != VERSIONS and not _good(answer, kind, version):
            writer.write(answer)
            raise NotProven
        if kind == AUTHENTICATE:
            messages += 1
            if messages == _MESSAGES:
                frames.logged_in = True
                return answer
        if kind != VERSIONS:
            came_to(2 + messages)
        writer.write(answer)
        frame = await frames.next()
    raise Refused("before_login")


async def _answer(there: StreamReader) -> bytes:
    head = await there.readexactly(_SIZE)
    size = int.from_bytes(head, "big")
    if size > _MOST_BYTES:
        raise Refused("no_broker")
    return head + await there.readexactly(size)


def _good(answer: bytes, kind: int, version: int) -> bool:
    at = _SIZE + _NUMBER + (kind == AUTHENTICATE and version >= _FLEXIBLE)
    return answer[at : at + _CODE] == bytes(_CODE)
