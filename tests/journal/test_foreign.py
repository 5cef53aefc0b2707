"""What somebody without a key writes is as if the log did not hold it (journal 22), over both adapters of the log."""

import asyncio
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.record._crc32c import crc as crc32c
from aiokafka.record.default_records import DefaultRecordBatchBuilder
from msgspec import structs

from libs.contracts.messages import Principal, PrincipalKind
from libs.contracts.poker_commands import ConfirmFee
from libs.contracts.registry import ALL_TABLE_COMMANDS
from libs.contracts.table_commands import ConfirmSeat, ConfirmTopUp, ReportConnection, WakeTable
from libs.contracts.topics import HOUSES, topic
from libs.journal.foreign import Foreign
from libs.journal.intake import Parked, belongs_here, take_in
from libs.journal.kafka_log import KafkaLog
from libs.journal.kafka_wire import produce, records_in
from libs.journal.log import Headers, LogRecord, OutRecord
from libs.journal.mark_keys import Plan, keys_of
from libs.journal.marks import Marking, Marks
from libs.journal.ours import NotOurs, check_ours
from tests.journal.bank import bank, message
from tests.testkit.marks import GATEWAY, HOUSE, TABLE, WALLET
from tests.testkit.simulated import SimulatedBroker, SimulatedLog

COMMANDS, JOURNAL = topic("wallet", "commands").name, topic("wallet", "journal").name


@dataclass
class Place:
    """A log with marks, a topic, and a way round the marks; the topics begin with `prefix`, the house's among them."""

    log: Any
    topic: str
    forge: Callable[..., Any]
    told: list[Foreign] = field(default_factory=list)
    prefix: str = ""
    under: Callable[[Marking], Any] = lambda marks: None
    """The same log as somebody with other marks has it."""


@pytest.fixture(params=["simulated", pytest.param("kafka", marks=pytest.mark.stack)])
async def place(request):
    told: list[Foreign] = []
    if request.param == "simulated":
        broker = SimulatedBroker(1)

        async def forge(key: bytes | None, value: bytes | None, headers: Headers = ()) -> None:
            broker.forge(JOURNAL, 0, [(key, value, headers)])

        simulated = SimulatedLog(broker, marks=WALLET, on_foreign=told.append)
        yield Place(simulated, JOURNAL, forge, told, under=lambda marks: SimulatedLog(broker, marks=marks))
        return
    stack = request.getfixturevalue("stack")
    prefix = f"t{uuid4().hex[:10]}."
    names = [name := prefix + JOURNAL, prefix + HOUSES.name]
    admin = AIOKafkaAdminClient(**stack.admin.options())
    await admin.start()
    await admin.create_topics([NewTopic(each, 1, 1) for each in names])
    log = KafkaLog(stack.admin, WALLET, fetch_wait_ms=50, on_foreign=told.append)
    producer = AIOKafkaProducer(**stack.admin.options())
    await producer.start()

    async def forge_there(key: bytes | None, value: bytes | None, headers: Headers = ()) -> None:
        await producer.send_and_wait(name, value, key, 0, headers=list(headers))

    try:
        yield Place(log, name, forge_there, told, prefix, lambda marks: KafkaLog(stack.admin, marks, fetch_wait_ms=50))
    finally:
        await producer.stop()
        await admin.delete_topics(names)
        await admin.close()


async def test_what_is_foreign_is_a_gap_between_offsets_and_told(place):
    appender = await place.log.appender(place.topic, 0)
    await appender.append([(b"k", b"1")])
    reader = await place.log.reader(place.topic, 0)
    mark = (await reader.read(0, 1, 500)).records[0].headers[-1]
    await place.forge(b"k", b"2")
    await place.forge(b"k", b"2", (mark,))
    await place.forge(b"", b"", (("", b""),))
    assert await appender.append([(b"k", b"3")]) == 4

    found, position = [], 0
    while position < 5:
        fetched = await reader.read(position, 10, 500)
        found += [(record.offset, record.value) for record in fetched.records]
        position = fetched.position

    assert found == [(0, b"1"), (4, b"3")]
    assert await reader.end() == 5
    said = [(each.offset, each.why, each.writer) for each in place.told]
    assert said == [(1, "no mark", ""), (2, "a wrong mark", "wallet"), (3, "no mark", "")]
    assert all(each.time > 1_600_000_000_000 for each in place.told)
    await reader.close()
    await appender.abandon()


async def test_a_reader_at_the_end_moves_over_what_is_foreign_and_waits_on(place):
    appender = await place.log.appender(place.topic, 0)
    reader = await place.log.reader(place.topic, 0)
    position, deadline = 0, asyncio.get_running_loop().time() + 20
    await place.forge(b"k", b"1")
    while position < 1:
        fetched = await reader.read(position, 10, 300)
        assert not fetched.records
        position = fetched.position
        assert asyncio.get_running_loop().time() < deadline

    waiting = asyncio.create_task(reader.read(position, 10, 5_000))
    await appender.append([(b"k", b"2")])
    fetched = await asyncio.wait_for(waiting, 10)
    assert [record.value for record in fetched.records] == [b"2"]
    assert len(place.told) == 1, "told once, however often it was read"
    await reader.close()
    await appender.abandon()


