"""A running tournament cancelled at a real house; `make chaos FAULT=cancelled` does it at ten moments."""

import pytest

from services.cli.house import House
from tests.chaos.cancelling import cancelled


@pytest.mark.stack
@pytest.mark.timeout(600)
async def test_every_cent_comes_back_as_the_regulation_wants_it(house: House) -> None:
    assert await cancelled(house, 1, "after the first elimination", paused=False) == []
    assert await cancelled(house, 2, "with everybody left in the money", paused=True) == []
