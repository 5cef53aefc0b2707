"""Idempotency keys under names that are easier to read."""

import time
from functools import cache

from libs.contracts.messages import command_id_at


@cache
def key_of(name: str) -> str:
    """The same one for a name as long as nobody forgets it: `key_of.cache_clear()` between tests, for keys grow old."""
    return str(command_id_at(time.time_ns() // 1_000_000, "a key of the tests", name))
