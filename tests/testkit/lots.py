"""Lots whose outcome is given, and lots out of a number: for tests."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from libs.sealing.lots import Lots, LotSeed

T = TypeVar("T")


class GivenLots:
    """Draws what it is told, one after the other, and keeps among what each was drawn."""

    def __init__(self, *drawn: Any) -> None:
        self._left = list(drawn)
        self.among: list[list[Any]] = []

    def one_of(self, items: Sequence[T]) -> T:
        self.among.append(list(items))
        found: T = self._left.pop(0)
        assert found in items, f"{found} is not among {items}"
        return found

    def order(self, items: Sequence[T]) -> tuple[T, ...]:
        self.among.append(list(items))
        drawn: Iterable[T] = self._left.pop(0)
        return tuple(drawn)

    @property
    def over(self) -> bool:
        """Whether everything was drawn that was given."""
        return not self._left


def lots_of(number: int) -> Lots:
    """The same ones for the same number."""
    return LotSeed(number.to_bytes(32, "big")).lots()
