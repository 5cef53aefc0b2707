"""Makes aiokafka and uvloop agree on what a write to a broken connection is."""

from typing import Any

from aiokafka import conn
from aiokafka.errors import KafkaConnectionError, KafkaError

_send = conn.AIOKafkaConnection.send


def take_broken_lines_as_such() -> None:
    """From now on, in this process, a write to a transport that is closed already is a `KafkaConnectionError`.

    aiokafka 0.14 (pinned) expects an OSError there, as asyncio has it; uvloop raises a RuntimeError (aiokafka issue
    1038), which passed every handler and ended the process when a broker stayed away.
    """
    conn.AIOKafkaConnection.send = _send_or_broken


def _send_or_broken(self: conn.AIOKafkaConnection, request: Any, expect_response: bool = True) -> Any:
    try:
        return _send(self, request, expect_response)
    except KafkaError:  # these are RuntimeErrors, too
        raise
    except RuntimeError as wrong:
        self.close(reason=conn.CloseReason.CONNECTION_BROKEN)
        raise KafkaConnectionError(f"Connection at {self.host}:{self.port} broken: {wrong}") from wrong
