"""On the real broker: its administrator takes notices off the sessions topic, and who heard them tells them again."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx
import msgspec
import pytest
from msgspec.structs import replace

from libs.broker import Broker
from libs.contracts.messages import Principal
from libs.contracts.session_notices import KeptNotice, SessionNotice
from libs.contracts.topics import SESSIONS
from libs.edge.problems import Problem
from libs.identity.access import Session
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRecord, OutRecord
from libs.journal.marks import Marking
from libs.stack import Stack
from services.gateway.app.standing import Standing
from services.gateway.kafka import session_notices
from services.gateway.kafka.session_notices import BlocksKept, SessionNotices
from tests.conftest import TESTS
from tests.testkit.marks import GATEWAY, UNMARKED
from tests.testkit.partitions import PARTITIONS, partition_of
from tests.testkit.tampering import delete_below, make_anew, set_up_otherwise

pytestmark = pytest.mark.stack
HOUR = 3_600_000
NOW = 1_790_000_000_000
SECURITY, SUPPORT = Principal("staff", "security"), Principal("staff", "support")
ANN, BOB = Session("s-ann", "ann", NOW, NOW + 12 * HOUR, None), Session("s-bob", "bob", NOW, NOW + 12 * HOUR, None)
KEY = "blocked/ann"
PLACE = partition_of(KEY, SESSIONS.partitions(PARTITIONS))


@asynccontextmanager
async def gateway(broker: Broker, prefix: str, kept: Sequence[SessionNotice] = ()) -> AsyncIterator[Standing]:
    async with whole(broker, prefix, kept) as (standing, _):
        yield standing


@asynccontextmanager
async def whole(
    broker: Broker, prefix: str, kept: Sequence[SessionNotice] = (), now: Callable[[], int] = lambda: NOW
) -> AsyncIterator[tuple[Standing, SessionNotices]]:
    """As much of one as has to do with sessions; it has read what the topic says, and what the auditor has kept."""
    failed: list[str | None] = []

    async def page(after: str | None) -> tuple[list[SessionNotice], str | None]:
        """One notice each; at one of them the auditor does not answer at first."""
        if after is not None and after not in failed:
            failed.append(after)
            raise httpx.ConnectError("not now")
        at = int(after or 0)
        return list(kept[at : at + 1]), str(at + 1) if at + 1 < len(kept) else None

    standing = Standing(HOUR, 12 * HOUR, False, now)
    log = KafkaLog(broker, GATEWAY, fetch_wait_ms=50, on_foreign=lambda foreign: notices.foreign(foreign))
    notices = SessionNotices(log, PARTITIONS, prefix, standing)
    await notices.start()
    tasks = [asyncio.create_task(notices.hear()), asyncio.create_task(notices.keep(0.2))]
    try:
        async with asyncio.timeout(30):
            await notices.reader.catch_up()
            await notices.restore(page)
        yield standing, notices
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await notices.stop()


async def says_blocked(broker: Broker, topic: str) -> bool:
    """Whether the last record of the block's key says so and is a gateway's; compaction leaves no other."""
    record = await last(broker, topic)
    if record is None or record.value is None or GATEWAY.why_foreign((topic, PLACE), record) is not None:
        return False
    return SessionNotice.decoded(record.value).holds


async def last(broker: Broker, topic: str) -> LogRecord | None:
    """Whoever wrote it."""
    reader = await KafkaLog(broker, UNMARKED, fetch_wait_ms=50).reader(topic, PLACE)
    found: LogRecord | None = None
    try:
        position, end = await reader.beginning(), await reader.end()
        while position < end:
            fetched = await reader.read(position, 500, 200)
            found = next((each for each in reversed(fetched.records) if each.key == KEY.encode()), found)
            position = fetched.position
    finally:
        await reader.close()
    return found


async def until_blocked(broker: Broker, topic: str) -> None:
    async with asyncio.timeout(60):
        while not await says_blocked(broker, topic):
            await asyncio.sleep(0.1)


@pytest.fixture
def topic(topics: str) -> str:
    return topics + SESSIONS.name


async def blocked_and_logged_out(standing: Standing) -> None:
    await standing.block("ann", SECURITY, "fraud")
    await standing.log_out(BOB)


def keeps_out(standing: Standing) -> bool:
    return standing.why_blocked("ann") is not None and standing.why_over(BOB) is not None


async def test_all_gateways_know_what_an_ended_session_goes_on_with(kafka: Broker, topics: str) -> None:
    """One that hears it, and one that starts while the hand runs; behind the hand it is over at both."""
    hand = {"t-1"}

    def rounds(player: str, since: int) -> tuple[str, ...]:
        return tuple(hand) if player == "bob" else ()

    async with gateway(kafka, topics) as here, gateway(kafka, topics) as there:
        here.rounds = there.rounds = rounds
        assert await here.revoke("bob", SUPPORT) == ("t-1",)
        async with asyncio.timeout(30):
            while there.ended_by_house("bob", NOW) is None:
                await asyncio.sleep(0.05)
        async with gateway(kafka, topics) as later:
            later.rounds = rounds
            assert [each.why_over(BOB) for each in (here, there, later)] == [None, None, None]
            with pytest.raises(Problem, match="5 minutes apart"):
                await later.revoke("bob", SUPPORT)
            hand.clear()
            assert all(each.why_over(BOB) is not None for each in (here, there, later))


async def test_a_topic_that_was_cut(stack: Stack, kafka: Broker, topics: str, topic: str) -> None:
    async with gateway(kafka, topics) as living:
        await blocked_and_logged_out(living)
        ends = dict.fromkeys(range(SESSIONS.partitions(PARTITIONS)), -1)
        await set_up_otherwise(stack, topic, {**SESSIONS.config, "cleanup.policy": "compact,delete"})
        await delete_below(stack, topic, ends)
        await until_blocked(kafka, topic)
        await asyncio.sleep(1)
        async with gateway(kafka, topics) as later:
            assert keeps_out(later)


async def test_a_topic_that_was_cut_while_no_gateway_lived(
    stack: Stack, kafka: Broker, topics: str, topic: str
) -> None:
    """The auditor has kept the block, and who starts tells it again, for all who come later."""
    async with gateway(kafka, topics) as living:
        await blocked_and_logged_out(living)
        kept = living.holding()
    await set_up_otherwise(stack, topic, {**SESSIONS.config, "cleanup.policy": "compact,delete"})
    await delete_below(stack, topic, dict.fromkeys(range(SESSIONS.partitions(PARTITIONS)), -1))
    async with gateway(kafka, topics) as forgetful:
        assert forgetful.why_blocked("ann") is None
    async with gateway(kafka, topics, kept) as reminded:
        assert reminded.why_blocked("ann") is not None
    async with gateway(kafka, topics) as later:
        assert later.why_blocked("ann") is not None


async def counted(notices: SessionNotices) -> list[int]:
    """Of every append that this gateway waits for, how many records it has."""
    assert notices._publisher is not None
    send, sizes = notices._publisher.send, list[int]()

    async def counting(records: Sequence[OutRecord]) -> "asyncio.Future[None]":
        sizes.append(len(records))
        return await send(records)

    notices._publisher.send = counting  # type: ignore[method-assign]
    return sizes


async def until_known(standing: Standing, keys: Sequence[str], known: bool) -> None:
    async with asyncio.timeout(60):
        while any(standing.is_known(key) is not known for key in keys):
            await asyncio.sleep(0.05)


async def test_who_told_what_is_over_takes_it_out_in_batches(kafka: Broker, topics: str) -> None:
    """Each gateway took out every notice, one acknowledgement at a time: 3,600 for 1,200 of three gateways."""
    ended = [
        SessionNotice(about="ended", player="bob", at=NOW, session=f"s{number}", until=NOW + HOUR)
        for number in range(1_200)
    ]
    keys, clock = [each.key for each in ended], [NOW]
    async with (
        whole(kafka, topics, now=lambda: clock[0]) as (here, ours),
        whole(kafka, topics, now=lambda: clock[0]) as (there, theirs),
        whole(kafka, topics, now=lambda: clock[0]) as (third, others),
    ):
        await ours._tell_all(ended)
        sizes = [await counted(each) for each in (ours, theirs, others)]
        for each in (here, there, third):
            await until_known(each, keys, known=True)
        clock[0] += HOUR + 120_000
        assert await theirs.take_out(clock[0]) == 0
        assert await ours.take_out(clock[0]) == len(ended)
        for each in (here, there, third):
            await until_known(each, keys, known=False)
        clock[0] += 5 * HOUR
        assert [await each.take_out(clock[0]) for each in (ours, theirs, others)] == [0, 0, 0]
        assert sizes == [[500, 500, 200], [], []]


async def test_what_a_gateway_told_that_is_gone_another_takes_out(kafka: Broker, topics: str) -> None:
    clock = [NOW]
    async with whole(kafka, topics, now=lambda: clock[0]) as (gone, _):
        await gone.log_out(BOB)
    async with whole(kafka, topics, now=lambda: clock[0]) as (here, ours):
        clock[0] += 13 * HOUR
        assert await ours.take_out(clock[0]) == 0, "whoever told it may do so"
        clock[0] += 3 * HOUR
        assert await ours.take_out(clock[0]) == 1
        await until_known(here, ["ended/s-bob"], known=False)


async def test_a_page_of_what_the_auditor_keeps_that_fails_is_asked_again(
    kafka: Broker, topics: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_notices, "LOOK_EVERY_S", 0.05)
    kept = [
        SessionNotice(about="blocked", player=player, at=NOW, by="staff:security", reason="fraud")
        for player in ("ann", "eve", "zoe")
    ]
    async with gateway(kafka, topics, kept) as reminded:
        assert [reminded.is_blocked(each.player) for each in kept] == [True, True, True]


async def test_a_topic_that_was_made_anew(stack: Stack, kafka: Broker, topics: str, topic: str) -> None:
    async with gateway(kafka, topics) as living:
        await blocked_and_logged_out(living)
        await asyncio.sleep(1)  # it knows how far the topic went
        await make_anew(stack, topics, [SESSIONS.name], TESTS)
        await until_blocked(kafka, topic)
        await asyncio.sleep(1)
        async with gateway(kafka, topics) as later:
            assert keeps_out(later)


@pytest.mark.parametrize("value", [None, b"junk"])
async def test_foreign_records_of_the_same_key_are_not_the_last(
    kafka: Broker, topics: str, topic: str, value: bytes | None
) -> None:
    async with gateway(kafka, topics) as living:
        await blocked_and_logged_out(living)
        publisher = await KafkaLog(kafka, UNMARKED).publisher()
        await (await publisher.send([OutRecord(topic, KEY.encode(), value, (), PLACE)]))
        await publisher.abandon()
        await until_blocked(kafka, topic)


async def test_a_lifted_block_that_is_written_again_lifts_no_later_one(kafka: Broker, topics: str, topic: str) -> None:
    """Byte for byte, in its own place: its mark is true."""
    async with gateway(kafka, topics) as living:
        await living.block("ann", SECURITY, "fraud")
        await living.unblock("ann", SECURITY)
        lifted = await last(kafka, topic)
        assert lifted is not None
        await living.block("ann", SECURITY, "fraud again")
        publisher = await KafkaLog(kafka, UNMARKED).publisher()
        await (await publisher.send([OutRecord(topic, KEY.encode(), lifted.value, lifted.headers, PLACE)]))
        await publisher.abandon()
        await until_blocked(kafka, topic)
        assert living.why_blocked("ann") is not None
        async with gateway(kafka, topics) as later:
            assert later.why_blocked("ann") is not None


def kept(notice: SessionNotice, partition: int = 0, by: Marking = GATEWAY, **other: Any) -> KeptNotice:
    """As the auditor read it."""
    key, value, topic = notice.key.encode(), notice.encoded(), SESSIONS.name
    headers = by.marked((topic, partition), key, value, ())
    return replace(KeptNotice(topic, partition, key, value, cast(Any, headers)), **other)


async def test_of_what_the_auditor_keeps_only_what_a_gateway_told_is_told_again() -> None:
    """Found by an attacker with the auditor's login at the database alone: any player was shut out."""
    blocked = SessionNotice(about="blocked", player="eve", at=NOW, by="staff:security", reason="fraud")
    victim = SessionNotice(about="blocked", player="ann", at=NOW, by="staff:security", reason="fraud")
    true = kept(blocked)
    rows = [
        true,
        kept(victim, headers=()),
        kept(victim, headers=true.headers),
        replace(true, key=victim.key.encode(), value=victim.encoded()),
        kept(victim, topic="croupier.replies.v1"),
        kept(victim, partition=1, headers=kept(victim).headers),
    ]

    def answer(request: httpx.Request) -> httpx.Response:
        page = rows if request.url.params.get("after") is None else [kept(victim)]
        behind = "0~7" if request.url.params.get("after") is None else None
        return httpx.Response(200, json={"notices": [msgspec.to_builtins(each) for each in page], "next_after": behind})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://audit") as audit:
        assert await BlocksKept(audit, GATEWAY).page(None) == ([blocked], "0~7")
        assert await BlocksKept(audit, GATEWAY).page("0~7") == ([victim], None)
