"""Somebody moves the group's offset: its owner begins behind what the journal has decided, and tells."""

import msgspec
import pytest

from libs.journal.manifests import FORMAT, Manifest
from libs.journal.positions import NO_MARK, Decided, Moved
from libs.journal.restore import restore
from tests.journal.bank import NAMES
from tests.journal.house import GROUP, PARTITION, STREAM, House, until
from tests.testkit.simulated import SimulatedLog

KEY = (GROUP, NAMES.commands, PARTITION)


def told(house: House) -> list[tuple[bytes | None, bytes]]:
    """Of which groups, and what."""
    return [(each.key, dict(each.headers)["parked-detail"]) for each in house.broker.records(NAMES.parked, 0)]


def moved(offset: int, began: int) -> tuple[bytes, bytes]:
    return GROUP.encode(), str(Moved(GROUP, NAMES.commands, PARTITION, offset, began, NO_MARK)).encode()


def move(house: House, offset: int, text: str = "") -> None:
    house.broker.offsets[KEY], house.broker.beside[KEY] = offset, text


async def decided(house: House) -> Decided:
    source = house.machine.source_name(PARTITION, house.machine.incarnation)
    return (await restore(SimulatedLog(house.broker), house.machine, NAMES, PARTITION, (), source)).fold.decided


@pytest.mark.parametrize("offset", [4, 1_000, 0])
async def test_what_was_asked_while_somebody_held_the_group_is_decided(offset: int) -> None:
    house = House()
    async with house.runner("w1"):
        await house.ask(house.command("Deposit", amount=5), house.command("Withdraw", amount=1))
        await until(lambda: house.broker.offsets.get(KEY) == 2)
    asked = [house.command("Withdraw", amount=1), house.command("Deposit", amount=7)]
    house.send(*asked)
    move(house, offset)
    async with house.runner("w2", generation=2):
        await until(lambda: len(house.commits()) == 4)
        await until(lambda: house.broker.offsets[KEY] == 4 and house.broker.beside[KEY].count(" ") == 2)
    assert [commit.command_id for commit in house.commits()][2:] == [each.id.bytes for each in asked]
    assert told(house) == [moved(offset, 0)]


async def test_a_true_position_is_believed_and_nothing_is_told() -> None:
    house = House()
    async with house.runner("w1"):
        await house.ask(house.command("Deposit", amount=5))
        await until(lambda: house.broker.offsets.get(KEY) == 1)
    replies = len(house.replies())
    async with house.runner("w2", generation=2):
        await house.ask(house.command("Deposit", amount=5))
    assert (len(house.replies()), told(house)) == (replies + 1, [])


async def test_the_manifest_says_what_was_decided_below_it() -> None:
    house = House()
    async with house.runner("w1"):
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(12)))
        await until(lambda: house.seen.count("snapshots_written") > 0)
        await until(lambda: heads(house) and heads(house)[-1].low >= 10)
    head = heads(house)[-1]
    assert head.decided >= head.low - 1
    assert await decided(house) == Decided(11, house.commits()[-1].command_time)


async def test_a_manifest_of_before_says_nothing_of_it() -> None:
    house = House()
    async with house.runner("w1"):
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(12)))
        await until(lambda: heads(house) and heads(house)[-1].low == 12)
    old = msgspec.structs.astuple(heads(house)[-1])[:7]
    key = b"manifest/" + old[5].encode()
    house.broker.land(NAMES.snapshots, PARTITION, [(key, FORMAT + msgspec.msgpack.encode(old), ())])
    assert await decided(house) == Decided()
    move(house, 12)
    async with house.runner("w2", generation=2):
        await house.ask(house.command("Look", STREAM))
    assert told(house) == [moved(12, 0)]
    assert len(house.commits()) == 13, "all was read again, and known"


async def test_another_house_has_decided_nothing_of_these_commands() -> None:
    house = House()
    async with house.runner("w1"):
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(12)))
        await until(lambda: heads(house) and heads(house)[-1].low == 12)
    log = SimulatedLog(house.broker)
    assert (await restore(log, house.machine, NAMES, PARTITION, (), "bank-commands.2/1")).fold.decided == Decided()


def heads(house: House) -> list[Manifest]:
    records = house.broker.records(NAMES.snapshots, PARTITION)
    return [
        msgspec.msgpack.decode((each.value or b"")[1:], type=Manifest)
        for each in records
        if (each.key or b"").startswith(b"manifest") and each.value
    ]
