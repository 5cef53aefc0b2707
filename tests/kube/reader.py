"""What runs in the platform's pod: reads the tables' public events in a group, and tells how far it is.

Of each stream it keeps the version that it has reached, as docs/platforms.md asks: `gaps` counts versions that came
after none before them, and stays 0. `newest` is when the broker took the newest event that was read (seconds since
1970).
"""

import asyncio
import json
import os
import ssl
import time
from pathlib import Path

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError

FILES = Path("/run/platform")
LOGIN = "platform-acme"


async def main() -> None:
    consumer = AIOKafkaConsumer(
        "croupier.table.events.v1", bootstrap_servers=os.environ["KAFKA_BOOTSTRAP_SERVERS"], group_id=f"{LOGIN}-1",
        security_protocol="SASL_SSL", ssl_context=ssl.create_default_context(cafile=FILES / "ca.pem"),
        sasl_mechanism="SCRAM-SHA-256", sasl_plain_username=LOGIN, auto_offset_reset="earliest",
        sasl_plain_password=(FILES / "password").read_text().strip(),
    )  # fmt: skip
    await consumer.start()
    reached: dict[bytes, int] = {}
    events = gaps = 0
    newest = 0.0
    while True:
        try:
            batch = await consumer.getmany(timeout_ms=1000)
        except KafkaError as wrong:
            print(json.dumps({"at": time.time(), "wrong": type(wrong).__name__}), flush=True)
            await asyncio.sleep(1)
            continue
        for record in (record for records in batch.values() for record in records):
            version = int(dict(record.headers)["ce_version"])
            before = reached.setdefault(record.key, version - 1)
            gaps += version > before + 1
            reached[record.key] = max(before, version)
            newest = max(newest, record.timestamp / 1000)
            events += 1
        print(json.dumps({"at": time.time(), "events": events, "gaps": gaps, "newest": newest}), flush=True)
        await asyncio.sleep(0.2)


if __name__ == "__main__":
    asyncio.run(main())
