"""Three brokers: a leader killed under load, two of three gone, and a log that loses what it had acknowledged."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import psutil
from aiokafka.admin import AIOKafkaAdminClient

from libs.broker import Broker
from libs.contracts.topics import TOPICS, topic
from libs.stack import kafka
from libs.stack.home import Home, jars_folder
from libs.stack.jars import class_path
from tests.chaos.faults.killing import kill
from tests.chaos.faults.registry import fault
from tests.chaos.scene import PATIENCE_S, Plan, Scene

NODES = 3
_SMALL = Plan(tables=2, bots=3)
_GONE_S = 3.0


@fault("partition leader killed", nodes=NODES, plan=_SMALL)
async def leader_killed(scene: Scene) -> None:
    """SIGKILL of the node that leads the journal partition of a table in play; it comes back after play went on."""
    name = scene.house.topic_prefix + topic("table", "journal").name
    leaders = {each["partition"]: each["leader"] for each in (await described(scene.stack.admin, [name]))[name]}
    node = leaders[scene.dice.choice(sorted(leaders))]
    kill_nodes(scene, [node])
    scene.now()
    try:
        await scene.next_act()
    finally:
        await start_nodes(scene, [node])
    await all_in_sync(scene)


@fault("two of three brokers gone", nodes=NODES, plan=_SMALL, counted_from="mended")
async def two_gone(scene: Scene) -> None:
    """SIGKILL of two nodes: nothing may be acknowledged until one is back."""
    nodes = scene.dice.sample(range(1, NODES + 1), 2)
    kill_nodes(scene, nodes)
    gone = time.monotonic()
    await asyncio.sleep(_GONE_S + scene.dice.random())
    back = time.monotonic()
    told = [
        each for each in scene.history.sent if each.verdict == "accepted" and each.asked > gone and each.told < back
    ]
    assert not told, f"{len(told)} commands were acknowledged by one broker of three"
    scene.now()
    await start_nodes(scene, nodes)
    await all_in_sync(scene)


def kill_nodes(scene: Scene, nodes: Sequence[int]) -> None:
    pids = [kafka.pid(Home(scene.stack.home), node) for node in nodes]
    kill([psutil.Process(pid) for pid in pids if pid is not None])


async def start_nodes(scene: Scene, nodes: Sequence[int]) -> None:
    """Started, not waited for."""
    home = Home(scene.stack.home)
    ports = home.ports()
    assert ports is not None
    jars = class_path(jars_folder())
    for node in nodes:
        await asyncio.to_thread(kafka.start, home, ports, node, jars)


async def all_in_sync(scene: Scene) -> None:
    """Until every replica of every topic of this house is in sync again: the next fault meets a whole cluster."""
    names = [scene.house.topic_prefix + each.name for each in TOPICS]
    give_up = time.monotonic() + PATIENCE_S
    while True:
        found = await described(scene.stack.admin, names)
        lagging = [name for name in names for each in found.get(name, ()) if len(each["isr"]) < len(each["replicas"])]
        if len(found) == len(names) and not lagging:
            return
        assert time.monotonic() < give_up, f"replicas out of sync: {lagging or 'topics are missing'}"
        await asyncio.sleep(0.5)


async def described(broker: Broker, names: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Partitions by topic; empty while the cluster does not answer."""
    try:
        async with asyncio.timeout(10), admin(broker) as client:
            answer = await client.describe_topics(names)
    except Exception:  # a broker that went away half-way raises whatever it likes
        return {}
    return {each["topic"]: each["partitions"] for each in answer if not each["error_code"]}


@asynccontextmanager
async def admin(broker: Broker) -> AsyncIterator[AIOKafkaAdminClient]:
    client = AIOKafkaAdminClient(**broker.options(), request_timeout_ms=8_000)
    await client.start()
    try:
        yield client
    finally:
        await client.close()
