"""An operator that asks for more than there is reads a no, over the real house, however often it asks."""

import pytest

from libs.client import Operator
from services.cli.house import House


@pytest.mark.stack
async def test_a_refused_withdrawal_is_a_no_to_the_operator(house: House) -> None:
    async with Operator(house.gateway_url, house.operator_token) as operator:
        await operator.open_account("alice")
        await operator.deposit("alice", "bank-1", 10_000)
        for reason in ("insufficient_funds", "refused_before"):
            answer = await operator.withdraw("alice", "out-1", 10_001)
            assert (answer.accepted, answer.reason) == (False, reason)
        assert (await operator.withdraw("alice", "out-2", 10_000)).accepted
