"""The luck of tables under test: shuffles out of a seed, so that a test which passes today passes tomorrow."""

import os
from random import Random

from libs.sealing.shuffle import Shuffler

LUCK = os.environ.get("CROUPIER_LUCK", "croupier")
"""Other words deal other cards: no test may depend on which."""


class _Seeded(Shuffler):
    """Without the test of the source's health, which takes more than half of a shuffle: there is no source here."""

    __slots__ = ()

    def _draw(self, size: int) -> bytes:
        return self._source(size)


def seeded_shuffler(dice: Random | None = None) -> Shuffler:
    """The same decks in the same order on each call, or those of these dice."""
    return _Seeded((dice or Random(LUCK)).randbytes)
