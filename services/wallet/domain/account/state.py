"""What an account remembers: its figures, its holds, and for ever what it was asked by reference, hold and sitting."""

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec
from rpds import HashTrieMap

Key = bytes
"""Digest of an id that must stay unique for ever; 16 bytes, whatever the id's length."""
Memory = HashTrieMap
"""What only ever grows. Persistent, so that an account of ten thousand deposits isn't copied for the next one."""
if TYPE_CHECKING:  # at run time it takes no parameters
    Digests = HashTrieMap[Key, Key]
    Names = HashTrieMap[Key, str]
    Amounts = HashTrieMap[Key, int]
else:
    Digests = Names = Amounts = HashTrieMap


class NoAccount(msgspec.Struct, frozen=True, tag="none"):
    stream: str


class Hold(msgspec.Struct, frozen=True, array_like=True):
    sitting: str
    table: str
    amount: int


class Account(msgspec.Struct, frozen=True, tag="open", gc=False):
    stream: str
    player: str
    currency: str
    demo: bool
    available: int = 0
    held: int = 0
    """Sum of the open holds."""
    references: Digests = Memory()
    """Digest of a reference to digest of what was asked under it."""
    holds: dict[Key, Hold] = {}
    """The open ones."""
    settled_top_ups: dict[Key, Hold] = {}
    """Settled with their sitting; the table may still say that they never became chips."""
    ended: Digests = Memory()
    """Digest of every hold that was refused, released or settled to what it was: its id never counts twice."""
    over: Names = Memory()
    """Digest of every settled sitting to its table."""
    settled: Amounts = Memory()
    """Digest of sitting and settlement to what came home."""

    def holds_of(self, sitting: str) -> dict[Key, Hold]:
        return {key: hold for key, hold in self.holds.items() if hold.sitting == sitting}


State = NoAccount | Account


@lru_cache(maxsize=1024)  # deciding a command and evolving its events ask for the same ones
def key_of(*parts: str) -> Key:
    return blake2b("\x1f".join(parts).encode(), digest_size=16).digest()


def content_of(hold: Hold) -> Key:
    return key_of(hold.sitting, hold.table, str(hold.amount))
