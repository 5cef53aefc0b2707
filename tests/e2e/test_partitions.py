"""A house that was created with another number of partitions than most: everybody finds everything.

In short: a house that was moved to 16, in `tests/e2e/test_move.py`.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio

from libs.broker.rules import prefix_rules
from libs.client.operator import Operator
from libs.contracts.topics import topic
from libs.journal.kafka_log import KafkaLog
from libs.journal.mark_keys import marks_in
from libs.journal.tail import end_of
from libs.stack import Stack, provision, remove
from services.cli.house import House, build_house
from tests.conftest import TESTS
from tests.e2e.evening import evening

pytestmark = pytest.mark.stack
PARTITIONS = 7


@pytest_asyncio.fixture
async def house(stack: Stack, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setenv("CROUPIER_PARTITIONS", str(PARTITIONS))
    prefix = f"h{uuid4().hex[:10]}."
    await provision(stack.admin, PARTITIONS, prefix, rules=prefix_rules(TESTS, prefix), only=())
    built = build_house(replace(stack, database_url=database), tmp_path, prefix)
    try:
        await built.start()
        yield built
    finally:
        await built.stop()
        await remove(stack.admin, prefix)


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_a_house_of_seven_plays_verifies_and_rebuilds(house: House) -> None:
    async with Operator(house.gateway_url, house.operator_token) as operator:
        for number in range(14):
            assert (await operator.open_account(f"p-{number}", "EUR")).accepted
            assert (await operator.deposit(f"p-{number}", f"d-{number}", 5_000, "EUR")).accepted
    async with evening(house) as it:
        await it.hands(4)
        await it.close()
    log = KafkaLog(house.stack.broker(TESTS), marks_in(house.marks_file("inspector")))
    name = house.topic_prefix + topic("wallet", "journal").name
    ends = [await end_of(log, name, number) for number in range(PARTITIONS)]
    assert all(ends), "accounts lie in every partition"
    for command in (("verify",), ("rebuild", "--compare"), ("scan",)):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "services.cli", *command),
            env={**os.environ, **house.inspecting(), "CROUPIER_HOME": str(house.home)},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await process.communicate()
        assert process.returncode == 0, (command, said.decode())
