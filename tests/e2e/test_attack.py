"""The short form of `make attack`: a part of every list, the same house, the same questions afterwards."""

import pytest

from services.cli.house import House
from tests.attack.campaign import ATTACKS, attacked

pytestmark = [pytest.mark.stack, pytest.mark.timeout(300)]
SHARE = 0.04


async def test_nothing_that_is_tried_has_an_effect(house_at: House) -> None:
    rows = []
    async for row in attacked(house_at, SHARE, patience_s=30.0):
        print(f"{row.attack}: {row.tried:,} tried, {row.seconds:.0f} s, effect: {row.effect}", flush=True)
        rows.append(row)
    assert len(rows) == len(ATTACKS) + 2
    assert {row.attack: row.broken for row in rows if row.broken} == {}
    assert all(row.tried for row in rows)
