"""Connections to a broker that end when the other side is gone without a word.

A deleted pod, a lost node or a cut cable sends no FIN and no RST: a system that is told nothing sends again for a
quarter of an hour, and a client that waits for no answer waits for ever. aiokafka 0.14 (pinned) has neither keepalive
nor a bound for connecting apart from that of a request (40 s in its groups), so its way of making connections is
replaced, for every client of the process.
"""

import asyncio
import socket
from typing import Any

import aiokafka.client
from aiokafka.conn import AIOKafkaConnection

CONNECT_S = 3.0
"""An address that answers takes milliseconds. The name is looked up anew at each try."""
GONE_S = 6
"""Seconds without a sign of life until a connection is over: data that is not acknowledged, or keepalive. Less than a
request is given, so that what was asked can be asked again at another address."""
_ASKS_S = 2
_PAUSE_S = 0.2
"""After an address did not answer: who tries again at once only warms the machine. One tries at a time, by client."""


def end_with_peer(line: socket.socket) -> None:
    """Has the system end a TCP connection whose other side has not acknowledged anything for `GONE_S`; else nothing."""
    if line.family not in (socket.AF_INET, socket.AF_INET6):
        return
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        ("TCP_KEEPIDLE", GONE_S - 2 * _ASKS_S),
        ("TCP_KEEPINTVL", _ASKS_S),
        ("TCP_KEEPCNT", 2),
        ("TCP_USER_TIMEOUT", 1000 * GONE_S),
    ):
        if hasattr(socket, option):  # not everywhere
            line.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


class Line(AIOKafkaConnection):  # type: ignore[misc]
    """Connects in `CONNECT_S`, or not at all."""

    _request_timeout: float

    async def connect(self) -> Any:
        self._patience_s = self._request_timeout
        self._request_timeout = min(self._patience_s, CONNECT_S)
        return await super().connect()

    async def _do_version_lookup(self) -> None:
        """The first thing that is asked once the connection is there."""
        self._request_timeout = self._patience_s
        end_with_peer(self._writer.get_extra_info("socket"))
        await super()._do_version_lookup()


async def _create(host: str, port: int, **options: Any) -> Line:
    line = Line(host, port, **options)
    try:
        await line.connect()
    except (OSError, TimeoutError):
        await asyncio.sleep(_PAUSE_S)
        raise
    return line


def install() -> None:
    """Twice is once."""
    aiokafka.client.create_conn = _create
