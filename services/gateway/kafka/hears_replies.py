"""Replies to commands: this gateway takes those that a request of its own waits for."""

from uuid import UUID

import msgspec

from libs.contracts.messages import Reply
from libs.telemetry import get_logger
from services.gateway.app.commands import CommandDesk
from services.gateway.kafka.reads_topic import TopicReader

_log = get_logger(__name__)


class _Addressed(msgspec.Struct):
    """As much of a reply as tells whose it is; policies' and timers' replies are not read further."""

    command_id: UUID


_ADDRESS = msgspec.json.Decoder(_Addressed)


async def hear_replies(reader: TopicReader, desk: CommandDesk) -> None:
    """Runs until cancelled."""
    async for batch in reader.batches():
        for record in batch:
            hear_reply(record.value, desk)


def hear_reply(value: bytes | None, desk: CommandDesk) -> None:
    try:
        if value is None or not desk.awaits(_ADDRESS.decode(value).command_id):
            return
        reply = Reply.decoded(value)
    except msgspec.MsgspecError:
        _log.warning("a record on the replies topic is no reply")
        return
    desk.hear(reply)
