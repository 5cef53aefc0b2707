"""`make bench-move`: a house of 4 partitions with a long history is moved to 16, killed five times on the way.

The history is that of `make bench-years`. On top of it bots play, a platform pays in and out under keys of its own,
and the table service is killed while hands run. What has to be the same in the moved house: rows of balances and
statements, version and digest of every stream, the statements that the wallet tells, and the answers to repeated
commands. Exit status 0 only if it is, if hands go on there, and if `croupier verify` and `rebuild --compare` find
nothing.

`python -m tests.bench.move 100000`; the report says what the mover took: seconds by step, and its most memory.
"""

import argparse
import asyncio
import json
import logging
import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import httpx
import uvloop
from rich.console import Console
from uuid6 import uuid7

from libs.client import Answer
from libs.client.operator import Operator
from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.topics import topic
from libs.journal.commit import decode
from libs.journal.kafka_log import KafkaLog
from libs.journal.mark_keys import marks_in
from libs.journal.tail import end_of
from libs.stack import Progress, down, up
from services.cli.backups.log import positions
from services.cli.house import House, build_house
from services.cli.journals import records
from services.cli.surroundings import Surroundings, local_keys, shown, surroundings
from tests.bench.engine import machine
from tests.bench.years.making import make
from tests.bench.years.services import all_is_read
from tests.bench.years.tools import peak_kb
from tests.e2e.evening import croupier, evening
from tests.testkit.moving import Mover, books_in, chains_of
from tests.testkit.partitions import PARTITIONS

TO = "m2."
TRUE_OF_BOTH = "table_opened_alone"
"""What an auditor tells of these tables, which one person has opened; the old house's told it in its time, too."""
BOOKS = ("demo_provider", "wallet", "audit", "gateway")
"""Without tables nobody decides anything at a round that runs: balances stand still."""
PLAY = ("table", "tournament")
STATEMENTS = 20
"""Players whose statements are read over HTTP, beside the digest over all rows."""
Kind = Literal["journal", "events"]
KINDS: tuple[Kind, ...] = ("journal", "events")
_PATIENCE_S = 14_400.0


class Wrong(AssertionError):
    """What a move has to keep is not as it was."""


def same(what: str, before: object, after: object) -> None:
    if before != after:
        raise Wrong(f"{what}: {str(before)[:300]} became {str(after)[:300]}")


def bench(events: int, partitions: int, tell: Progress) -> dict[str, Any]:
    home = Path(mkdtemp(prefix="croupier-move-"))
    home.chmod(0o755)
    up(home)
    try:
        local_keys(home / "keys")
        return uvloop.run(_moved(surroundings(home), home, events, partitions, tell))
    finally:
        down(home, wipe=True)
        shutil.rmtree(home, ignore_errors=True)


async def _moved(at: Surroundings, home: Path, events: int, partitions: int, tell: Progress) -> dict[str, Any]:
    took = Took()
    history = await make(at, home, events, tell)
    took.note("history")
    tell("read models of the old house", 0, 1)
    old = build_house(at.stack, home)
    await old.create()
    try:
        await started(old, (*BOOKS, *PLAY))
        took.note("read models")
        tell("live play", 0, 1)
        begun = {kind: await _ends(old, PARTITIONS, kind) for kind in KINDS}
        async with evening(old) as it:
            await it.hands(20, 300)
            asked = Asked(old)
            answers = await asked.first()
            await old.processes["table"].kill()  # hands run, and nobody goes on with them
        await _said(old, PARTITIONS, begun)
        await _heard(old, PARTITIONS)
        statements = await statements_of(old)
    finally:
        await old.stop()
    books = await books_in(at.stack.database_url)
    chains = await chains_of(old, PARTITIONS)
    took.note("live play, reading what is to be the same")

    second = await _database(at.stack.database_url)
    mover = Mover(old, TO, partitions, second, home / "move")
    memory = Memory(mover)
    watching = asyncio.create_task(memory.watch())
    try:
        for number, (name, moment) in enumerate(moments := mover.moments().items()):
            tell(f"killed at: {name}", number, len(moments))
            await mover.killed_at(moment, _PATIENCE_S)
            took.note(f"killed at: {name}")
        tell("the sixth run", 5, 6)
        said = await mover.run()
        took.note("the sixth run")
    finally:
        watching.cancel()

    shutil.copytree(home / "keys", home / "new" / "keys")
    new = build_house(replace(at.stack, database_url=second), home / "new", TO)
    tell("comparing chains", 0, 1)
    same("version and digest of a stream", chains, await chains_of(new, partitions, void=False))
    took.note("chains of the new house")
    try:
        tell("read models of the new house", 0, 1)
        await started(new, BOOKS)
        took.note("read models of the new house")
        await _heard(new, partitions)
        await _same_books(books, at.stack.database_url, second)
        same("statements", statements, await statements_of(new))
        same("answers to repeated commands", answers, await Asked(new, asked.keys).again())
        await _same_books(books, at.stack.database_url, second)
        running, ends = {table.table for table in it.tables}, await _ends(new, partitions)
        await started(new, PLAY)
        await _goes_on(new, running, ends)
        async with new.reader("audit") as auditor:
            same("incidents", [], await _incidents(auditor))
        took.note("comparing, playing on")
        tell("books and audit come to the end", 0, 1)
        await new.processes["table"].stop()  # else there is always one event more
        await all_is_read(_log(new), new.topic_prefix, partitions, second)
        async with new.reader("audit") as auditor:
            same("incidents at the end", [], await _incidents(auditor))
        took.note("books and audit come to the end")
    finally:
        await new.stop()
    for name, words in (("verify", ["verify"]), ("rebuild", ["rebuild", "--compare"])):
        tell(name, 0, 1)
        status, found = await croupier(new, *words)
        same(f"exit status of {name} ({str(found)[:500]})", 0, status)
        took.note(name)
    return {
        "public_events": history.events, "hands": history.hands, "streams": len(chains), "players": history.players,
        "rows": {name: rows for name, (rows, _) in books.items()}, "answers": len(answers),
        "move": said, "peak_mb": {step: round(kb / 1024) for step, kb in memory.peaks.items()}, "seconds": took.seconds,
    }  # fmt: skip