async def test_a_true_record_that_is_written_again_is_true(place):
    """It changes nothing all the same: each reader knows it already."""
    publisher = await place.log.publisher()
    await (await publisher.send([OutRecord(place.topic, b"k", b"1", (("h", b"x"),), 0)]))
    reader = await place.log.reader(place.topic, 0)
    true = (await reader.read(0, 1, 500)).records[0]
    await place.forge(true.key, true.value, true.headers)

    position, found = 0, []
    while position < 2:
        fetched = await reader.read(position, 10, 500)
        found += fetched.records
        position = fetched.position
    assert [(each.key, each.value, each.headers) for each in found] == [(true.key, true.value, true.headers)] * 2
    assert place.told == []
    await reader.close()
    await publisher.abandon()


def batch(*entries: tuple[bytes | None, bytes | None, Headers], compression: int = 0) -> bytes:
    builder = DefaultRecordBatchBuilder(2, compression, 0, -1, -1, -1, 1_000_000)
    for at, (key, value, headers) in enumerate(entries):
        builder.append(at, 1_700_000_000_000, key, value, list(headers))
    return bytes(builder.build())


def broken(raw: bytes, old: bytes, new: bytes) -> bytes:
    """The same batch with other bytes in it and a right checksum."""
    assert len(old) == len(new)
    assert old in raw
    changed = raw.replace(old, new)
    return changed[:17] + struct.pack(">I", crc32c(changed[21:])) + changed[21:]


HEADER_KEY = batch((b"k", b"v", (("head", b"x"),)))
HOSTILE = {
    "compressed": batch((b"k", b"\0" * 100_000, ()), compression=1),
    "a header that is no text": broken(HEADER_KEY, b"head", b"\xff\xfe\xfd\xfc"),
    "a header that reaches too far": broken(HEADER_KEY, b"\x08head", b"\x7ehead"),
}


@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_a_batch_that_none_of_us_makes_is_one_thing_that_is_passed_over(kind):
    true = batch((b"k", b"1", ()), (b"k", b"2", ()))
    behind = struct.pack(">q", 5) + HOSTILE[kind][8:]
    records, position, unread = records_in(true + behind, 1)

    assert [(record.offset, record.value) for record in records] == [(1, b"2")]
    assert position == 6
    assert [(each.offset, each.records, each.timestamp) for each in unread] == [(5, 1, 1_700_000_000_000)]


@pytest.mark.stack
@pytest.mark.parametrize("kind", sorted(HOSTILE))
async def test_readers_of_a_real_broker_pass_it_over(stack, kind):
    """As far as the broker takes it at all: it refuses some of it, and whatever is compressed."""
    told: list[Foreign] = []
    name = f"t{uuid4().hex[:10]}.{JOURNAL}"
    admin = AIOKafkaAdminClient(**stack.admin.options())
    await admin.start()
    await admin.create_topics([NewTopic(name, 1, 1)])
    log = KafkaLog(stack.admin, WALLET, fetch_wait_ms=50, on_foreign=told.append)
    try:
        appender = await log.appender(name, 0)
        await appender.append([(b"k", b"1")])
        node = log.cluster.leader((name, 0))
        assert node is not None
        answer = await log.cluster.call(node, "forge", produce({name: [(0, HOSTILE[kind])]}, 5_000))
        taken = answer[name, 0].error == 0
        last = 1 + taken
        assert await appender.append([(b"k", b"2")]) == last
        reader = await log.reader(name, 0)
        found, position = [], 0
        while position <= last:
            fetched = await reader.read(position, 10, 500)
            found += [record.value for record in fetched.records]
            position = fetched.position
        assert found == [b"1", b"2"]
        assert [(each.offset, each.count) for each in told] == [(1, 1)] * taken
        assert taken is (kind == "a header that is no text")
        await reader.close()
        await appender.abandon()
    finally:
        await admin.delete_topics([name])
        await admin.close()


SPEAKS: dict[tuple[str, PrincipalKind, str], bool] = {
    ("gateway", "player", "ann"): True,
    ("gateway", "staff", "s"): True,
    ("gateway", "operator", "acme"): True,
    ("gateway", "policy", "gateway"): False,
    ("gateway", "policy", "wallet.when_seat_reserved"): False,
    ("gateway", "timer", "wallet"): False,
    ("gateway", "tournament", "t"): False,
    ("wallet", "policy", "wallet.when_seat_reserved"): True,
    ("wallet", "timer", "wallet"): True,
    ("wallet", "policy", "gateway"): False,
    ("wallet", "policy", "table.when_funds_reserved"): False,
    ("wallet", "player", "ann"): False,
    ("wallet", "operator", "acme"): False,
    ("wallet", "staff", "s"): False,
    ("table", "operator", "acme"): False,
    ("table", "policy", "table.when_funds_reserved"): False,
    ("table", "timer", "table"): False,
}


