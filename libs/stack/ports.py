"""Ports of this machine for what is about to be started."""

import errno
import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import sample
from tempfile import gettempdir

_BELOW_EPHEMERAL = range(16_384, 32_768)
"""The kernel gives ports from 32768 on to whatever connects: one that was free a moment ago may be taken by the time at
which a service binds it (seen under load)."""
_BLOCK = 64


def free_port() -> int:
    """A port that nobody listens on and that no other process of this user's gives away; never the same twice.

    Raises OSError where there is none.
    """
    for port in _PORTS:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError(errno.EADDRNOTAVAIL, f"no port is free from {_BELOW_EPHEMERAL.start} to {_BELOW_EPHEMERAL.stop - 1}")


def _ours() -> Iterator[int]:
    """Block by block, each locked while this process lives: between a port's choice and its use lie seconds."""
    folder = Path(gettempdir()) / f"croupier-ports-{os.getuid()}"
    folder.mkdir(0o700, exist_ok=True)
    blocks = _BELOW_EPHEMERAL[::_BLOCK]
    for first in sample(blocks, len(blocks)):
        lock = os.open(folder / str(first), os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        yield from range(first, first + _BLOCK)


_PORTS = _ours()
