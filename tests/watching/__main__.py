"""`make alerts`: a real Prometheus watches a house that plays; each fault is produced, and its alerts have to fire.

Every duration of the rules is divided by 60, so an hour of production is a minute here. Nothing may fire before the
first fault, nor go on after one was mended.
"""

import argparse
import asyncio
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx
from aiokafka import AIOKafkaProducer

from libs import integrity
from libs.contracts.topics import SESSIONS, topic
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import OutRecord
from libs.journal.mark_keys import marks_in
from libs.stack import default_home, down, postgres, up
from libs.stack.home import Home
from services.cli.watching.alerts import ALERTS
from tests.chaos.scene import PATIENCE_S, Plan, Scene, open_folder, scene
from tests.e2e.evening import croupier
from tests.testkit.tampering import set_up_otherwise
from tests.watching.picture import draw
from tests.watching.prometheus import Prometheus

PAGE = Path(__file__).resolve().parents[2] / "docs" / "alerts-drill.md"
BY = 60
WARM_S, QUIET_S = 20.0, 60.0
SLOW_S = 120.0
_P99 = 'histogram_quantile(0.99, sum by (le) (increase(croupier_gateway_command_seconds_bucket{service="table"}[90s])))'


@dataclass(slots=True)
class Drill:
    at: Scene
    prometheus: Prometheus
    rows: list[str] = field(default_factory=list)
    fired: dict[str, float] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    began: float = 0.0
    """When the fault was there (seconds of `time.monotonic`)."""

    async def write(self, writer: str, name: str, value: bytes, key: bytes = b"drill") -> None:
        """With the login and the marks of one of the house's processes."""
        log = KafkaLog(self.at.stack.broker(writer), marks_in(self.at.house.marks_file(writer)))
        publisher = await log.publisher(self.at.house.topic_prefix + name)
        await (await publisher.send([OutRecord(self.at.house.topic_prefix + name, key, value)]))
        await publisher.abandon()

    async def sql(self, statement: str) -> None:
        owner = await asyncpg.connect(self.at.house.stack.database_url)
        try:
            await owner.execute(statement)
        finally:
            await owner.close()

    async def weakened(self, service: str, how: str, **extra: str) -> None:
        process = self.at.house.processes[service]
        if process.running:
            await process.kill()
        process.through = ("tests.watching.weakened",)
        process.environment |= {"DRILL_WEAKENED": how, **extra}
        await process.start()

    async def sound(self, service: str) -> None:
        """As it was before, and started."""
        process = self.at.house.processes[service]
        if process.running:
            await process.kill()
        process.through = ("tests.chaos.crashing",)
        await self.at.again(service)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is broken, in words; how; how it is mended; what has to fire."""

    words: str
    alerts: tuple[str, ...]
    fire: Callable[[Drill], Awaitable[Any]]
    mend: Callable[[Drill], Awaitable[Any]] | None = None


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
    Fault("a balance changed in the database by hand", ("CroupierFindingCritical",), _change_books),
)  # fmt: skip


async def _through(it: Drill, fault: Fault) -> None:
    it.began, others = time.monotonic(), set[str]()
    standing = await it.prometheus.firing()
    took: dict[str, float] = {}

    async def look() -> None:
        while time.monotonic() - it.began < SLOW_S and set(fault.alerts) - took.keys():
            for name in await it.prometheus.firing():
                if name in fault.alerts and name not in standing:
                    took.setdefault(name, time.monotonic() - it.began)
                elif name not in standing:
                    others.add(name)
            await asyncio.sleep(0.25)

    looking = asyncio.create_task(look())
    try:
        await fault.fire(it)
        await looking
        if fault.mend is not None:
            await fault.mend(it)
    except Exception as wrong:  # the next fault may still be seen
        it.problems.append(f"{fault.words}: {type(wrong).__name__}: {wrong}")
        looking.cancel()
    mended = time.monotonic()
    still = _soon(await it.prometheus.firing())
    while still and time.monotonic() - mended < SLOW_S:
        others |= still - set(fault.alerts) - standing
        await asyncio.sleep(0.5)
        still = _soon(await it.prometheus.firing())
    missing = set(fault.alerts) - took.keys()
    it.problems += [f"{fault.words}: {name} did not fire" for name in sorted(missing)]
    it.problems += [f"{fault.words}: {name} went on firing" for name in sorted(still)]
    for name, seconds in took.items():
        it.fired.setdefault(name, seconds)
    words = ", ".join(f"{name} after {seconds:.0f} s" for name, seconds in took.items()) or "nothing"
    silent = "no" if still else f"{time.monotonic() - mended:.0f} s"
    it.rows.append(f"| {fault.words} | {words} | {', '.join(sorted(others)) or '–'} | {silent} |")
    print(it.rows[-1], flush=True)


def _soon(firing: set[str]) -> set[str]:
    """Without what looks back on three days, and so goes on by design: six minutes and more here."""
    return {name for name in firing if not name.endswith("Long")}


async def _quiet(it: Drill) -> str:
    await asyncio.sleep(WARM_S)  # the first scrapes, and processes that have just started
    began, seen = time.monotonic(), set[str]()
    while time.monotonic() - began < QUIET_S:
        seen |= await it.prometheus.firing()
        await asyncio.sleep(0.5)
    it.problems += [f"{name} fired in the quiet" for name in sorted(seen)]
    hands = it.at.evening.statistics.total_hands
    p99 = float((await it.prometheus.ask("query", query=_P99))["result"][0]["value"][1])
    said = f"{QUIET_S:.0f} s of play without a fault, {hands} hands, answers of tables p99 {1000 * p99:.0f} ms: "
    said += f"{', '.join(sorted(seen)) or 'no alert'}."
    print(said, flush=True)
    return said


def _page(it: Drill, quiet: str) -> str:
    never = [each.name for each in ALERTS if each.name not in it.fired]
    return "\n".join((
        "# Alerts, fired by real faults", "",
        "Written by `make alerts WRITE=1`: Debian's Prometheus scrapes a whole house each second while bots play at",
        f"two tables, with the rules that ship, **every duration divided by {BY}** (at least 5 s): for an hour",
        "this waited a minute. What is counted at once fires in production as it did here, after one scrape and one",
        "evaluation; what has to last, lasts as long as [alerts.md](alerts.md) says.", "", quiet, "",
        "| fault | fired, seconds after it began | fired beside | silent again after mending |", "|---|---|---|---|",
        *it.rows, "",
        f"{len(it.fired)} of {len(ALERTS)} alerts were fired by a fault. By promtool's series alone "
        f"(`tests/watching/cases.yaml`): {', '.join(never)}.", "",
        *(("Not as it should be:", "", *(f"- {each}" for each in it.problems), "") if it.problems else ()),
        "The dashboard's panels over this drill, drawn from what Prometheus answered to their expressions; Grafana",
        "itself never ran:", "", "![dashboard](dashboard.svg)", "",
    ))  # fmt: skip


async def _drill(write: bool, only: str) -> int:
    home = default_home() / "alerts"
    home.mkdir(parents=True, exist_ok=True)
    stack = await asyncio.to_thread(up, home)
    try:
        folder = open_folder(home, "house-")
        async with scene(stack, folder, Plan(tables=2, bots=3), "alerts") as at:
            it = Drill(at, Prometheus(at.house, folder / "prometheus", BY))
            try:
                began = time.time()
                quiet = await _quiet(it)
                for fault in FAULTS:
                    if any(words in fault.words for words in only.split(", ")):
                        await _through(it, fault)
                if write:
                    PAGE.write_text(_page(it, quiet), encoding="utf-8")
                    PAGE.with_name("dashboard.svg").write_text(await draw(it.prometheus, began, time.time()))
            finally:
                it.prometheus.stop()
    finally:
        with suppress(Exception):
            await asyncio.to_thread(down, home, wipe=True)
    for each in it.problems:
        print(f"! {each}")
    return 1 if it.problems else 0


def main() -> int:
    asked = argparse.ArgumentParser(prog="make alerts", description=__doc__)
    asked.add_argument("--write", action="store_true", help="write docs/alerts-drill.md and docs/dashboard.svg")
    asked.add_argument("--only", default="", help="faults with these words, or these, or these")
    given = asked.parse_args()
    return asyncio.run(_drill(given.write, given.only))


if __name__ == "__main__":
    raise SystemExit(main())