@pytest.mark.parametrize("writer", ["gateway", "wallet", "table", ""])
def test_a_service_speaks_for_those_whom_it_knows(writer):
    """Its key is worth no more than that: who has the gateway's confirms no seat, who has the wallet's no deposit."""
    machine = bank(service="wallet")
    marks = {"gateway": GATEWAY, "wallet": WALLET, "table": TABLE}
    for (who, kind, name), may in SPEAKS.items():
        if who != writer and writer:
            continue
        asked = structs.replace(message("account-1", "Deposit", 1_000, "1", amount=1), principal=Principal(kind, name))
        mark: Headers = ()
        if writer and writer != "table":
            mark = marks[writer].marked((COMMANDS, 0), b"account-1", asked.encoded(), ())
        elif writer:
            mark = (("mark", bytes(34) + writer.encode()),)
        taken = take_in(LogRecord(0, b"account-1", asked.encoded(), mark, 1_000), machine, 0, 4, 0.0)
        refused = taken.reason == "wrong_writer" if isinstance(taken, Parked) else False
        assert refused == (bool(writer) and not may), (who, kind, name)


@pytest.mark.parametrize("writer", ["gateway", "table", "tournament", "wallet"])
def test_no_other_service_confirms_a_seat(writer):
    """Seen: with the tournament service's key a seat was confirmed whose money the wallet had refused."""
    seen = {}
    for who in ("policy", "timer"):
        for command in (ConfirmSeat, ConfirmTopUp, ConfirmFee, WakeTable, ReportConnection):
            asked = command(**command.example)
            seen[who, command] = belongs_here(writer, Principal(who, f"{writer}.x"), "table", asked)
    assert set(seen.values()) == {writer == "table"}
    own = Principal("policy", "gateway")
    by_gateway = [
        each
        for each in ALL_TABLE_COMMANDS
        if belongs_here("gateway", own, "table", msgspec.convert(each.example, each))
    ]
    assert by_gateway == [ReportConnection]


async def test_a_log_that_is_all_foreign_is_not_ours(place):
    """With another house's keys a journal seems empty, and a second history would begin beside the first."""
    where = [(place.topic, 0)]
    await check_ours(place.log, where, place.prefix)  # nothing lies there
    await place.forge(b"k", b"1")
    with pytest.raises(NotOurs, match=r"journal\.v1/0 has a mark that we know"):
        await check_ours(place.log, where, place.prefix)

    appender = await place.log.appender(place.topic, 0)
    await appender.append([(b"k", b"2")])
    await check_ours(place.log, where, place.prefix)
    await appender.abandon()


_ANOTHERS = [key for each in ("wallet", "house") for key in keys_of(each, bytes(32), Plan())]
OTHERS_WALLET, OTHERS_HOUSE = (Marks(each, _ANOTHERS) for each in ("wallet", "house"))


async def _writes(place: Place, marks: Marking, topic: str) -> None:
    appender = await place.under(marks).appender(topic, 0)
    await appender.append([(b"k", b"1")])
    await appender.abandon()


@pytest.mark.parametrize("forged", ["no mark", "a wrong mark", "another house's"])
async def test_a_foreign_record_in_an_empty_journal_keeps_nobody_out_of_the_own_house(place, caplog, forged):
    """Seen: one record without a mark by whoever had the broker login, and the service never started again."""
    await _writes(place, HOUSE, place.prefix + HOUSES.name)
    if forged == "another house's":
        await _writes(place, OTHERS_WALLET, place.topic)
    else:
        await place.forge(b"k", b"1", () if forged == "no mark" else (("mark", b"0" * 32 + b"01wallet"),))

    await check_ours(place.log, [(place.topic, 0)], place.prefix)

    assert [(each.topic, each.offset) for each in place.told] == [(place.topic, 0)]
    (said,) = (each for each in caplog.records if each.name == "libs.journal.ours")
    assert (said.levelname, vars(said)["places"]) == ("CRITICAL", [f"{place.topic}/0"])


@pytest.mark.parametrize("played", [True, False])
async def test_another_houses_marks_are_refused_whatever_lies_there(place, played):
    await _writes(place, HOUSE, place.prefix + HOUSES.name)
    if played:
        await _writes(place, WALLET, place.topic)
    await place.forge(b"k", b"1")
    with pytest.raises(NotOurs, match=r"journal\.v1/0 has a mark that we know"):
        await check_ours(place.under(OTHERS_WALLET), [(place.topic, 0)], place.prefix)


async def test_a_house_of_new_keys_behind_the_old_one_is_not_ours(place):
    """As `croupier topics --create` writes it where the keys were lost: what was played lies under the old ones."""
    await _writes(place, OTHERS_HOUSE, place.prefix + HOUSES.name)
    await _writes(place, HOUSE, place.prefix + HOUSES.name)
    await _writes(place, OTHERS_WALLET, place.topic)
    with pytest.raises(NotOurs):
        await check_ours(place.log, [(place.topic, 0)], place.prefix)
