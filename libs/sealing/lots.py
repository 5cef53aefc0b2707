"""Lots for many seats and tables out of one draw of entropy, which stretches as far as a decision needs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import shake_256
from typing import Protocol, TypeVar

from libs.sealing.shuffle import ByteSupply, Shuffler, below, uniform_order

LOTS = "croupier-lots-1/os-entropy"
"""Name and version of what is in this file; a change of how lots are drawn changes it."""
SEED_BYTES = 32
T = TypeVar("T")


class Lots(Protocol):
    def one_of(self, items: Sequence[T]) -> T:
        """Each with the same probability. At least one item."""
        ...

    def order(self, items: Sequence[T]) -> tuple[T, ...]:
        """Each order with the same probability."""
        ...


@dataclass(frozen=True, slots=True)
class LotSeed:
    """Entropy for one decision. Printing it shows nothing."""

    seed: bytes = field(repr=False)
    generator: str = LOTS

    @classmethod
    def drawn(cls, source: Shuffler) -> "LotSeed":
        """EntropyUnhealthy when the source fails its test."""
        return cls(source.secret())

    def lots(self) -> Lots:
        """The same draws each time, in the order in which they are asked for."""
        return _Seeded(self.seed)


class _Seeded:
    __slots__ = ("_drawn", "_seed", "_supply")

    def __init__(self, seed: bytes) -> None:
        self._seed, self._drawn = seed, 0
        self._supply = ByteSupply(self._stretched, SEED_BYTES)

    def one_of(self, items: Sequence[T]) -> T:
        return items[below(len(items), self._supply.next)]

    def order(self, items: Sequence[T]) -> tuple[T, ...]:
        return uniform_order(items, self._supply.next)

    def _stretched(self, size: int) -> bytes:
        self._drawn += 1
        return shake_256(self._seed + self._drawn.to_bytes(8, "big")).digest(size)
