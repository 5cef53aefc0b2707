"""Whoever has a service's login and its file of marks takes no pot by a snapshot, and ends no service by a manifest."""

import asyncio
from typing import Any

import pytest
from msgspec import msgpack
from msgspec.structs import replace

from libs.contracts.topics import topic
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRecord, OutRecord
from libs.journal.manifests import FORMAT, HEAD_KEY
from libs.journal.mark_keys import marks_in
from libs.journal.marks import HEADER
from libs.journal.shelf import stream_key
from libs.journal.snapshots import Snapshot
from services.cli.house import House
from services.cli.journals import records
from tests.e2e.evening import croupier
from tests.e2e.test_nonsense import Duel, duel
from tests.testkit.partitions import partition_of

KIND = topic("table", "snapshots").name


@pytest.mark.stack
@pytest.mark.timeout(300)
async def test_a_hand_goes_on_truly_whatever_a_snapshot_under_the_true_mark_says(house: House) -> None:
    async with duel(house) as it:
        name, place = house.topic_prefix + KIND, partition_of(it.table)
        true = await newest(house, it)
        seat = next(
            seat for seat, sitter in it.other.tables[it.table].view.seats.items() if sitter.player != it.turn.player
        )
        # Under the mark of the service itself, beside it the seal of what it was; and a head that nobody can read.
        seal = tuple(each for each in true.headers if each[0] != HEADER)
        forged = OutRecord(name, stream_key(it.table), folded(true, seat), seal, place)
        await write(house, forged, OutRecord(name, HEAD_KEY + b"/zz", b"\x01\xc1", (), place))

        await house.processes["table"].kill()
        await house.processes["table"].start()
        await house.processes["table"].ready()

        hand = it.turn.hand
        assert (await it.actor.act(it.turn, "call")).accepted
        state = it.other.tables[it.table]
        await it.other.until(lambda: state.turn is not None and state.turn.player != it.turn.player, 30)
        assert state.turn is not None
        assert state.turn.hand == hand, "the hand is not over: who never folded is asked"
        assert (await it.other.act(state.turn, "check")).accepted
        told = await incidents(house, 2)
    assert {(each["kind"], each["stream"], each["topic"], each["partition"]) for each in told} == {
        ("snapshot_differs", it.table, name, place),
        ("snapshot_differs", f"{HEAD_KEY.decode()}/zz", name, place),
    }
    status, report = await croupier(house, "verify")
    assert (status, report["findings"]) == (0, [])


async def newest(house: House, it: Duel) -> LogRecord:
    """The table's own snapshot of the hand that runs, as of the decision that is awaited."""
    log = KafkaLog(house.stack.admin, marks_in(house.marks_file("inspector")))
    version = it.actor.tables[it.table].version
    async with asyncio.timeout(60):
        while True:
            lies = [each async for each in records(log, house.topic_prefix + KIND, partition_of(it.table))]
            own = [each for each in lies if each.key == stream_key(it.table) and each.value]
            if own and msgpack.decode((own[-1].value or b"")[1:], type=Snapshot).version >= version:
                return own[-1]
            await asyncio.sleep(0.5)


def folded(true: LogRecord, seat: int) -> bytes:
    """The same snapshot, in which this seat has folded; the deck stays as it is sealed."""
    held = msgpack.decode((true.value or b"")[1:], type=Snapshot)
    outer = msgpack.decode(held.state, strict=False)
    found = [each for each in _parts(outer["state"]) if each.get("seat") == seat and each.get("folded") is False]
    assert found, "nobody there to fold"
    for each in found:
        each["folded"] = True
    return FORMAT + msgpack.encode(replace(held, state=msgpack.encode(outer)))


def _parts(held: Any) -> list[dict[str, Any]]:
    if isinstance(held, dict):
        return [held, *(part for each in held.values() for part in _parts(each))]
    return [part for each in held for part in _parts(each)] if isinstance(held, list) else []


async def write(house: House, *out: OutRecord) -> None:
    """With the service's login and its file of marks."""
    log = KafkaLog(house.stack.broker("table"), marks_in(house.marks_file("table")))
    publisher = await log.publisher()
    try:
        await (await publisher.send(out))
    finally:
        await publisher.abandon()


async def incidents(house: House, count: int) -> list[dict[str, Any]]:
    async with house.reader("audit") as audit, asyncio.timeout(30):
        while True:
            told = (await audit.get("/v1/incidents")).json()["incidents"]
            found = [each for each in told if each["kind"] == "snapshot_differs"]
            if len(found) >= count:
                return found
            await asyncio.sleep(0.2)
