"""`croupier up`: the stack, started and provisioned."""

import asyncio
import time

from rich.console import Console

from libs.stack import Provisioned, Stack, provision
from libs.stack import up as start
from libs.stack.health import without_password
from services.cli.progress import shown


def up() -> None:
    """Start Kafka and PostgreSQL, create the topics, print the addresses.

    The first time this fetches Kafka's jars (44 MB). Data, logs and ports stay in `.croupier` (or `CROUPIER_HOME`);
    what runs already is left running. `KAFKA_BOOTSTRAP_SERVERS` and `DATABASE_URL`, where given, are used instead;
    `CROUPIER_STACK=containers` starts both through testcontainers.
    """
    console = Console(stderr=True)
    began = time.monotonic()
    with shown(console) as progress:
        stack = start(progress=progress)
    provisioned = asyncio.run(provision(stack.bootstrap))
    _print(stack, provisioned, time.monotonic() - began)


def _print(stack: Stack, provisioned: Provisioned, seconds: float) -> None:
    print(f"Apache Kafka {stack.kafka_version}   KAFKA_BOOTSTRAP_SERVERS={stack.bootstrap}")
    print(f"PostgreSQL {stack.postgres_version}      DATABASE_URL={without_password(stack.database_url)}")
    print(f"Topics: {len(provisioned.created)} created, {len(provisioned.present)} there already")
    for name, settings in provisioned.drift.items():
        for key, (wanted, found) in settings.items():
            print(f"  differs: {name} {key} is {found!r}, the table says {wanted!r}")
    print(f"Data and logs: {stack.home}   ({seconds:.1f} s)")
    print("Stop with `croupier down` (`--wipe` removes the data), see the topics with `croupier topics`.")
