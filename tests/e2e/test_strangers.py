"""One service's login at the broker, and none of its marks: who sends its process out of a group and leads the group is
named within seconds, and the process goes on when he has gone."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import pytest_asyncio
from aiokafka import AIOKafkaConsumer
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment, ConsumerProtocolMemberMetadata
from aiokafka.errors import KafkaError
from aiokafka.protocol.api import RequestStruct, Response
from aiokafka.protocol.types import Array, Int16, Int32, Schema, String

from libs.broker.protocol import Ready, describe_groups
from libs.contracts.groups import group_of
from libs.journal.tasks import end
from services.cli.house import House
from tests.e2e.test_forging import ready
from tests.e2e.test_moved_groups import goes_on, incidents, whole

pytestmark = [pytest.mark.stack, pytest.mark.asyncio(loop_scope="module")]
NAMED_S = 5.0
STANDS_S = 2.0 + 6.0
"""A session of this house, and as much as a true member may take to join behind it."""
STAYS_S = 12.0
"""Longer than a process ever lived that was given what it can't read."""
GARBAGE = b"\x00\x00\xff\xff\xff\xff\x7f"
NOBODY = ConsumerProtocolMemberAssignment(0, [], b"")


class _LeaveResponse(Response):  # type: ignore[misc]
    API_KEY = 13
    API_VERSION = 3
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        ("error_code", Int16),
        ("members", Array(("member_id", String("utf-8")), ("instance", String("utf-8")), ("error_code", Int16))),
    )


class _LeaveRequest(RequestStruct):  # type: ignore[misc]
    """Of the first version that sends a static member away by its name."""

    API_KEY = 13
    API_VERSION = 3
    RESPONSE_TYPE = _LeaveResponse
    SCHEMA = Schema(
        ("group", String("utf-8")), ("members", Array(("member_id", String("utf-8")), ("instance", String("utf-8"))))
    )


class Leading(RoundRobinPartitionAssignor):  # type: ignore[misc]
    """Gives itself nothing, and the others `gives`. `says`: in its metadata. `hangs`: gives nobody anything."""

    def __init__(self, name: str, gives: bytes | None, says: bytes = b"", *, hangs: bool = False) -> None:
        self.name = name
        self.hangs = hangs
        self._gives = gives
        self.says = says
        self.me = ""

    def metadata(self, topics: Any) -> ConsumerProtocolMemberMetadata:
        return ConsumerProtocolMemberMetadata(0, list(topics), self.says)

    def assign(self, cluster: Any, members: Any) -> dict[str, Any]:
        alone = len(members) == 1  # and does not know its own id yet
        return {each: NOBODY if self._gives is None or alone or each == self.me else self._gives for each in members}


class Intruder:
    """With a service's login."""

    def __init__(self, house: House, name: str, instance: str, leading: Leading) -> None:
        group = group_of(name)
        self.group, self._topic = house.topic_prefix + group.name, house.topic_prefix + group.reads.name
        self._instance = instance
        self._goes = asyncio.Event()
        self._leading = leading
        self._options: dict[str, Any] = {
            **house.stack.broker(group.service).options(),
            "group_id": self.group,
            "enable_auto_commit": False,
            "session_timeout_ms": 30_000 if leading.hangs else 6_000,
            "heartbeat_interval_ms": 300,
            "partition_assignment_strategy": [leading],
        }

    async def asked(self, request: Any) -> Any:
        assert self._consumer._coordinator is not None
        await self._consumer._coordinator.ensure_coordinator_known()
        return await self._consumer._client.send(self._consumer._coordinator.coordinator_id, request)

    async def sends_away(self) -> None:
        await self.asked(Ready(_LeaveRequest(self.group, [("", self._instance)])))

    async def members(self) -> dict[str, bytes]:
        """Metadata, by instance."""
        (there,) = (await self.asked(describe_groups([self.group]))).groups
        return {each[1]: each[4] for each in there[5]}

    @asynccontextmanager
    async def inside(self) -> AsyncIterator[None]:
        """A member, with the true one sent away first."""
        self._consumer = AIOKafkaConsumer(**self._options)
        await self._consumer.start()
        if self._leading.hangs:
            self._consumer._coordinator._perform_assignment = self._hang
        polling: list[asyncio.Task[None]] = []
        try:
            there = await self.members()
            if self._leading.says:
                self._leading.says = ConsumerProtocolMemberMetadata.decode(there[self._instance]).user_data
                assert self._leading.says
            await self.sends_away()
            self._consumer.subscribe([self._topic])
            polling = [asyncio.create_task(self._poll())]
            give_up = time.monotonic() + 10.0
            while not (me := self._consumer._coordinator.member_id):
                assert time.monotonic() < give_up
                await asyncio.sleep(0.05)
            self._leading.me = me
            yield
        finally:
            self._goes.set()
            await end(polling)
            await self._consumer.stop()

    async def _hang(self, joined: Any) -> dict[str, bytes]:
        await self._goes.wait()
        return {}

    async def _poll(self) -> None:
        while True:
            with suppress(KafkaError):
                await self._consumer.getmany(timeout_ms=200)
            self._leading.me = self._consumer._coordinator.member_id
            if held := self._consumer.assignment():
                self._consumer.pause(*held)


