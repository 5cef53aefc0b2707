"""What is broken, one thing after the other, and which alerts have to fire by it."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable

import httpx
from aiokafka import AIOKafkaProducer

from libs import integrity
from libs.contracts.topics import SESSIONS, topic
from libs.stack import postgres, up
from libs.stack.home import Home
from tests.chaos.scene import PATIENCE_S
from tests.e2e.evening import croupier
from tests.testkit.tampering import set_up_otherwise
from tests.watching import at_the_door, crowds, edges, written
from tests.watching.drill import Drill, Fault


async def _kill_audit(it: Drill) -> None:
    it.at.down.add("audit")
    await it.at.house.processes["audit"].kill()


async def _forge(it: Drill) -> None:
    producer = AIOKafkaProducer(**it.at.stack.admin.options())
    await producer.start()
    await producer.send_and_wait(it.at.house.topic_prefix + topic("table", "events").name, b"{}", b"lisboa")
    await producer.stop()


async def _wrong_tokens(it: Drill) -> None:
    async with httpx.AsyncClient(base_url=it.at.house.gateway_url, timeout=20.0) as client:
        await asyncio.gather(*(
            client.get("/v1/session", headers={"authorization": f"Bearer wrong-{n}"}) for n in range(15)
        ))  # fmt: skip


async def _flood(it: Drill) -> None:
    until = time.monotonic() + 20
    async with httpx.AsyncClient(base_url=it.at.house.gateway_url, timeout=20.0) as client:
        while time.monotonic() < until:
            await client.get(f"/{'x' * 5_000}")
            await asyncio.sleep(0.05)


async def _poison(it: Drill) -> None:
    await it.sql("alter table wallet.transfers add constraint drill check (amount <> 77777) not valid")
    await it.at.evening.operator.deposit(it.at.evening.bots[0].name, "drill-poison", 77777)


async def _take_up(it: Drill) -> None:
    await it.sql("alter table wallet.transfers drop constraint drill")
    await croupier(it.at.house, "mend", "--again")


async def _stop_table(it: Drill) -> None:
    process = it.at.house.processes["table"]
    process.send(signal.SIGSTOP)
    await asyncio.sleep(8)
    process.send(signal.SIGCONT)


async def _slow_table(it: Drill) -> None:
    process = it.at.house.processes["table"]
    for _ in range(100):
        process.send(signal.SIGSTOP)
        await asyncio.sleep(0.3)
        process.send(signal.SIGCONT)
        await asyncio.sleep(0.1)


async def _stop_database(it: Drill) -> None:
    await asyncio.to_thread(postgres.stop, Home(it.at.stack.home))
    await asyncio.sleep(20)


async def _start_database(it: Drill) -> None:
    await asyncio.to_thread(up, it.at.stack.home)


async def _other_key(it: Drill) -> None:
    process = it.at.house.processes["table"]
    other = it.at.house.home / "other-kek.hex"
    other.write_text("77" * 32 + "\n")
    other.chmod(0o600)
    await process.kill()
    process.environment["CROUPIER_KEK_FILE"] = str(other)
    await it.at.again("table")


async def _own_key(it: Drill) -> None:
    process = it.at.house.processes["table"]
    process.environment["CROUPIER_KEK_FILE"] = str(it.at.house.keys["kek"])
    await it.sound("table")


async def _alter(it: Drill) -> None:
    manifest = it.at.house.home / "program" / "SHA256SUMS"
    manifest.parent.mkdir()
    (manifest.parent / "a.py").write_text("1\n")
    integrity.write(manifest)
    it.at.house.add("gateway", "gateway-2")
    await it.weakened("gateway-2", "checks", CROUPIER_MANIFEST_FILE=str(manifest))
    await it.at.house.processes["gateway-2"].ready(PATIENCE_S)
    it.prometheus.aim()
    (manifest.parent / "a.py").write_text("2\n")
    it.began = time.monotonic()


async def _without_second(it: Drill) -> None:
    await it.at.house.processes["gateway-2"].stop()
    del it.at.house.processes["gateway-2"]
    it.prometheus.aim()


async def _retention(it: Drill) -> None:
    each = topic("table", "journal")
    name = it.at.house.topic_prefix + each.name
    await set_up_otherwise(it.at.stack, name, {**each.config, "retention.ms": "86400000"})


async def _retention_back(it: Drill) -> None:
    each = topic("table", "journal")
    await set_up_otherwise(it.at.stack, it.at.house.topic_prefix + each.name, each.config)


async def _change_books(it: Drill) -> None:
    await it.sql(
        "alter table wallet.balances disable trigger user;"
        "update wallet.balances set balance = balance + 1 where account = 'operator-cash/EUR' and book = 'real';"
        "alter table wallet.balances enable trigger user"
    )


def _again(service: str) -> Callable[[Drill], Awaitable[None]]:
    return lambda it: it.at.again(service)


FAULTS = (
    Fault("the auditor killed (SIGKILL), not started again", ("CroupierProcessDown", "CroupierServiceGone"),
          _kill_audit, _again("audit")),
    Fault("a record without a mark written to the tables' public events, by the broker's administrator",
          ("CroupierForeignRecord", "CroupierFindingCritical"), _forge),
    Fault("text that is no command sent with the gateway's own marks", ("CroupierRecordParked",),
          lambda it: it.write("gateway", topic("table", "commands").name, b"not json")),
    Fault("bytes that are no commit written to the tables' journal with the table service's own marks",
          ("CroupierJournalBroken",), lambda it: it.write("table", topic("table", "journal").name, b"\xffdrill")),
    Fault("bytes that are no notice written to the sessions topic with the gateway's own marks",
          ("CroupierSessionNoticeBad",), lambda it: it.write("gateway", SESSIONS.name, b"\xffdrill")),
    Fault("fifteen wrong tokens from one address", ("CroupierLoginLocked",), _wrong_tokens),
    Fault("20 s of requests with a path of 5 kB", ("CroupierRequestsRefused",), _flood),
    Fault("a deposit that the database refuses (a constraint set by hand)", ("CroupierStreamSetAside",),
          _poison, _take_up),
    Fault("the table service stands still for 8 s (SIGSTOP)",
          ("CroupierAnswersUnknown",),
          _stop_table),
    Fault("the table service stands still for 0.3 s of each 0.4 s", ("CroupierActsSlow",), _slow_table),
    Fault("PostgreSQL stopped for 20 s",
          ("CroupierBooksBehind", "CroupierBooksBehindLong", "CroupierNotReady", "CroupierCheckpointsStill"),
          _stop_database, _start_database),
    Fault("the table service started again with another key-encryption key, hands running",
          ("CroupierCardsLost", "CroupierHandVoid"), _other_key, _own_key),
    Fault("the table service's random source gives one byte for ever", ("CroupierEntropyUnhealthy",),
          lambda it: it.weakened("table", "entropy"), lambda it: it.sound("table")),
    Fault("a file of a running gateway's program changed (it looks every 2 s here, not daily)",
          ("CroupierProgramAltered",), _alter, _without_second),
    Fault("a retention set on the tables' journal at the broker", ("CroupierFindingCritical",),
          _retention, _retention_back),
    Fault("two at one table reported with one device, one with a forbidden program; the auditor started again",
          ("CroupierFindingMajor", "CroupierIntegrityCase"), edges.reported),
    Fault("commands of two hours ago sent with the gateway's own marks, five a second", ("CroupierCommandsBusy",),
          written.old_commands),
    Fault("an event written to the tables' public events with the table service's own marks, and the one before it not",
          ("CroupierViewGap", "CroupierProjectionGap"), written.gap, written.fill),
    Fault("snapshots with the table service's own marks and without its seal; it is started again",
          ("CroupierSnapshotAside",), written.snapshot),
    Fault("the table service may write no snapshot above 64 bytes", ("CroupierSnapshotsFailed",),
          lambda it: it.weakened("table", "snapshots"), lambda it: it.sound("table")),
    Fault("16,000 commands at once to one partition of the tables, while the broker takes no answers",
          ("CroupierRunnerBehind", "CroupierFollowerBehind"), crowds.commands_untold, crowds.told),
    Fault("as many again, while somebody holds a table of the auditor's for 45 s", ("CroupierAuditBehind",),
          crowds.commands_unaudited),
    Fault("8,100 connections to one gateway", ("CroupierConnectionsNearLimit",), crowds.connections),
    Fault("the broker takes no command for the wallet", ("CroupierPolicyFails",),
          crowds.no_commands, crowds.commands_again),
    Fault("a table of the wallet that a question needs is not there", ("CroupierRequestsFailed",),
          edges.broken_question, edges.whole_question),
    Fault("one of two table processes killed, whose group waits 30 s for it", ("CroupierPartitionUnowned",),
          edges.unowned, edges.without_second),
    Fault("a second process decides every table, too, in a group of its own", ("CroupierTwoOwners",),
          edges.two_owners, edges.without_second),
    Fault("the broker's answers to appends do not reach the table service", ("CroupierAppendsUnknown",),
          edges.unacknowledged, edges.acknowledged),
    Fault("somebody brings a record to the platforms' door before a login", ("CroupierDoorRefused",),
          at_the_door.unasked),
    Fault("one platform comes to the door again and again, and keeps its connections", ("CroupierDoorFull",),
          at_the_door.full),
    Fault("silent connections at the door, more than may wait", ("CroupierDoorCrowded",), at_the_door.crowded),
    Fault("the door told to stop (SIGTERM), not started again", ("CroupierDoorGone",), at_the_door.gone,
          at_the_door.back),
    Fault("a balance changed in the database by hand", ("CroupierFindingCritical",), _change_books),
    # The last: nothing mends what counts in the journal for ever.
    Fault("a valid commit that makes no state, with the table service's own marks", ("CroupierDecidedStreamAside",),
          written.stateless, stays=frozenset({"CroupierStreamSetAside"})),
)  # fmt: skip
