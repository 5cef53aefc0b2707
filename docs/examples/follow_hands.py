"""A platform's service that follows hands with FastStream: each event once and in order, a gap told at once.

Run it beside a house, with the login that `croupier platform add acme` made:
`KAFKA_BOOTSTRAP_SERVERS=… KAFKA_PASSWORD_FILE=… faststream run docs/examples/follow_hands:app`.
"""

import os
import ssl
from pathlib import Path

import msgspec
from faststream import FastStream
from faststream.kafka import KafkaBroker, KafkaMessage
from faststream.security import SASLScram256

USER = "platform-acme"
_file, _ca = os.environ.get("KAFKA_PASSWORD_FILE"), os.environ.get("KAFKA_CA_FILE")
broker = KafkaBroker(
    os.environ.get("KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:9092"),
    # Without `ssl_context` there is no TLS, and nothing says so.
    security=SASLScram256(
        USER,
        Path(_file).read_text().strip() if _file else "",
        ssl_context=ssl.create_default_context(cafile=_ca) if _ca else None,
    ),
)
app = FastStream(broker)
reached: dict[str, int] = {}
"""The last version of each table. A real service stores it in the transaction of its own writing."""
rake: dict[str, int] = {}
"""By table, minor units."""


class HandEnded(msgspec.Struct):
    """What this platform wants of `croupier.table.hand_ended.v1`; fields that it does not name are passed over."""

    table: str
    hand: int
    rake: int


@broker.subscriber("croupier.table.events.v1", group_id=f"{USER}-1", auto_offset_reset="earliest")
async def follow(message: KafkaMessage) -> None:
    stream, version = message.headers["ce_subject"], int(message.headers["ce_version"])
    last = reached.get(stream, version - 1)  # after a start we go on where the group's offsets stand
    if version <= last:
        return  # published twice
    if version > last + 1:
        raise RuntimeError(f"gap in {stream}: {version} after {last}")
    reached[stream] = version
    if message.headers["ce_type"] == "croupier.table.hand_ended.v1":
        ended = msgspec.json.decode(message.body, type=HandEnded)
        rake[ended.table] = rake.get(ended.table, 0) + ended.rake