async def named(house: House, group: str, within_s: float = NAMED_S) -> None:
    since = time.monotonic()
    while ("group_has_strangers", house.topic_prefix + group) not in await incidents(house):
        assert time.monotonic() < since + within_s, await incidents(house)
        await asyncio.sleep(0.2)
    print(f"{group}: named after {time.monotonic() - since:.1f} s")


async def is_told(house: House, service: str, words: str) -> None:
    give_up = time.monotonic() + 20.0
    while not any(each.startswith(service) and words in each for each in await ready(house)):
        assert time.monotonic() < give_up, await ready(house)
        await asyncio.sleep(0.2)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def one_house(shared_house: House) -> AsyncIterator[House]:
    async with whole(shared_house) as it:
        yield it


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "services", [("table",), pytest.param(("audit", "wallet"), marks=pytest.mark.long)], ids="-".join
)
async def test_restarts_and_second_processes_are_no_strangers(one_house: House, services: tuple[str, ...]) -> None:
    """Killed and told to end, alone and beside another one, which takes over."""
    house, before = one_house, await incidents(one_house)
    for service in services:
        second = house.add(service, f"{service}-2", CROUPIER_GROUP_SESSION_MS="2000")
        await second.start()
        await second.ready()
        await house.processes[service].kill()
        await house.processes[service].start()
        await house.processes[service].ready()
        await second.stop()
        await house.processes[service].kill()
        await house.processes[service].start()
        await house.processes[service].ready()
        await asyncio.sleep(4.0)
        del house.processes[f"{service}-2"]
    assert await incidents(house) == before, "all of the house is in its groups"


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("group", "leading", "refused"),
    [
        ("table-decider", Leading("roundrobin", GARBAGE), True),
        ("tournament-decider", Leading("mine", None), True),
        ("wallet-policies", Leading("roundrobin", None, says=b"copied"), False),
        ("wallet-decider", Leading("roundrobin", None, hangs=True), False),
    ],
    ids=["gives garbage", "shares out as nobody does", "copies a mark", "hangs"],
)
async def test_who_leads_a_group_is_named_and_its_service_lives(
    one_house: House, group: str, leading: Leading, refused: bool
) -> None:
    house, service = one_house, group_of(group).service
    assert (await incidents(house))["group_has_strangers", house.topic_prefix + group] == 0
    before = house.processes[service].process
    async with Intruder(house, group, service, leading).inside():
        await named(house, group, STANDS_S if leading.hangs else NAMED_S)
        if refused:
            await is_told(house, service, "we are refused by group")
            await asyncio.sleep(STAYS_S)
            assert any("we are refused by group" in each for each in await ready(house))
    await goes_on(house)
    assert house.processes[service].process == before
    assert {kind for kind, _ in await incidents(house)} == {"group_has_strangers"}
