"""One service's login at the broker, and none of its marks: who joins its groups and moves them loses nobody anything.

Eight strangers take every partition, set the group on past what was asked meanwhile, or beyond the end, and leave.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
import pytest_asyncio
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError
from aiokafka.structs import OffsetAndMetadata

from libs.broker import Broker
from libs.contracts.topics import topic
from services.cli.house import House
from tests.e2e.evening import croupier
from tests.e2e.test_forging import ready
from tests.e2e.test_nonsense import Duel, duel
from tests.testkit.partitions import PARTITIONS

pytestmark = [pytest.mark.stack, pytest.mark.asyncio(loop_scope="module")]
STRANGERS = 8
HANDS_OVER_S = 9.0
SOON_S = 10.0


class Strangers:
    """Members of a group, with a login of its service. `ahead`: what they set each offset to, from the topic's end."""

    def __init__(self, broker: Broker, group: str, name: str, ahead: int) -> None:
        self._broker = broker
        self._group = group
        self._name = name
        self._ahead = ahead
        self._moves = asyncio.Event()
        self.moved: set[TopicPartition] = set()

    async def move(self) -> None:
        """From now on they commit; returns once every partition is moved."""
        self._moves.set()
        while len(self.moved) < PARTITIONS:
            await asyncio.sleep(0.1)

    async def run(self) -> None:
        await asyncio.gather(*(self._join() for _ in range(STRANGERS)))

    async def _join(self) -> None:
        options = {"enable_auto_commit": False, "session_timeout_ms": 6_000, "heartbeat_interval_ms": 500}
        consumer = AIOKafkaConsumer(**self._broker.options(), group_id=self._group, **options)
        await consumer.start()
        try:
            consumer.subscribe([self._name])
            while True:
                await consumer.getmany(timeout_ms=300)
                if held := consumer.assignment():
                    consumer.pause(*held)
                    if self._moves.is_set():
                        await self._commit(consumer, held)
        finally:
            await consumer.stop()

    async def _commit(self, consumer: AIOKafkaConsumer, held: "set[TopicPartition]") -> None:
        sign = str(time.time_ns() // 1_000_000)  # as houses wrote it before there were marks
        with suppress(KafkaError):
            ends = await consumer.end_offsets(list(held))
            await consumer.commit({each: OffsetAndMetadata(end + self._ahead, sign) for each, end in ends.items()})
            self.moved |= held


@asynccontextmanager
async def strangers(house: House, service: str, group: str, reads: str, ahead: int = 0) -> AsyncIterator[Strangers]:
    """`reads`: service and kind of the topic. They have all of it when this begins, and the owner has given up."""
    prefix = house.topic_prefix
    name = prefix + topic(*reads.split(" ")).name  # type: ignore[arg-type]
    they = Strangers(house.stack.broker(service), prefix + group, name, ahead)
    running = asyncio.create_task(they.run())
    await asyncio.sleep(2.0 + HANDS_OVER_S)
    try:
        yield they
    finally:
        running.cancel()
        await asyncio.wait([running])


async def incidents(house: House) -> "Counter[tuple[str, str]]":
    """How many there are, by kind and stream."""
    async with house.reader("audit") as audit:
        told = (await audit.get("/v1/incidents")).json()["incidents"]
    return Counter((each["kind"], each["stream"]) for each in told)


async def told(house: House, group: str, before: "Counter[tuple[str, str]]") -> None:
    """Once more than `before`."""
    place, give_up = ("group_offset_differs", house.topic_prefix + group), time.monotonic() + SOON_S
    while (now := await incidents(house))[place] <= before[place]:
        assert time.monotonic() < give_up, now
        await asyncio.sleep(0.2)


async def goes_on(house: House) -> None:
    give_up = time.monotonic() + SOON_S
    while await ready(house):
        assert time.monotonic() < give_up, await ready(house)
        await asyncio.sleep(0.2)


async def has_lost_its_partitions(house: House, service: str) -> None:
    give_up, words = time.monotonic() + 20.0, "no process of the house has partitions"
    while not any(each.startswith(f"{service}:") and words in each for each in await ready(house)):
        assert time.monotonic() < give_up, await ready(house)
        await asyncio.sleep(0.5)


@asynccontextmanager
async def whole(house: House) -> AsyncIterator[House]:
    """One for all that is done to it, and at the end its journals are as they should be."""
    yield house
    status, report = await croupier(house, "verify")
    assert (status, report["findings"]) == (0, [])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def one_house(shared_house: House) -> AsyncIterator[House]:
    async with whole(shared_house) as it:
        yield it


@pytest.mark.timeout(240)
@pytest.mark.parametrize("ahead", [pytest.param(0, marks=pytest.mark.long), 1_000])
async def test_an_act_is_decided_though_the_group_was_moved_past_it(one_house: House, ahead: int) -> None:
    """At the end, or so far beyond it that a service could read nothing at any start."""
    house, before = one_house, await incidents(one_house)
    async with duel(house, f"-acts-{ahead}") as it:
        process = house.processes["table"].process
        async with strangers(house, "table", "table-decider", "table commands", ahead) as they:
            await has_lost_its_partitions(house, "table")
            acting = asyncio.create_task(it.actor.act(it.turn, "call"))
            await asyncio.sleep(1.0)
            await they.move()
        assert (await acting).accepted
        await told(house, "table-decider", before)
        assert [kind for kind, _ in await incidents(house) if kind == "command_not_decided"] == []
        assert house.processes["table"].process == process
        await _a_hand_ends(it)
    await goes_on(house)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("ahead", [0, pytest.param(1_000, marks=pytest.mark.long)])
async def test_who_leaves_gets_his_chips_though_the_policies_were_moved_past_it(one_house: House, ahead: int) -> None:
    house, before = one_house, await incidents(one_house)
    async with duel(house, f"-leaves-{ahead}") as it:
        assert (await it.actor.act(it.turn, "fold")).accepted
        async with strangers(house, "wallet", "wallet-policies", "table events", ahead) as they:
            assert (await it.other.leave(it.table)).accepted
            await asyncio.sleep(2.0)
            await they.move()
        await told(house, "wallet-policies", before)
        other = "alice" if it.turn.player.startswith("bob") else "bob"
        name, give_up = f"{other}-leaves-{ahead}", time.monotonic() + SOON_S
        async with house.reader("wallet") as wallet:
            while True:
                account = (await wallet.get(f"/v1/players/{name}/accounts")).json()
                if account[0]["at_tables"] == 0 and account[0]["available"] >= 50_000:
                    break
                assert time.monotonic() < give_up, account
                await asyncio.sleep(0.2)
    await goes_on(house)


@pytest.mark.timeout(120)
async def test_every_owner_has_written_its_position(one_house: House) -> None:
    """The broker takes what stands beside it, and tables give a sign of life with it."""
    wanted = {"table": str.isdecimal, "wallet": "-".__eq__, "tournament": "-".__eq__}
    give_up = time.monotonic() + 3 * SOON_S
    for service, is_sign in wanted.items():
        while sum(map(is_sign, there := await _signs(one_house, service))) < PARTITIONS:
            assert time.monotonic() < give_up, (service, there)
            await asyncio.sleep(0.5)


async def _signs(house: House, service: str) -> list[str]:
    """Of the positions of its deciders that have a mark."""
    client = AIOKafkaAdminClient(**house.stack.broker(service).options())
    await client.start()
    try:
        there = await client.list_consumer_group_offsets(f"{house.topic_prefix}{service}-decider")
    finally:
        await client.close()
    said = [each.metadata.split(" ") for each in there.values()]
    return [words[1] for words in said if len(words) == 3]


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("service", "group", "reads"),
    [
        ("audit", "audit-share", "table journal"),
        pytest.param("wallet", "wallet-books", "table events", marks=pytest.mark.long),
    ],
)
async def test_a_service_is_not_ready_while_strangers_have_its_partitions(
    one_house: House, service: str, group: str, reads: str
) -> None:
    """A decider too, above."""
    before = await incidents(one_house)
    async with strangers(one_house, service, group, reads):
        await has_lost_its_partitions(one_house, service)
    await goes_on(one_house)
    new = await incidents(one_house) - before
    place = one_house.topic_prefix + group
    assert {kind for kind, stream in new if stream == place} == {"group_has_strangers"}, "what stood was true"


async def _a_hand_ends(it: Duel) -> None:
    state = it.actor.tables[it.table]
    await it.actor.until(lambda: state.turn is not None or state.hand_over, 60)
