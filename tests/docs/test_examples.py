"""The example of a platform's service, on FastStream's test broker and with the events that a real decision told."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from faststream.kafka import KafkaBroker, TestKafkaBroker

from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.facts import TableEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_events import HandEnded
from libs.contracts.registry import encode_fact, wire_name
from tests.table.play import TableUnderTest

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "follow_hands.py"
TOPIC = "croupier.table.events.v1"


@pytest.fixture
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("follow_hands", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told() -> tuple[list[PublicEvent], int]:
    """A table's life through one raked hand, and the rake of it."""
    table = TableUnderTest()
    table.seat(1, 2, 3)
    table.deal().checks_down()
    happened: list[TableEvent] = table.told
    events = [
        PublicEvent(
            stream=event.table, version=version, type=wire_name(type(event)), time=event.at, causation="c",
            data=encode_fact(event)[1],
        )
        for version, event in enumerate(happened, start=1)
    ]  # fmt: skip
    assert table.state.books.raked > 0
    return events, sum(event.rake for event in table.told if isinstance(event, HandEnded))


async def publish(broker: KafkaBroker, event: PublicEvent) -> None:
    key, value, headers = to_record(event)
    text = {name: held.decode() for name, held in headers}
    await broker.publish(value, TOPIC, key=key, headers=text)


async def test_each_event_is_followed_once(example: ModuleType) -> None:
    events, rake = told()
    async with TestKafkaBroker(example.broker) as broker:
        for event in events:
            await publish(broker, event)
            await publish(broker, event)
    assert example.reached == {events[0].stream: len(events)}
    assert example.rake == {events[0].stream: rake}


async def test_a_gap_is_told(example: ModuleType) -> None:
    events, _ = told()
    async with TestKafkaBroker(example.broker) as broker:
        await publish(broker, events[0])
        with pytest.raises(RuntimeError, match=r"gap in .*: 3 after 1"):
            await publish(broker, events[2])
