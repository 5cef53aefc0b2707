"""A table's rules change while bots play at it, over the real house; books and journals agree afterwards.

In short, without a minute's wait: `tests/table/test_change_configuration.py`.
"""

import asyncio

import pytest

from services.cli.house import House
from tests.e2e.evening import croupier, evening


@pytest.mark.long
@pytest.mark.stack
@pytest.mark.rule("pt-811-2015", "enact.3", "17")
async def test_from_pots_to_buy_ins_while_a_hand_runs(house: House) -> None:
    async with evening(house, tables=1) as it:
        (table,) = it.tables
        await it.hands(3)
        newer = {**table.configuration, "version": 2, "rake_mode": "buy_in", "rake_bp": 1000}
        unapproved = {name: value for name, value in newer.items() if name != "approval"}
        refused = await it.operator.change_configuration(table.table, unapproved)
        assert (refused.accepted, refused.rule) == (False, "pt-811-2015#enact.3")
        assert (await it.operator.change_configuration(table.table, newer)).accepted
        # A minute's notice. At the pace of bots it would be more hands than a table remembers commands of.
        assert (await it.operator.command(f"/tables/{table.table}/pause", {"reason": "the minute"})).accepted
        await asyncio.sleep(61)
        assert (await it.operator.command(f"/tables/{table.table}/resume")).accepted
        async with asyncio.timeout(60):
            while (await it.operator.rules(table.table))["configuration"]["version"] != 2:
                await asyncio.sleep(0.05)
        await it.hands(3)
        assert (await it.operator.rules(table.table))["announced"] is None
        await it.close()
    status, report = await croupier(house, "verify")
    assert (status, report["findings"]) == (0, [])
