"""Key files: refused by name when they are missing or too short, never printed; some are read again when replaced."""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

_LOOK_S = 1.0
_log = logging.getLogger(__name__)
T = TypeVar("T")


class BadKey(ValueError):
    """A key file that can't be used. The text names the file and the fault, never the content."""


def hex_key(file: Path, length: int = 32) -> bytes:
    """The key in a file of hexadecimal digits."""
    text = secret_text(file)
    try:
        key = bytes.fromhex(text)
    except ValueError:
        raise BadKey(f"{file.name} is not hexadecimal") from None
    if len(key) != length:
        raise BadKey(f"{file.name} holds {len(key)} bytes instead of {length}")
    return key


def secret_text(file: Path, at_least: int = 16) -> str:
    """The token in a file, without the line end."""
    try:
        text = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise BadKey(f"{file.name} can't be read") from None
    if len(text) < at_least:
        raise BadKey(f"{file.name} is shorter than {at_least} characters")
    return text


class Watched(Generic[T]):
    """What a file holds. It is looked at again once a second, as it is used; one that can't be read changes nothing."""

    def __init__(
        self, file: Path, read: Callable[[Path], T], what: str, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`read` raises `BadKey`, and so does this; `what` the log calls it, in the plural."""
        self._file, self._read, self._what, self._now = file, read, what, now
        self._written = _written(file)
        self._held = read(file)
        self._due = now() + _LOOK_S

    def held(self, at_once: bool = False) -> T:
        now = self._now()
        if at_once or now >= self._due:
            self._due = now + _LOOK_S
            self._look()
        return self._held

    def _look(self) -> None:
        written = _written(self._file)
        if written in (None, self._written):
            return
        try:
            self._held, self._written = self._read(self._file), written
        except BadKey as wrong:
            _log.critical("%s stay as they were: %s", self._what, wrong)
        else:
            _log.warning("%s were handed out anew: %s", self._what, self._file.name)


def _written(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino
