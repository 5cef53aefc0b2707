"""The luck of tables under test: shuffles out of a seed, so that a test which passes today passes tomorrow."""

import os
from random import Random

from libs.sealing.shuffle import Shuffler

LUCK = os.environ.get("CROUPIER_LUCK", "croupier")
"""Other words deal other cards: no test may depend on which."""


def seeded_shuffler() -> Shuffler:
    """The same decks in the same order on each call."""
    return Shuffler(Random(LUCK).randbytes)
