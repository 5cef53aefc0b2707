"""Keys of marks are changed while hands run: nothing is lost, and what the old key writes then counts no more."""

import asyncio

import pytest
from aiokafka import AIOKafkaProducer
from typer.testing import CliRunner
from uuid6 import uuid7

from libs.contracts.commands import message_of
from libs.contracts.messages import Principal
from libs.contracts.topics import topic
from libs.contracts.wallet_commands import OpenAccount, account_id
from libs.journal.mark_keys import marks_in, plan_in
from services.cli.__main__ import app
from services.cli.house import House
from tests.e2e.evening import croupier, evening
from tests.testkit.marks import written_by
from tests.testkit.partitions import partition_of


@pytest.mark.stack
@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_keys_are_rotated_while_the_house_plays(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**house.inspecting(), "CROUPIER_HOME": str(house.home)}.items():
        monkeypatch.setenv(name, value)
    keys = house.home / "keys"
    stolen = house.home / "stolen.json"
    stolen.write_bytes(house.marks_file("gateway").read_bytes())
    old = marks_in(stolen)
    async with evening(house, tables=2, bots=3) as it:
        await it.hands(3)
        for accepted, writes, retired in (((1, 2), 1, []), ((1, 2), 2, []), ((1, 2), 2, [1])):
            words = ["marks", "rotate", "--keys", str(keys)]
            told = await asyncio.to_thread(CliRunner().invoke, app, words)
            assert told.exit_code == 0, told.output
            plan = plan_in(keys / "marks")
            assert (plan.accepted, plan.writes, sorted(plan.retired)) == (accepted, writes, retired)
            await asyncio.sleep(1.5)
            await it.hands(3)
        for name in ("table", "audit"):  # what lies below the bounds is still true
            await house.processes[name].kill()
            await house.processes[name].start()
        await house.processes["audit"].ready()
        await it.hands(3)
        await it.close()

    async with house.reader("audit") as audit:
        assert (await audit.get("/v1/incidents")).json()["incidents"] == []
        stream = account_id("mallory", "EUR")
        asked = message_of(
            OpenAccount(player="mallory", currency="EUR"),
            id=uuid7(),
            stream=stream,
            by=Principal("operator", "platform"),
        )
        place = house.topic_prefix + topic("wallet", "commands").name, partition_of(stream)
        async with AIOKafkaProducer(**house.stack.admin.options()) as producer:
            await producer.send_and_wait(**written_by(old, *place, stream.encode(), asked.encoded()))
        async with asyncio.timeout(10):
            while not (found := (await audit.get("/v1/incidents")).json()["incidents"]):
                await asyncio.sleep(0.1)
    assert ["a retired key" in each["detail"] for each in found] == [True]
    status, report = await croupier(house, "verify")
    assert (status, report["findings"]) == (0, [])
