"""Connections that end while something waits on them."""

import asyncio
from typing import Any

import pytest
from aiokafka.client import AIOKafkaClient
from aiokafka.errors import KafkaConnectionError

from libs.broker import Broker
from libs.journal.kafka_cluster import Cluster

LANE = "follow-0"


class Silent(AIOKafkaClient):  # type: ignore[misc]  # untyped
    """aiokafka's client on a connection whose answers are late; `then` happens just as the time is up."""

    def __init__(self, then: Any) -> None:
        self._conns: dict[Any, Any] = {(1, LANE): Connection(self)}
        self._then = then

    def __del__(self, *_: Any) -> None:
        """Nothing was opened."""

    async def ready(self, node_id: int, *, group: Any = None) -> bool:
        return True

    def send_late(self) -> Any:
        async def late() -> None:
            self._then()
            raise TimeoutError

        return asyncio.ensure_future(late())


class Connection:
    def __init__(self, client: Silent) -> None:
        self._client = client

    def send(self, _: Any, expect_response: bool) -> Any:
        return self._client.send_late()

    def close(self, reason: Any = None) -> None:
        pass


async def test_one_that_is_cut_as_its_time_runs_out_is_a_broken_connection_and_no_fault() -> None:
    """A gateway ended by aiokafka's KeyError, on a machine so busy that the broker answered after its time."""
    cluster = Cluster(Broker("127.0.0.1:1"), "test", 100)
    client = Silent(lambda: cluster.cut(1, LANE))
    cluster._client = client
    with pytest.raises(KafkaConnectionError, match="was cut"):
        await cluster.call(1, LANE, object())  # type: ignore[arg-type]


async def test_another_fault_is_told_as_it_is() -> None:
    cluster = Cluster(Broker("127.0.0.1:1"), "test", 100)

    def wrong() -> None:
        raise KeyError("something else")

    client = Silent(wrong)
    cluster._client = client
    with pytest.raises(KeyError, match="something else"):
        await cluster.call(1, LANE, object())  # type: ignore[arg-type]
