"""One of a player's WebSockets: to the gateways at one address, made again whenever it is lost."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Protocol

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from libs.client.http import ConnectionLost
from libs.contracts import frames

_UNAUTHORIZED = 4401
_PAUSE_S = 0.2
_AWAY_S = 1.0
"""After a try that nobody answered, where another gateway has sent the player: it is asked once more."""


class Gap(Exception):
    """An event is missing: the connection is made anew and begins with a fresh view."""


class Talks(Protocol):
    """Whose line it is."""

    def said_at(self, line: "Line") -> Iterable[str]:
        """What is said first on a new connection: subscriptions, and commands without an answer."""
        ...

    def take(self, frame: frames.Frame, line: "Line") -> None:
        """Raises `Gap`."""
        ...

    def nobody_at(self, line: "Line") -> bool:
        """No gateway answers there. Whether another one is asked instead."""
        ...

    def over(self) -> None:
        """A line has ended for good."""
        ...


class Line:
    def __init__(self, address: str, token: str, talks: Talks) -> None:
        self.address = address
        """Where it goes, unless a gateway that ends sends its players elsewhere."""
        self.url = address
        self.socket: ClientConnection | None = None
        self._token = token
        self._talks = talks
        self.reader = asyncio.create_task(self._stay(), name="player")

    async def send(self, message: dict[str, Any]) -> None:
        await self.send_text(msgspec.json.encode(message).decode())

    async def send_text(self, text: str) -> None:
        # Without a connection it goes out with the next one: tables and open commands are repeated then.
        if self.socket is not None:
            with suppress(ConnectionClosed):
                await self.socket.send(text)

    async def close(self) -> None:
        self.reader.cancel()
        await asyncio.gather(self.reader, return_exceptions=True)
        if self.socket is not None:
            await self.socket.close()

    async def _stay(self) -> None:
        """Reads for ever, over as many connections as it takes."""
        try:
            while True:
                pause = _PAUSE_S
                try:
                    await self._one_connection()
                except (OSError, InvalidHandshake, ConnectionClosed, Gap) as lost:
                    if isinstance(lost, InvalidStatus) and lost.response.status_code in (401, 403):
                        raise ConnectionLost("the session was refused") from None
                    if isinstance(lost, ConnectionClosed) and lost.rcvd and lost.rcvd.code == _UNAUTHORIZED:
                        raise ConnectionLost("the session is over or was refused") from None
                    if not isinstance(lost, (ConnectionClosed, Gap)):
                        if self.url == self.address and self._talks.nobody_at(self):
                            pause = _AWAY_S
                        self.url = self.address  # where we were sent nobody answers
                self.socket = None
                await asyncio.sleep(pause)
        finally:
            self._talks.over()

    async def _one_connection(self) -> None:
        headers = {"authorization": f"Bearer {self._token}"}
        async with connect(
            self.url, additional_headers=headers, compression=None, proxy=None, max_size=4 * 2**20, close_timeout=1
        ) as socket:
            self.socket = socket
            for text in list(self._talks.said_at(self)):
                await self.send_text(text)
            while True:
                self._talks.take(frames.FRAMES.decode(await socket.recv(decode=False)), self)
