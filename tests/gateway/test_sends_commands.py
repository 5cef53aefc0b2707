"""A gateway whose last command was not written gets well by itself: to one that is not ready nobody is sent."""

import pytest

from libs.broker import Broker
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogUnavailable
from services.gateway.kafka.sends_commands import KafkaSender
from tests.journal.house import until
from tests.testkit.marks import GATEWAY
from tests.testkit.partitions import PARTITIONS

pytestmark = pytest.mark.stack


async def test_a_sender_that_failed_is_ready_again_without_a_further_command(kafka: Broker, topics: str) -> None:
    sender = KafkaSender(KafkaLog(kafka, GATEWAY), PARTITIONS, topics)
    await sender.start()
    assert sender.why_not_ready() is None
    sender._fail(LogUnavailable("the broker is away"))
    assert sender.why_not_ready() is not None
    await until(lambda: sender.why_not_ready() is None, 20)
    await sender.stop()
