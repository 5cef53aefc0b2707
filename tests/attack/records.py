"""Hostile words straight on the commands topics, with the gateway's login and marks: somebody took a gateway over."""

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from uuid6 import uuid7

from libs.contracts.commands import Command
from libs.contracts.registry import ALL_TABLE_COMMANDS, ALL_WALLET_COMMANDS
from libs.contracts.topics import INSPECTOR, REPLIES, topic
from libs.contracts.wallet_commands import OpenAccount, account_id
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import OutRecord
from libs.journal.mark_keys import marks_in
from services.cli.house import House
from tests.attack.rows import Row
from tests.attack.scene import ATTACKER, CLOSED, SCRAP, Scene
from tests.attack.words import encoded, texts
from tests.contracts.hostile import DEEP, spoilt
from tests.e2e.evening import all_records
from tests.testkit.partitions import PARTITIONS, partition_of

PATIENCE_S = 60.0
"""For the last of thousands of records to be answered or parked."""
PAGE_BYTES = 60_000
_MARK = "hostile-bytes-here"
ACCOUNT = account_id(ATTACKER, "EUR")
_PEOPLE = {"player", "staff", "operator"}


@dataclass(frozen=True, slots=True)
class Sent:
    service: Literal["table", "wallet"]
    stream: str
    value: bytes
    what: str
    harmless: bool
    headers: tuple[tuple[str, bytes], ...] = ()


async def on_the_topics(scene: Scene) -> Row:
    row = Row(
        "hostile words as records on the commands topics, with the gateway's login and marks",
        found_by="parked with the reason, by the service that reads it",
    )
    sent = [each for number, each in enumerate(_records()) if scene.chosen(number)]
    began = time.monotonic()
    await send(scene.house, sent)
    parked, answered = await _fates(scene.house, sent)
    row.slowest_s = time.monotonic() - began
    for each in sent:
        reason = parked.get(each.value)
        said = f"parked: {reason}" if reason else answered.get(_id_of(each.value), "nothing")
        row.tried += 1
        row.said[said] += 1
        if said == "nothing":
            row.wrong(f"{each.what}: neither answered nor parked")
        elif reason is None and not each.harmless:
            row.wrong(f"{each.what}: {said}")
    return row


async def send(house: House, records: list[Sent]) -> None:
    """As the gateway's own process would write them."""
    log = KafkaLog(house.stack.broker("gateway"), marks_in(house.marks_file("gateway")), client_id="attack")
    names = {service: house.topic_prefix + topic(service, "commands").name for service in ("table", "wallet")}
    publisher = await log.publisher(*names.values())
    try:
        for some in _pages(records):
            await publisher.put(
                [
                    OutRecord(
                        names[each.service], each.stream.encode(), each.value, each.headers, partition_of(each.stream)
                    )
                    for each in some
                ]
            )
    finally:
        await publisher.abandon()


def _pages(records: list[Sent]) -> Iterator[list[Sent]]:
    """What the commands topics take at once."""
    page: list[Sent] = []
    for each in records:
        if page and sum(len(one.value) for one in page) + len(each.value) > PAGE_BYTES:
            yield page
            page = []
        page.append(each)
    yield page


async def _fates(house: House, sent: list[Sent]) -> tuple[dict[bytes, str], dict[str, str]]:
    """Parked values with their reasons, and answers by command id, once there is one for each or time is up."""
    give_up = time.monotonic() + PATIENCE_S
    while True:
        parked, answered = await _parked(house), await _answers(house)
        open_ = [each for each in sent if each.value not in parked and _id_of(each.value) not in answered]
        if not open_ or time.monotonic() > give_up:
            return parked, answered
        await asyncio.sleep(0.5)


async def _parked(house: House) -> dict[bytes, str]:
    found: dict[bytes, str] = {}
    for service in ("table", "wallet"):
        each = topic(service, "parked")
        records = await all_records(
            house.stack.broker(INSPECTOR), house.topic_prefix + each.name, each.partitions(PARTITIONS)
        )
        found |= {record.value or b"": dict(record.headers)["parked-reason"].decode() for record in records}
    return found


async def _answers(house: House) -> dict[str, str]:
    records = await all_records(
        house.stack.broker(INSPECTOR), house.topic_prefix + REPLIES.name, REPLIES.partitions(PARTITIONS)
    )
    replies = [json.loads(record.value or b"{}") for record in records]
    return {each["command_id"]: each.get("reason") or each["verdict"] for each in replies}


def _id_of(value: bytes) -> str:
    try:
        return str(json.loads(value).get("id"))
    except (ValueError, AttributeError, RecursionError):  # nested without end has no id that could be read
        return ""


def _records() -> Iterator[Sent]:
    for text, harmless in texts():
        marked = _MARK if isinstance(text, bytes) else text
        for kind in ALL_TABLE_COMMANDS:
            stream = CLOSED if kind.__name__ in ("CloseTable", "PauseTable") else SCRAP
            yield from _of("table", kind, stream, text, marked, harmless)
        for asked in ALL_WALLET_COMMANDS:
            yield from _of("wallet", asked, ACCOUNT, text, marked, harmless)
        yield from _envelopes(text, marked, harmless)
    for deep in DEEP:
        for what in ("body", "principal"):
            envelope = {**_envelope(OpenAccount, ACCOUNT, {}), what: {"name": _MARK}}
            yield Sent("wallet", ACCOUNT, encoded(envelope, b"@").replace(b'"@"', deep), "nested too deep", False)


def _of(
    service: Literal["table", "wallet"],
    kind: type[Command],
    stream: str,
    text: str | bytes,
    marked: str,
    harmless: bool,
) -> Iterator[Sent]:
    """What the house's own processes ask is only spoilt, never asked: it would count, and be found by the audit."""
    if harmless and not _PEOPLE.intersection(kind.may_ask):
        return
    for field, body in spoilt(kind, marked):
        value = encoded(_envelope(kind, stream, body), text)
        yield Sent(service, stream, value, f"{kind.__name__} {field}", harmless)


def _envelope(kind: type[Command], stream: str, body: Any) -> dict[str, Any]:
    return {
        "id": str(uuid7()),
        "stream": stream,
        "type": kind.__name__,
        "principal": {"kind": kind.may_ask[0], "id": ATTACKER},
        "correlation": "",
        "body": body,
    }


def _envelopes(text: str | bytes, marked: str, harmless: bool) -> Iterator[Sent]:
    kind = next(each for each in ALL_TABLE_COMMANDS if each.__name__ == "SitIn")
    plain = _envelope(kind, SCRAP, dict(kind.example))
    for field in ("id", "stream", "type", "correlation"):
        yield Sent("table", SCRAP, encoded({**plain, "id": str(uuid7()), field: marked}, text), field, harmless)
    for field in ("kind", "id"):
        principal = {**plain["principal"], field: marked}
        value = encoded({**plain, "id": str(uuid7()), "principal": principal}, text)
        yield Sent("table", SCRAP, value, f"principal {field}", harmless)
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    for header in ("traceparent", "content-type", "ce_id"):
        value = encoded({**plain, "id": str(uuid7())}, text)
        yield Sent("table", SCRAP, value, f"header {header}", True, ((header, raw),))
