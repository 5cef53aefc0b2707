"""What no service would write or do: poison in the topics, offsets back at zero, a byte that changed."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError
from aiokafka.structs import OffsetAndMetadata
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.broker import Broker
from libs.contracts.topics import INSPECTOR, REPLIES, TABLE_PRIVATE, Topic, topic
from libs.journal.commit import decode
from libs.journal.fold import PartitionFold
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRecord
from libs.journal.machine import journal_name
from libs.journal.mark_keys import marks_in, marks_of_another
from libs.journal.marks import Marking
from libs.journal.positions import Position, beside
from libs.sealing.kek_file import KeyringFile
from libs.sealing.key_files import hex_key
from services.audit.checkpoints import Lines
from services.audit.verifying.checkpoint import Checkpoint, public_hex
from services.cli.journals import books, records
from services.cli.verify import verify_log
from tests.chaos.faults.registry import fault
from tests.chaos.scene import PATIENCE_S, Scene
from tests.testkit.partitions import PARTITIONS
from tests.testkit.simulated import SimulatedBroker, SimulatedLog

SERVICES = ("table", "wallet")
_NONSENSE = (
    b"", b"\x00", b"\xff" * 300, b"{", b"null", b"[]", b'{"id": 7}', b"\x01\x93", b"{" * 2_000, "🂡".encode() * 50,
)  # fmt: skip


@fault("poison in commands and replies")
async def poison(scene: Scene) -> None:
    """Records that are no command, no reply, no private deal and no snapshot, in every partition of those topics."""
    scene.excused |= {"foreign_record"}
    scene.now()
    commands = [topic(service, "commands") for service in SERVICES]
    snapshots = [topic(service, "snapshots") for service in SERVICES]
    await _put(scene, [*commands, *snapshots, REPLIES, TABLE_PRIVATE])


@fault("poison in journals and events")
async def poison_in_journals(scene: Scene) -> None:
    """Records that are no commit and no event; every deciding service is then killed and folds them once more."""
    scene.excused |= {"foreign_record"}
    await _put(scene, [topic(service, kind) for service in SERVICES for kind in ("journal", "events")])
    for service in SERVICES:
        await scene.house.processes[service].kill()
    scene.now()
    await asyncio.gather(*(scene.again(service) for service in SERVICES))


async def _put(scene: Scene, topics: list[Topic]) -> None:
    async with AIOKafkaProducer(**scene.stack.admin.options(), acks="all") as producer:
        for each in topics:
            for partition in range(each.partitions(PARTITIONS)):
                key, value = scene.dice.choice((None, b"x", b"\xff")), scene.dice.choice(_NONSENSE)
                if each.kind == "snapshots":
                    key = b"stream/nobody"  # a compacted topic takes no record without a key
                await producer.send_and_wait(scene.house.topic_prefix + each.name, value, key, partition)


@fault("offsets reset to zero")
async def offsets_reset(scene: Scene) -> None:
    """Table and wallet are killed; deciders and policies then read every command and event from the first one again.

    With the services' own marks: any other position is not believed."""
    for service in SERVICES:
        await scene.house.processes[service].kill()
    scene.now()
    prefix = scene.house.topic_prefix
    groups = [(f"{prefix}{service}-decider", prefix + topic(service, "commands").name) for service in SERVICES]
    groups += [
        (f"{prefix}wallet-policies", prefix + topic("table", "events").name),
        (f"{prefix}table-policies", prefix + topic("wallet", "events").name),
    ]
    file = scene.house.marks_file(INSPECTOR)
    who = {group: group.removeprefix(prefix).partition("-")[0] for group, _ in groups}
    await asyncio.gather(
        *(_to_zero(scene.stack.admin, marks_of_another(file, who[group]), group, name) for group, name in groups)
    )
    await asyncio.gather(*(scene.again(service) for service in SERVICES))


