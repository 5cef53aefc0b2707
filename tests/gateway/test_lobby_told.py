"""The lobby's rows go from the gateways of each floor to all others; whoever serves a table makes its row right."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts import table_events as e
from libs.contracts.facts import TableEvent
from libs.contracts.topics import LOBBY, TABLE_PRIVATE, partition_of, topic
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRecord, OutRecord
from libs.journal.mark_keys import marks_in
from libs.stack import Stack
from services.gateway.app.floors import Addresses, Floors
from services.gateway.kafka.reads_topic import TopicReader
from services.gateway.kafka.tells_lobby import TellsLobby
from services.gateway.views.elsewhere import Elsewhere, Row
from services.gateway.views.tables import Tables
from tests.gateway.hands import opened
from tests.testkit.marks import TABLE, mark_file

OF_HOUSE = 4
LOW, HIGH = frozenset({0, 1}), frozenset({2, 3})
NAMES = [f"table-{number}" for number in range(12)]


class Gateway:
    """As much of one as tells and hears the lobby."""

    def __init__(self, own: frozenset[int], folder: Path) -> None:
        log: Any = SimpleNamespace(followed=lambda *_: None)
        floors = Floors(own, OF_HOUSE, Addresses(folder / "none.json"))
        self.tables, self.elsewhere = Tables(), Elsewhere()
        self.lobby = TellsLobby(log, floors, "", self.tables, self.elsewhere)

    def fold(self, table: str, *facts: TableEvent) -> None:
        for fact in facts:
            self.tables.accept(table, replace(fact, table=table, at=1), self.tables.version(table) + 1)

    def hear(self, *records: OutRecord) -> None:
        for each in records:
            assert each.partition is not None
            self.lobby.hear_record(each.partition, LogRecord(0, each.key, each.value))

    def rows(self) -> dict[str, Any]:
        return {table: json.loads(row) for table, row in self.elsewhere.listed_after("", 100)}


@pytest.fixture
def low(tmp_path: Path) -> Gateway:
    return Gateway(LOW, tmp_path)


@pytest.fixture
def high(tmp_path: Path) -> Gateway:
    return Gateway(HIGH, tmp_path)


def of(own: frozenset[int]) -> list[str]:
    return sorted(name for name in NAMES if partition_of(name, OF_HOUSE) in own)


CLOSED = e.TableClosed()


def test_each_table_s_row_is_told_once_and_again_when_it_changes(low: Gateway, high: Gateway) -> None:
    for table in of(LOW):
        low.fold(table, opened())
    told = low.lobby.due()
    assert [each.key.decode() for each in told] == of(LOW)
    assert {each.partition for each in told} <= LOW
    low.hear(*told)
    high.hear(*told)
    assert list(high.rows()) == of(LOW)
    assert high.rows()[of(LOW)[0]]["seats_taken"] == 0
    assert low.rows() == {}, "own tables are listed from their views"
    assert low.lobby.due() == []
    changed = of(LOW)[0]
    low.fold(changed, e.TablePaused(by="floor", reason="a check"))
    [again] = low.lobby.due()
    high.hear(again)
    assert high.rows()[changed]["status"] == "paused"


def test_a_closed_table_is_taken_away_and_a_late_row_of_it_too(low: Gateway, high: Gateway) -> None:
    table = of(LOW)[0]
    low.fold(table, opened())
    first = low.lobby.due()
    low.hear(*first)
    low.fold(table, CLOSED)
    [over] = low.lobby.due()
    assert over.value is None
    for gateway in (low, high):
        gateway.hear(*first, over)
        assert gateway.elsewhere.heard == {}
        assert gateway.rows() == {}
    assert low.lobby.due() == []
    low.hear(*first)  # of a gateway of the same floor that was behind
    assert [each.value for each in low.lobby.due()] == [None]


def test_who_is_behind_says_nothing_and_a_wrong_row_is_made_right(low: Gateway, high: Gateway, tmp_path: Path) -> None:
    table, other = of(LOW)[0], Gateway(LOW, tmp_path)
    low.fold(table, opened(), e.TablePaused(by="floor", reason="a check"))
    other.fold(table, opened())
    ahead = low.lobby.due()
    other.hear(*ahead)
    assert other.lobby.due() == []
    low.hear(*ahead)
    wrong = OutRecord(LOBBY.name, table.encode(), msgspec.msgpack.encode(Row(1, b'{"table":"x"}')), (), 0)
    low.hear(replace(wrong, partition=partition_of(table, OF_HOUSE)))
    assert low.lobby.due() == [], "what is older changes nothing"
    low.hear(replace(wrong, value=msgspec.msgpack.encode(Row(2, b"{}")), partition=partition_of(table, OF_HOUSE)))
    [right] = low.lobby.due()
    high.hear(right)
    assert high.rows()[table]["status"] == "paused"


@pytest.mark.parametrize("value", [b"", b"{}", b"\x93\x01", msgspec.msgpack.encode([1, 2])])
def test_what_is_no_row_is_passed_over(high: Gateway, value: bytes) -> None:
    high.lobby.hear_record(partition_of(NAMES[0], OF_HOUSE), LogRecord(0, NAMES[0].encode(), value))
    assert high.rows() == {}


def test_a_row_in_another_partition_than_its_table_s_counts_for_nothing(high: Gateway) -> None:
    value, at = msgspec.msgpack.encode(Row(1, b"{}")), partition_of(NAMES[0], OF_HOUSE)
    high.lobby.hear_record((at + 1) % OF_HOUSE, LogRecord(0, NAMES[0].encode(), value))
    assert high.rows() == {}
    high.lobby.hear_record(at, LogRecord(0, NAMES[0].encode(), value))


@pytest.mark.stack
@pytest.mark.parametrize("each", [topic("table", "events"), TABLE_PRIVATE], ids=lambda each: each.kind)
async def test_a_reader_with_a_floor_reads_its_partitions_alone(
    stack: Stack, topics: str, tmp_path: Path, each: Any
) -> None:
    tables = KafkaLog(stack.broker("table"), TABLE)
    publisher = await tables.publisher()
    name = topics + each.name
    await (await publisher.send([OutRecord(name, b"k", b"%d" % n, (), n % OF_HOUSE) for n in range(40)]))
    await publisher.abandon()
    log = KafkaLog(stack.broker("gateway"), marks_in(mark_file(tmp_path, "gateway")))
    reader = TopicReader(log, each, OF_HOUSE, topics, "beginning", HIGH)
    await reader.start()
    read: list[int] = []

    async def hear() -> None:
        async for partition, page in reader.pages():
            assert partition in HIGH
            read.extend(int(record.value or b"") for record in page)

    hearing = asyncio.create_task(hear())
    await asyncio.wait_for(reader.catch_up(), 20)
    hearing.cancel()
    await reader.stop()
    assert sorted(read) == [n for n in range(40) if n % OF_HOUSE in HIGH]
