"""Entropy out of a seed, for a process that simulates: what would be random there has to replay."""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def seeded_entropy(seed: int) -> Iterator[None]:
    """`os.urandom` and the module `random` give what comes of this seed inside the block.

    For simulations: nobody's keys may come of it.
    """
    true, state = os.urandom, random.getstate()
    os.urandom = random.Random(f"entropy {seed}").randbytes
    random.seed(f"random {seed}")
    try:
        yield
    finally:
        os.urandom = true
        random.setstate(state)
