"""A running tournament cancelled at a real house; `make chaos FAULT=cancelled` does it at ten moments."""

import pytest

from services.cli.house import House
from tests.chaos.cancelling import cancelled


@pytest.mark.stack
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("moment", "paused"),
    [
        ("after the first elimination", False),
        pytest.param("with everybody left in the money", True, marks=pytest.mark.long),
    ],
)
async def test_every_cent_comes_back_as_the_regulation_wants_it(house: House, moment: str, paused: bool) -> None:
    assert await cancelled(house, 1, moment, paused=paused) == []
