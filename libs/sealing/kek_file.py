"""The file of key-encryption keys: several versions, of which one seals and all open, changed while the house plays.

A file of 32 bytes in hexadecimal, as houses begin with, is version 1 alone.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec

from libs.sealing.key_files import BadKey, Watched, hex_key
from libs.sealing.sealed import KEY_BYTES, CannotOpen, Keyring
from libs.sealing.secret import SecretBytes

MOST_VERSIONS = 255
FIRST = 1
_Number = Annotated[int, msgspec.Meta(ge=1, le=MOST_VERSIONS)]


def kek_id(number: int) -> str:
    """As sealed decks name a version."""
    return f"kek-{number}"


@dataclass(frozen=True, slots=True)
class KekVersion:
    number: int
    key: SecretBytes
    made_at: int | None = None
    """Milliseconds since the epoch; None: before files said so."""

    @property
    def id(self) -> str:
        return kek_id(self.number)


@dataclass(frozen=True, slots=True)
class Keks:
    """In ascending order of their numbers. ValueError, which says why, for what is no such file."""

    versions: tuple[KekVersion, ...]
    seals: int
    """Number of the version that new decks are sealed under."""

    def __post_init__(self) -> None:
        numbers = [each.number for each in self.versions]
        if numbers != sorted(set(numbers)) or not all(0 < number <= MOST_VERSIONS for number in numbers):
            raise ValueError("versions are not in order")
        if any(len(each.key.reveal()) != KEY_BYTES for each in self.versions):
            raise ValueError(f"a key has not {KEY_BYTES} bytes")
        if len({each.key for each in self.versions}) < len(numbers):
            raise ValueError("two versions are the same key")
        if self.seals not in numbers:
            raise ValueError("no key of the version that seals")

    @property
    def newest(self) -> int:
        return self.versions[-1].number

    def rotated(self, fresh: bytes, now: int) -> "Keks":
        """The next of two steps: another version opens, `fresh` its key; then it seals. ValueError: none is left."""
        if self.seals < self.newest:
            return replace(self, seals=self.newest)
        if self.newest == MOST_VERSIONS:
            raise ValueError("there is no version left")
        return replace(self, versions=(*self.versions, KekVersion(self.newest + 1, SecretBytes(fresh), now)))

    def without(self, number: int) -> "Keks":
        """ValueError for one that is not there, or that seals or will."""
        if number >= self.seals:
            raise ValueError(f"{kek_id(number)} seals new decks, or will")
        if number not in [each.number for each in self.versions]:
            raise ValueError(f"there is no {kek_id(number)}")
        return replace(self, versions=tuple(each for each in self.versions if each.number != number))


class _Version(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: _Number
    key: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    made_at: Annotated[int, msgspec.Meta(ge=0)] | None = None


class _KekFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seals: _Number
    versions: list[_Version]


def read_keks(file: Path) -> Keks:
    """BadKey names the file and the fault, and quotes nothing of it."""
    try:
        text = file.read_bytes()
    except OSError:
        raise BadKey(f"{file.name} can't be read") from None
    if not text.lstrip().startswith(b"{"):
        return Keks((KekVersion(FIRST, SecretBytes(hex_key(file))),), FIRST)
    try:
        held = msgspec.json.decode(text, type=_KekFile)
        found = (KekVersion(each.version, SecretBytes(bytes.fromhex(each.key)), each.made_at) for each in held.versions)
        return Keks(tuple(found), held.seals)
    except msgspec.MsgspecError:
        raise BadKey(f"{file.name} holds no versions of a key-encryption key") from None
    except ValueError as wrong:
        raise BadKey(f"{file.name}: {wrong}") from None


@contextmanager
def changing_keks(file: Path) -> Iterator[Callable[[Keks], None]]:
    """Gives what writes the file, in one step and for its owner alone; one at a time may. Raises OSError."""
    file = file.resolve()
    beside = os.open(file.with_name(f".{file.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(beside, fcntl.LOCK_EX)
        yield lambda keks: _write(file, keks)
    finally:
        os.close(beside)


def _write(file: Path, keks: Keks) -> None:
    """On the disk before it takes the old one's place: an empty file after a power cut would be every deck lost."""
    held = [_Version(each.number, each.key.reveal().hex(), each.made_at) for each in keks.versions]
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(_KekFile(keks.seals, held))) + b"\n")
        out.flush()
        os.fsync(descriptor)
    fresh.replace(file)
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


class KeyringFile:
    """The keyring in a file, which is read again within a second of its being replaced."""

    def __init__(self, file: Path, now: Callable[[], float] = time.monotonic) -> None:
        """Raises `BadKey`."""
        self._held = Watched(file, _keyring_in, "key-encryption keys", now).held

    @property
    def newest(self) -> int:
        """Number of the newest version that opens here."""
        return self._held()[1]

    def wrap(self, data_key: bytes, bound_to: bytes) -> tuple[str, bytes]:
        return self._held()[0].wrap(data_key, bound_to)

    def unwrap(self, key_id: str, wrapped: bytes, bound_to: bytes) -> bytes:
        keyring, _ = self._held()
        try:
            return keyring.unwrap(key_id, wrapped, bound_to)
        except CannotOpen:
            again, _ = self._held(at_once=True)  # another process may seal under a newer one already
            if again is keyring:
                raise
            return again.unwrap(key_id, wrapped, bound_to)


def _keyring_in(file: Path) -> tuple[Keyring, int]:
    keks = read_keks(file)
    return keyring_of(keks), keks.newest


def keyring_of(keks: Keks) -> Keyring:
    return Keyring({each.id: each.key.reveal() for each in keks.versions}, kek_id(keks.seals))
