"""What a Kafka client is told that writes to a connection which uvloop has closed already."""

import asyncio

import pytest
import uvloop
from aiokafka import conn
from aiokafka.errors import KafkaConnectionError
from aiokafka.protocol.admin import ApiVersionRequest

from libs.edge.process import take_broken_lines_as_such


@pytest.fixture
def taken_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conn.AIOKafkaConnection, "send", conn.AIOKafkaConnection.send)  # put back afterwards
    take_broken_lines_as_such()


@pytest.mark.usefixtures("taken_as_such")
def test_a_write_to_a_closed_transport_is_a_broken_connection() -> None:
    uvloop.run(_write_to_a_closed_transport())


async def _write_to_a_closed_transport() -> None:
    async with await asyncio.start_server(lambda *_: None, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        connection = conn.AIOKafkaConnection("127.0.0.1", port)
        connection._reader, connection._writer = await asyncio.open_connection("127.0.0.1", port)
        connection._read_task = connection._create_reader_task()
        connection._writer.transport.abort()
        await asyncio.sleep(0)  # uvloop has closed it then, and aiokafka's reader is woken after us
        assert connection._writer is not None, "aiokafka has noticed already"
        with pytest.raises(KafkaConnectionError, match="the handler is closed"):
            connection.send(ApiVersionRequest())
        assert connection._writer is None, "and nobody writes there again"
