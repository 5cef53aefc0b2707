"""A table process that stands still while another takes over, and then wakes up, harms nobody.

In short, without a house around it: `tests/journal/test_kafka_processes.py`.
"""

import asyncio
import signal

import pytest

from libs.contracts.topics import topic
from services.cli.house import House
from tests.conftest import TESTS
from tests.e2e.evening import all_records, croupier, evening
from tests.testkit.partitions import PARTITIONS


@pytest.mark.long
@pytest.mark.stack
@pytest.mark.timeout(170)
async def test_late_commits_of_a_paused_owner_are_void_and_no_view_is_forked(house: House) -> None:
    async with evening(house, tables=4, bots=3) as it:
        await it.hands(8)
        paused = house.processes["table"]
        paused.send(signal.SIGSTOP)
        successor = house.add("table", "table-2", CROUPIER_GROUP_SESSION_MS="2000")
        await successor.start()
        await successor.ready()
        await it.hands(8)

        paused.send(signal.SIGCONT)
        await it.hands(8)
        await asyncio.sleep(1)
        await it.close()
        assert it.statistics.voided == 0
        assert it.watcher is not None
        assert it.watcher.started_twice == []

    status, report = await croupier(house, "verify")
    assert report["findings"] == []
    assert status == 0
    assert report["services"]["table"]["void"] > 0, "the paused owner wrote nothing late: the test showed nothing"
    await _one_fact_per_version(house)


async def _one_fact_per_version(house: House) -> None:
    """Whatever was published twice was published alike: a reader can't be told two stories."""
    name = house.topic_prefix + topic("table", "events").name
    told: dict[bytes, tuple[bytes | None, bytes]] = {}
    for record in await all_records(house.stack.broker(TESTS), name, PARTITIONS):
        headers = dict(record.headers)
        story = (record.value, headers["ce_type"])
        assert told.setdefault(headers["ce_id"], story) == story
    streams: dict[bytes, list[int]] = {}
    for event_id in told:
        stream, _, version = event_id.rpartition(b"/")
        streams.setdefault(stream, []).append(int(version))
    for versions in streams.values():
        assert sorted(versions) == list(range(1, len(versions) + 1))
