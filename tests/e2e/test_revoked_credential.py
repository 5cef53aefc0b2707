"""A platform's credential that is taken back while the house runs."""

import asyncio

import httpx
import pytest

from libs.identity.operators import add_operator, revoke_operator
from services.cli.house import House
from services.cli.surroundings import operators_file


@pytest.mark.stack
async def test_a_revoked_credential_is_out_within_two_seconds(house: House) -> None:
    """In a house of its own: wrong tokens of one address are answered ever more slowly."""
    file = operators_file(house.home / "keys")
    authorization = {"authorization": f"Bearer {add_operator(file, 'acme', ['sessions'], 0)}"}
    async with httpx.AsyncClient(base_url=house.gateway_url, headers=authorization) as client:

        async def until(status: int) -> None:
            async with asyncio.timeout(2):
                while (await client.put("/v1/players/nobody/block")).status_code != status:
                    await asyncio.sleep(0.1)

        await until(422)
        revoke_operator(file, "acme")
        await until(401)
