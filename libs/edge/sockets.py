"""What the kernel may hold of what a peer has not asked to read."""

import asyncio
import socket


def bound_unsent(transport: asyncio.BaseTransport, most: int) -> None:
    """The kernel takes `most` bytes ahead of what the peer's window allows; by itself it takes four megabytes of each
    who asks and does not read, and what it may hold of all of them is all that a machine has for its connections."""
    connected = transport.get_extra_info("socket")
    if hasattr(socket, "TCP_NOTSENT_LOWAT") and connected.family in (socket.AF_INET, socket.AF_INET6):
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, most)
