"""Idempotency keys: the same key and body is the same command for ever, the same key with another body is refused."""

from collections import OrderedDict
from dataclasses import dataclass, field
from uuid import UUID

import msgspec

from libs.contracts.messages import Reply, command_id_at, time_of
from libs.edge.problems import Problem

SKEW_MS = 5_000
"""How far ahead of our clock a key's own time may be (journal 13)."""


class Remembered(msgspec.Struct, gc=False):
    """What one key stands for. `reply` is there once it is final; `at` is when the key was first seen (ms)."""

    digest: bytes
    command_id: UUID
    at: int
    reply: Reply | None = None


@dataclass(slots=True)
class IdempotencyKeys:
    """Bounded memory of (principal, key), the least recently used going first.

    A key that is a UUIDv7 gives its own time to the command id, so that it means the same command even after a restart
    or an eviction; any other key is stamped with the time at which it is first seen.
    """

    keep_ms: int
    max_records: int
    _held: OrderedDict[tuple[str, str], Remembered] = field(default_factory=OrderedDict)

    def claim(self, principal: str, key: str, digest: bytes, now: int, horizon_ms: int) -> Remembered:
        """What the key stands for, new or known; `Problem` 422 when it was used otherwise or its time is off."""
        known = self._held.get((principal, key))
        if known is not None and now - known.at < self.keep_ms:
            if known.digest != digest:
                raise Problem(
                    422,
                    "idempotency-key-reused",
                    "This key was used for another request; take a new one for a new wish.",
                )
            self._held.move_to_end((principal, key))
            return known
        made = Remembered(digest, command_id_at(_time_for(key, now, horizon_ms), principal, key), now)
        self._held[(principal, key)] = made
        self._held.move_to_end((principal, key))
        self._evict(now)
        return made

    def __len__(self) -> int:
        return len(self._held)

    def _evict(self, now: int) -> None:
        while len(self._held) > self.max_records:
            self._held.popitem(last=False)
        # The oldest are in front, save for those used again; these leave when their turn comes.
        while self._held and now - next(iter(self._held.values())).at >= self.keep_ms:
            self._held.popitem(last=False)


def _time_for(key: str, now: int, horizon_ms: int) -> int:
    try:
        stamped = UUID(key)
    except ValueError:
        return now
    if stamped.version != 7:
        return now
    at = time_of(stamped)
    if at > now + SKEW_MS:
        raise Problem(422, "idempotency-key-time", "The time in this UUIDv7 key lies in the future.")
    if at < now - horizon_ms:
        raise Problem(422, "idempotency-key-time", f"The time in this UUIDv7 key is older than {horizon_ms // 1000} s.")
    return at
