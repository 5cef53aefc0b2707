"""What an account remembers: its figures, its holds, and for ever what it was asked by reference, hold and sitting."""

from hashlib import blake2b
from typing import Literal

import msgspec

Key = bytes
"""Digest of an id that must stay unique for ever; 16 bytes, whatever the id's length."""


class NoAccount(msgspec.Struct, frozen=True, tag="none"):
    stream: str


class Hold(msgspec.Struct, frozen=True, array_like=True):
    """One hold, open or ended. An ended one is kept: its id never counts twice (journal 4b)."""

    sitting: str
    table: str
    amount: int
    status: Literal["open", "refused", "released", "settled"]


class Account(msgspec.Struct, frozen=True, tag="open"):
    stream: str
    player: str
    currency: str
    demo: bool
    available: int = 0
    held: int = 0
    """Sum of the open holds."""
    references: dict[Key, Key] = {}
    """Digest of a reference to digest of what was asked under it."""
    holds: dict[Key, Hold] = {}
    over: dict[Key, str] = {}
    """Digest of every settled sitting to its table."""
    settled: dict[Key, int] = {}
    """Digest of sitting and settlement to what came home."""

    def open_holds(self, sitting: str) -> list[Hold]:
        return [hold for hold in self.holds.values() if hold.status == "open" and hold.sitting == sitting]


State = NoAccount | Account


def key_of(*parts: str) -> Key:
    return blake2b("\x1f".join(parts).encode(), digest_size=16).digest()
