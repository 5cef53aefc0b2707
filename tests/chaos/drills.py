"""What must never be allowed, allowed once: an unclean election cuts journals; every reader has to stop (journal 21).

Journals get two replicas, of which one is enough to acknowledge, and may be led by one that is behind. One replica
goes, play goes on with the other alone, that one goes, and the first comes back with a shorter log.
"""

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from aiokafka.admin import NewTopic

from libs.broker import Broker
from libs.contracts.topics import topic
from libs.journal.log import LogUnavailable
from libs.stack import Stack
from services.cli.processes import ServiceFailed
from tests.chaos.cancelling import NAME as CANCELLED
from tests.chaos.cancelling import cancel_at_ten_moments
from tests.chaos.faults.replicas import NODES, admin, all_in_sync, described, kill_nodes, start_nodes
from tests.chaos.hand_for_hand import NAME, hand_for_hand
from tests.chaos.results import Book, Gone, Round
from tests.chaos.rounds import Tell
from tests.chaos.scene import PATIENCE_S, Plan, Scene, scene, witness
from tests.chaos.witness import Witness
from tests.e2e.evening import croupier
from tests.testkit.partitions import PARTITIONS, partition_of

SERVICES = ("table", "wallet")
AHEAD, BEHIND = 1, 2
"""The node that acknowledges alone, and the one that comes back without what was acknowledged."""
_NAME = "log cut by an unclean election"


@dataclass(frozen=True, slots=True)
class Drill:
    nodes: int
    run: Callable[[Stack, Path, Book, Tell], Awaitable[Gone]]
    """One house, ruined."""


async def cut(stack: Stack, folder: Path, book: Book, tell: Tell) -> Gone:
    """One house is ruined; each journal partition that was cut is a round."""
    gone = Gone(folder.name, {_NAME: 0})
    began = time.monotonic()
    try:
        async with scene(stack, folder, Plan(tables=6, bots=2), folder.name, _journals_on_two(stack.admin)) as at:
            rounds = [Round(_NAME, gone.house, fired=True) for _ in range(await _ruin(at, gone))]
            rounds[0].acknowledged = len(at.history.answered())
            await all_in_sync(at)
        for each in rounds:
            each.seconds = round((time.monotonic() - began) / len(rounds), 2)
            book.keep(each)
        gone.faults[_NAME] = len(rounds)
    except Exception as wrong:
        gone.problems.append(f"{type(wrong).__name__}: {wrong or traceback.format_exc(limit=-3)}")
        (folder / "failed.txt").write_text(traceback.format_exc())
    gone.seconds = round(time.monotonic() - began, 1)
    book.keep(gone)
    tell(f"{_NAME}: {gone.faults[_NAME]} partitions")
    return gone


DRILLS = {_NAME: Drill(NODES, cut), NAME: Drill(1, hand_for_hand), CANCELLED: Drill(1, cancel_at_ten_moments)}


def _journals_on_two(broker: Broker) -> Callable[[str], Awaitable[None]]:
    async def made(prefix: str) -> None:
        places = {partition: [AHEAD, BEHIND] for partition in range(PARTITIONS)}
        unsafe = {"min.insync.replicas": "1", "unclean.leader.election.enable": "true"}
        async with admin(broker) as client:
            journals = [topic(service, "journal") for service in SERVICES]
            await client.create_topics(
                [
                    NewTopic(prefix + each.name, -1, -1, replica_assignments=places, topic_configs=each.config | unsafe)
                    for each in journals
                ]
            )

    return made


async def _ruin(at: Scene, house: Gone) -> int:
    """How many partitions were cut."""
    at.now()
    await at.next_act()
    await at.next_deposit()
    kill_nodes(at, [BEHIND])
    await _in_sync(at, {AHEAD})
    at.now()
    await at.next_act()
    await at.next_deposit()
    await asyncio.sleep(3)  # seconds of play that only one node has, with manifests that say so
    beside = witness(at)
    await beside.read()
    kill_nodes(at, [AHEAD])
    at.down |= set(SERVICES)
    await start_nodes(at, [BEHIND])
    led = time.monotonic()
    await _led_by(at, BEHIND)
    gone = await _until_readable(beside)
    assert gone, "no journal was cut: the drill showed nothing"
    await _every_reader_stops(at, gone, house)
    _nothing_acknowledged(at, gone, led)
    status, report = await croupier(at.house, "verify")
    assert status == 1, f"verify found nothing: {report}"
    house.checks["verify"] = "found it"
    await start_nodes(at, [AHEAD])
    return len(gone)


async def _every_reader_stops(at: Scene, gone: list[tuple[str, int]], house: Gone) -> None:
    for service in {service for service, _ in gone}:
        process = at.house.processes[service]
        assert process.process is not None
        async with asyncio.timeout(PATIENCE_S):
            await process.process.wait()
        _count(house, "deciders ended", 1)
        await process.start()
        try:
            await process.ready(PATIENCE_S)
        except ServiceFailed:
            assert not process.running, f"{service} neither started on a journal that was cut nor ended"
            _count(house, "deciders refused to start again", 1)
        else:
            raise AssertionError(f"{service} started on a journal that was cut")
    async with at.house.reader("audit") as audit:
        give_up = time.monotonic() + PATIENCE_S
        while True:
            incidents = (await audit.get("/v1/incidents")).json()["incidents"]
            places = {(each["topic"], each["partition"]) for each in incidents if each["kind"] == "log_rewritten"}
            if len(places) >= len(gone):
                break
            assert time.monotonic() < give_up, f"the auditor told of {sorted(places)}, cut were {gone}"
            await asyncio.sleep(0.2)
        ready = f"{at.house.processes['audit'].inner_url}/health/ready"
        assert (await audit.get(ready)).status_code == httpx.codes.SERVICE_UNAVAILABLE
    _count(house, "auditor's readers stopped", len(gone))


def _nothing_acknowledged(at: Scene, gone: list[tuple[str, int]], since: float) -> None:
    """Of a table whose journal was cut, no act counts any more."""
    cut_off = {partition for service, partition in gone if service == "table"}
    wrong = [
        each
        for each in at.history.sent
        if each.kind == "act" and each.asked > since and each.verdict == "accepted"
        if partition_of(each.stream) in cut_off
    ]
    assert not wrong, f"{len(wrong)} acts were accepted on a journal that was cut"


def _count(house: Gone, what: str, count: int) -> None:
    house.notes[what] = house.notes.get(what, 0) + count


def _names(at: Scene) -> list[str]:
    return [at.house.topic_prefix + topic(service, "journal").name for service in SERVICES]


async def _in_sync(at: Scene, nodes: set[int]) -> None:
    await _until(at, lambda each: set(each["isr"]) == nodes, f"journals in sync on {nodes} only")


async def _led_by(at: Scene, node: int) -> None:
    await _until(at, lambda each: each["leader"] == node, f"journals led by {node}")


async def _until(at: Scene, true: Callable[[dict[str, Any]], bool], what: str) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while True:
        found = await described(at.stack.admin, _names(at))
        if found and all(true(each) for partitions in found.values() for each in partitions):
            return
        assert time.monotonic() < give_up, f"never came: {what}"
        await asyncio.sleep(0.2)


async def _until_readable(beside: Witness) -> list[tuple[str, int]]:
    give_up = time.monotonic() + PATIENCE_S
    while True:
        try:
            return await beside.rewritten()
        except LogUnavailable:
            assert time.monotonic() < give_up, "the journals can't be read"
            await asyncio.sleep(0.2)
