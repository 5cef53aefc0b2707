"""What an account remembers: its figures, its holds, and for ever what it was asked by reference, hold and sitting."""

from hashlib import blake2b

import msgspec

Key = bytes
"""Digest of an id that must stay unique for ever; 16 bytes, whatever the id's length."""


class NoAccount(msgspec.Struct, frozen=True, tag="none"):
    stream: str


class Hold(msgspec.Struct, frozen=True, array_like=True):
    sitting: str
    table: str
    amount: int


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
    """The open ones."""
    settled_top_ups: dict[Key, Hold] = {}
    """Settled with their sitting; the table may still say that they never became chips."""
    ended: dict[Key, Key] = {}
    """Digest of every hold that was refused, released or settled to what it was: its id never counts twice."""
    over: dict[Key, str] = {}
    """Digest of every settled sitting to its table."""
    settled: dict[Key, int] = {}
    """Digest of sitting and settlement to what came home."""

    def holds_of(self, sitting: str) -> dict[Key, Hold]:
        return {key: hold for key, hold in self.holds.items() if hold.sitting == sitting}


State = NoAccount | Account


def key_of(*parts: str) -> Key:
    return blake2b("\x1f".join(parts).encode(), digest_size=16).digest()


def content_of(hold: Hold) -> Key:
    return key_of(hold.sitting, hold.table, str(hold.amount))
