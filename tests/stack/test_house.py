"""A house has as many partitions as it was created with, and nobody works where that is not so."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio
from msgspec.structs import replace

from libs.contracts.house import HouseClosed, HouseCreated
from libs.contracts.topics import HOUSES, TOPICS, topic
from libs.journal.house import NoSuchHouse, look
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import OutRecord
from libs.journal.marks import Marking
from libs.stack import Stack, StackError, create_house, provision, remove
from libs.stack.house import say
from libs.stack.provision import inspect
from services.cli.processes import ServiceProcess
from tests.testkit.marks import HOUSE, INSPECTOR, UNMARKED, mark_file, seal_file

pytestmark = pytest.mark.stack


@pytest_asyncio.fixture
async def prefix(stack: Stack) -> AsyncIterator[str]:
    """Nothing is there yet."""
    made = f"h{uuid4().hex[:10]}."
    yield made
    await remove(stack.admin, made)


async def seen(stack: Stack, prefix: str) -> HouseCreated:
    return await look(KafkaLog(stack.admin, INSPECTOR), prefix)


async def write(stack: Stack, marks: Marking, prefix: str, partitions: int) -> None:
    publisher = await KafkaLog(stack.admin, marks).publisher()
    said = HouseCreated("another", 1, partitions, 0).encoded()
    await (await publisher.send([OutRecord(prefix + HOUSES.name, b"house", said, (), 0)]))
    await publisher.abandon()


async def test_it_has_as_many_as_it_was_created_with_for_ever(
    stack: Stack, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROUPIER_PARTITIONS", "7")
    await create_house(stack.admin, HOUSE, prefix)
    created = await seen(stack, prefix)
    assert created.partitions == 7
    for each in await inspect(stack.admin, prefix):
        single = each.name.endswith((".parked.v1", HOUSES.name))
        assert each.partitions == (1 if single else 7), each.name

    monkeypatch.setenv("CROUPIER_PARTITIONS", "8")
    with pytest.raises(StackError, match="has 7 partitions and not 8"):
        await create_house(stack.admin, HOUSE, prefix)
    monkeypatch.delenv("CROUPIER_PARTITIONS")
    assert (await create_house(stack.admin, HOUSE, prefix)).created == ()
    await write(stack, HOUSE, prefix, 9)
    assert await seen(stack, prefix) == created, "the first record counts"


async def test_of_two_that_create_it_at_once_one_has_done_it(
    stack: Stack, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROUPIER_PARTITIONS", "3")
    await asyncio.gather(*(create_house(stack.admin, HOUSE, prefix) for _ in range(2)))
    assert (await seen(stack, prefix)).partitions == 3


async def test_topics_from_before_there_was_a_record_say_how_many_they_are(
    stack: Stack, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await provision(stack.admin, 5, prefix)
    monkeypatch.setenv("CROUPIER_PARTITIONS", "32")
    with pytest.raises(StackError, match="has 5 partitions and not 32"):
        await create_house(stack.admin, HOUSE, prefix)
    monkeypatch.delenv("CROUPIER_PARTITIONS")
    await create_house(stack.admin, HOUSE, prefix)
    assert (await seen(stack, prefix)).partitions == 5


async def test_a_house_that_is_closed_lets_nobody_start_but_who_only_reads(stack: Stack, prefix: str) -> None:
    await create_house(stack.admin, HOUSE, prefix)
    created = await seen(stack, prefix)
    closed = HouseClosed(created.house, True, "m2.", 1)
    await say(stack.admin, HOUSE, prefix, closed)
    with pytest.raises(NoSuchHouse, match="is closed: it is moved to"):
        await seen(stack, prefix)
    assert await look(KafkaLog(stack.admin, INSPECTOR), prefix, closed_too=True) == created
    await say(stack.admin, HOUSE, prefix, replace(closed, closed=False))
    assert await seen(stack, prefix) == created


async def test_a_house_on_its_way_is_created_by_its_mover_alone(stack: Stack, prefix: str) -> None:
    await provision(stack.admin, 1, prefix, only=(HOUSES,))
    await say(stack.admin, HOUSE, prefix, HouseClosed("moved", True, prefix, 1))
    with pytest.raises(StackError, match="a house is being moved to these topics"):
        await create_house(stack.admin, HOUSE, prefix)
    await provision(stack.admin, 2, prefix)
    opened = HouseCreated("moved", 2, 2, 2, "", {"table": (1, 0)})
    await say(stack.admin, HOUSE, prefix, opened)
    assert await seen(stack, prefix) == opened


async def test_of_a_house_that_is_restored_after_a_move_the_later_incarnation_counts(stack: Stack, prefix: str) -> None:
    await create_house(stack.admin, HOUSE, prefix)
    first = await seen(stack, prefix)
    await say(stack.admin, HOUSE, prefix, replace(first, incarnation=2, carried={"table": (3, 1, 0, 7)}))
    assert (await seen(stack, prefix)).carried == {"table": (3, 1, 0, 7)}


async def test_a_later_incarnation_in_a_house_that_is_being_restored_opens_nothing(stack: Stack, prefix: str) -> None:
    """A restore that was killed behind this record left an empty house that services started in."""
    await create_house(stack.admin, HOUSE, prefix)
    first = await seen(stack, prefix)
    await say(stack.admin, HOUSE, prefix, HouseClosed(first.house, True, prefix, 1))
    moved = replace(first, house="moved", incarnation=2)
    await say(stack.admin, HOUSE, prefix, moved)
    with pytest.raises(NoSuchHouse, match="half a house"):
        await seen(stack, prefix)
    await say(stack.admin, HOUSE, prefix, HouseClosed("moved", False, prefix, 2))
    assert await seen(stack, prefix) == moved


async def test_a_record_of_nobodys_is_no_house(stack: Stack, prefix: str) -> None:
    await provision(stack.admin, 4, prefix, only=(HOUSES,))
    await write(stack, UNMARKED, prefix, 4)
    with pytest.raises(NoSuchHouse, match="says of no house with our marks"):
        await seen(stack, prefix)
    with pytest.raises(StackError, match="without the key of its marks"):
        await create_house(stack.admin, INSPECTOR, prefix)


@pytest.mark.parametrize(
    ("process", "keys"), [("table", ("kek", "gateway_key")), ("tournament", ())], ids=["table", "tournament"]
)
async def test_a_process_ends_in_one_line_where_the_topics_are_not_the_houses(
    stack: Stack, prefix: str, tmp_path: Path, process: str, keys: tuple[str, ...]
) -> None:
    """Made by hand, or grown: streams would lie elsewhere. Nothing is written."""
    await provision(stack.admin, 4, prefix, only=[each for each in TOPICS if each != topic("wallet", "journal")])
    await provision(stack.admin, 6, prefix, only=[topic("wallet", "journal")])
    await write(stack, HOUSE, prefix, 4)
    environment = stack.broker(process).environment() | {
        "CROUPIER_TOPIC_PREFIX": prefix,
        "CROUPIER_MARKS_FILE": str(mark_file(tmp_path, process)),
        "CROUPIER_SEAL_FILE": str(seal_file(tmp_path, process)),
    }
    for each in keys:
        (tmp_path / each).write_text("11" * 32)
        environment[f"CROUPIER_{each.upper()}_FILE"] = str(tmp_path / each)
    service = ServiceProcess(process, environment, tmp_path / "service.out")
    await service.start()
    assert service.process is not None
    async with asyncio.timeout(60):
        assert await service.process.wait() == 1
    last = (tmp_path / "service.out").read_text().splitlines()[-1]
    assert last == f"{process}: {prefix}croupier.wallet.journal.v1 has 6 partitions; in this house it has 4"
