"""Entropy out of a seed, for a process that simulates: what would be random there has to replay."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random


@contextmanager
def seeded_entropy(seed: int) -> Iterator[None]:
    """`os.urandom` gives the bytes of this seed inside the block. For simulations: nobody's keys may come of it."""
    random, true = Random(f"entropy {seed}"), os.urandom
    os.urandom = random.randbytes
    try:
        yield
    finally:
        os.urandom = true