async def _to_zero(broker: Broker, marks: Marking, group: str, name: str) -> None:
    """The broker allows it once the group is empty: when the sessions of the dead have lapsed."""
    give_up = time.monotonic() + PATIENCE_S
    zero = Position(0)
    positions = {
        TopicPartition(name, number): OffsetAndMetadata(0, beside(marks, group, name, number, zero))
        for number in range(PARTITIONS)
    }
    consumer = AIOKafkaConsumer(**broker.options(), group_id=group, enable_auto_commit=False)
    await consumer.start()
    try:
        consumer.assign([*positions])
        while True:
            with suppress(KafkaError):
                await consumer.commit(positions)
                return
            assert time.monotonic() < give_up, f"{group} never became empty"
            await asyncio.sleep(0.2)
    finally:
        await consumer.stop()


@fault("a byte flipped in a copied journal")
async def byte_flipped(scene: Scene) -> None:
    """One bit of one valid commit, somewhere below the newest signed heads; `verify` reads the copy and must say so."""
    scene.now()
    copy = _COPIES.get(scene.house.topic_prefix)
    if copy is None:
        copy = _COPIES[scene.house.topic_prefix] = await _copied(scene)
        untouched = await copy.findings()
        assert not untouched, f"the copy is not clean before anything was changed: {untouched}"
    place, number = scene.dice.choice(copy.valid)
    held = copy.broker.partition(*place).slots
    before = held[number]
    assert before is not None
    assert before.value is not None
    at, bit = scene.dice.randrange(len(before.value)), 1 << scene.dice.randrange(8)
    changed = bytearray(before.value)
    changed[at] ^= bit
    held[number] = LogRecord(before.offset, before.key, bytes(changed), before.headers, before.timestamp)
    try:
        assert await copy.findings(), f"verify did not see byte {at} of {place} at {before.offset}"
    finally:
        held[number] = before


@dataclass(slots=True)
class _Copy:
    """Journals and public topics, byte for byte, in memory; checkpoints as they were signed."""

    broker: SimulatedBroker
    checkpoints: list[Checkpoint]
    public_key: str
    prefix: str
    keyring: KeyringFile
    valid: list[tuple[tuple[str, int], int]] = field(default_factory=list)
    """(topic and partition, index) of the valid commits at or below a signed head."""

    async def findings(self) -> list[dict[str, Any]]:
        house = books(self.keyring, PARTITIONS)
        log = SimulatedLog(self.broker)
        return (await verify_log(log, house, self.checkpoints, self.public_key, self.prefix)).findings


_COPIES: dict[str, _Copy] = {}


async def _copied(scene: Scene) -> _Copy:
    keys, prefix = scene.house.keys, scene.house.topic_prefix
    checkpoints = await _signed(scene)
    private = Ed25519PrivateKey.from_private_bytes(hex_key(keys["checkpoint_key"]))
    copy = _Copy(SimulatedBroker(PARTITIONS), checkpoints, public_hex(private), prefix, KeyringFile(keys["kek"]))
    log = KafkaLog(scene.stack.admin, marks_in(scene.house.marks_file("inspector")), client_id="croupier-copy")
    for kind in ("events", "journal"):  # first what is told, then what was decided: nothing is told too early
        for service in SERVICES:
            name = prefix + topic(service, kind).name
            for partition in range(PARTITIONS):
                async for record in records(log, name, partition):
                    copy.broker.land(name, partition, [(record.key, record.value, record.headers)])
    signed = {(head.topic, head.partition, head.stream): head.offset for each in checkpoints for head in each.heads}
    for service in SERVICES:
        name = prefix + topic(service, "journal").name
        for partition in range(PARTITIONS):
            fold: PartitionFold[object, object] = PartitionFold(partition, PARTITIONS, journal_name(service), None)
            for number, record in enumerate(copy.broker.records(name, partition)):
                valid = fold.fold(record).valid
                if valid and record.offset <= signed.get((name, partition, decode(record.value or b"").stream), -1):
                    copy.valid.append(((name, partition), number))
    return copy


async def _signed(scene: Scene) -> list[Checkpoint]:
    give_up = time.monotonic() + PATIENCE_S
    while True:
        found = list(Lines(scene.house.home / "checkpoints.jsonl"))
        if found and any(head.topic.endswith("table.journal.v1") for head in found[-1].heads):
            return found
        assert time.monotonic() < give_up, "the auditor signed nothing"
        await asyncio.sleep(0.2)
