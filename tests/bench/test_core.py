"""Whether every part of `make bench-core` runs and measures something; how fast it is, is not asked here."""

import pytest

from libs.stack import Stack
from tests.bench.core.__main__ import PARTS


@pytest.mark.stack
@pytest.mark.timeout(300)
@pytest.mark.parametrize("part", PARTS)
async def test_it_measures(part: str, stack: Stack) -> None:
    ticks: list[None] = []
    rows = await PARTS[part](stack, 1, 0.002, lambda: ticks.append(None))
    assert ticks
    for row in rows:
        assert row["ours"]["median"] > 0
        assert row["theirs"] is None or row["ratio"]["min"] > 0