class Took:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.monotonic()

    def note(self, step: str) -> None:
        now = time.monotonic()
        self.seconds[step] = round(now - self._last, 1)
        self._last = now
        print(f"{self.seconds[step]:9.1f} s  {step}", file=sys.stderr, flush=True)


class Memory:
    """The most that each run of the mover has held, in kB."""

    def __init__(self, mover: Mover) -> None:
        self._mover = mover
        self.peaks: dict[str, int] = {}
        self._runs: list[int] = []

    async def watch(self) -> None:
        while True:
            process = self._mover.process
            if process is not None and process.returncode is None:
                if process.pid not in self._runs:
                    self._runs.append(process.pid)
                name = f"run {len(self._runs)}"
                self.peaks[name] = max(self.peaks.get(name, 0), peak_kb(process.pid))
            await asyncio.sleep(0.05)


async def started(house: House, names: Sequence[str]) -> None:
    for name in names:
        await house.processes[name].start()
    for name in names:
        await house.processes[name].ready(_PATIENCE_S)


class Asked:
    """Payments under keys of their own, accepted and refused; asked again they are answered as at first."""

    def __init__(self, house: House, keys: Sequence[str] = ()) -> None:
        self._house = house
        self.keys = list(keys) or [str(uuid7()) for _ in range(40)]

    async def first(self) -> list[Answer]:
        async with Operator(self._house.gateway_url, self._house.operator_token) as operator:
            for number in range(len(self.keys) // 2):
                await operator.open_account(f"payer-{number}", "EUR")
        answers = await self.again()
        same("payments are accepted, larger withdrawals are not", [True, False] * (len(self.keys) // 2), [
            each.accepted for each in answers
        ])  # fmt: skip
        return answers

    async def again(self) -> list[Answer]:
        found = []
        async with Operator(self._house.gateway_url, self._house.operator_token) as operator:
            for number in range(0, len(self.keys), 2):
                payer = f"payer-{number // 2}"
                found += [
                    await operator.deposit(payer, f"d-{payer}", 5_000, key=self.keys[number]),
                    await operator.withdraw(payer, f"w-{payer}", 9_000, key=self.keys[number + 1]),
                ]
        return found


async def statements_of(house: House) -> list[Any]:
    """What the wallet tells of the first players, who have come most often."""
    async with house.reader("wallet") as wallet:
        names = [f"player-{number}" for number in range(1, STATEMENTS + 1)]
        answers = [
            await wallet.get(f"/v1/players/{name}/{what}") for name in names for what in ("accounts", "statements")
        ]
    same("statements are told", {200}, {each.status_code for each in answers})
    return [each.json() for each in answers]


async def _incidents(auditor: httpx.AsyncClient) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = (await auditor.get("/v1/incidents")).json()["incidents"]
    return [each for each in told if each["kind"] != TRUE_OF_BOTH]


async def _heard(house: House, partitions: int) -> None:
    """The wallet has heard, booked and answered every event of others, and says nothing more."""
    give_up, before = time.monotonic() + 900, None
    while time.monotonic() < give_up:
        now = await _still_to_hear(house, partitions), await books_in(house.stack.database_url)
        if now == before and not now[0]:
            return
        before = now
        await asyncio.sleep(5)
    raise Wrong(f"the wallet does not come to the end of {before}")


async def _still_to_hear(house: House, partitions: int) -> list[tuple[str, int]]:
    log, names = _log(house), [house.topic_prefix + topic(each, "events").name for each in ("table", "tournament")]
    group = f"{house.topic_prefix}wallet-policies"
    found = await positions(house.stack.admin, house.topic_prefix)
    answered = {(each.topic, each.partition): each.offset for each in found if each.group == group}
    connection = await asyncpg.connect(house.stack.database_url)
    try:
        rows = await connection.fetch(
            "select topic, partition, min(position) as at from wallet.positions group by 1, 2"
        )
    finally:
        await connection.close()
    booked = {(row["topic"], row["partition"]): row["at"] for row in rows}
    ends = {(name, n): await end_of(log, name, n) for name in names for n in range(partitions)}
    return [at for at, end in ends.items() if min(answered.get(at, 0), booked.get(at, 0)) < end]


async def _same_books(before: object, old: str, new: str) -> None:
    """And which rows are others, where some are."""
    if before == (now := await books_in(new)):
        return
    rows = []
    for url in (old, new):
        connection = await asyncpg.connect(url)
        try:
            rows.append({row[0] for row in await connection.fetch("select t::text from wallet.transfers t")})
        finally:
            await connection.close()
    others = sorted(rows[0] ^ rows[1])[:5]
    raise Wrong(f"rows of the books: {before} became {now}, transfers {others}")


async def _goes_on(house: House, running: set[str], ends: list[int]) -> None:
    """Each table where a hand ran decides something more: behind `ends` of its journal's partitions."""
    log, name = _log(house), house.topic_prefix + topic("table", "journal").name
    give_up = time.monotonic() + 300
    while time.monotonic() < give_up:
        went_on = {
            record.key.decode()
            for number, end in enumerate(ends)
            async for record in records(log, name, number, start=end)
            if record.key
        }
        if running <= went_on:
            return
        await asyncio.sleep(2)
    raise Wrong(f"hands that ran do not go on at {sorted(running - went_on)}")


async def _said(house: House, partitions: int, begun: dict[Kind, list[int]]) -> None:
    """What the killed table service had decided and not said any more is said, as by its next start: else only the
    moved house would tell of it. Bots are gone, so hardly anything is decided meanwhile."""
    log, table = _log(house), house.processes["table"]
    for _ in range(10):
        await table.start()
        await table.ready(_PATIENCE_S)
        await asyncio.sleep(2)
        await table.stop()
        decided, said = dict[str, int](), dict[str, int]()
        for kind, starts in begun.items():
            name = house.topic_prefix + topic("table", kind).name
            for number, start in enumerate(starts):
                async for record in records(log, name, number, start=start):
                    if kind == "journal":
                        commit = decode(record.value or b"")
                        decided[commit.stream] = commit.version
                    else:
                        event = from_record(record.key, record.value, record.headers)
                        said[event.stream] = event.version
        if decided == said:
            return
    raise Wrong(f"decided {decided}, said {said}")


async def _ends(house: House, partitions: int, kind: Kind = "journal") -> list[int]:
    name = house.topic_prefix + topic("table", kind).name
    return [await end_of(_log(house), name, number) for number in range(partitions)]


def _log(house: House) -> KafkaLog:
    return KafkaLog(house.stack.admin, marks_in(house.marks_file("inspector")))


async def _database(url: str) -> str:
    name = f"moved_{uuid4().hex[:12]}"
    server = await asyncpg.connect(url)
    try:
        await server.execute(f'create database "{name}"')
    finally:
        await server.close()
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.move", description=__doc__)
    parser.add_argument("events", type=int, nargs="?", default=100_000, help="public events of the history")
    parser.add_argument("--partitions", type=int, default=16, help="of the moved house")
    options = parser.parse_args()
    os.nice(5)
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)  # topics come and go, which it warns of
    try:
        with shown(Console(stderr=True)) as tell:
            report = bench(options.events, options.partitions, tell)
    except Wrong as wrong:
        print(f"NOT THE SAME: {wrong}", file=sys.stderr)
        return 1
    print(json.dumps({**report, "machine": machine(), "same": True}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
