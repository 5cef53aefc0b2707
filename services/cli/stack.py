"""`croupier up` and `croupier down`: the stack, started and provisioned, and stopped."""

import asyncio
import time
from typing import Annotated

import typer
from rich.console import Console

from libs.stack import Provisioned, Stack, create_house, default_home
from libs.stack import down as stop
from libs.stack import up as start
from libs.stack.health import without_password
from libs.stack.home import Home
from libs.stack.process import stop as stop_process
from services.cli.migrate import migrated
from services.cli.processes import stop_left_running
from services.cli.serve import SERVING
from services.cli.surroundings import CHECKPOINTS, creating, local_keys, shown


def down(
    wipe: Annotated[bool, typer.Option("--wipe", help="Remove data, logs and ports too; downloads stay.")] = False,
) -> None:
    """Stop what `croupier serve` or `demo --keep` runs, then Kafka and PostgreSQL; their data stays unless --wipe.

    What was given by `KAFKA_BOOTSTRAP_SERVERS` or `DATABASE_URL` is never touched.
    """
    stop_process(Home(default_home()).pid_file(SERVING), grace_s=60)
    services = stop_left_running(default_home() / "logs")
    if services:
        print(f"Stopped {', '.join(services)}.")
    stopped = stop(wipe=wipe)
    if wipe:
        # Signed heads of a log that is gone: what is started next is another log.
        (default_home() / CHECKPOINTS).unlink(missing_ok=True)
    if not stopped:
        print(f"Nothing to stop in {default_home()}")
        return
    print("Stopped; data removed." if wipe else "Stopped; the data stays for the next `croupier up`.")


def up(
    tls: Annotated[
        bool | None, typer.Option("--tls/--no-tls", help="Encrypt the broker's lines; default: as before.")
    ] = None,
) -> None:
    """Start Kafka and PostgreSQL, make logins, topics, rules and schemas, print the addresses.

    The first time this fetches Kafka's jars (44 MB). Data, logs and ports stay in `.croupier` (or `CROUPIER_HOME`);
    what runs already is left running. `KAFKA_BOOTSTRAP_SERVERS` and `DATABASE_URL`, where given, are used instead;
    `CROUPIER_STACK=containers` starts both through testcontainers.
    """
    console = Console(stderr=True)
    began = time.monotonic()
    with shown(console) as progress:
        stack = start(tls=tls, progress=progress)
    keys = stack.home / "keys"
    local_keys(keys)
    provisioned = asyncio.run(create_house(stack.admin, creating(keys)))
    applied = asyncio.run(migrated(stack.database_url))
    _print(stack, provisioned, applied, time.monotonic() - began)


def _print(stack: Stack, provisioned: Provisioned, applied: list[str], seconds: float) -> None:
    print(f"Apache Kafka {stack.kafka_version}   KAFKA_BOOTSTRAP_SERVERS={stack.admin.bootstrap}")
    print(f"PostgreSQL {stack.postgres_version}      DATABASE_URL={without_password(stack.database_url)}")
    print(f"Topics: {len(provisioned.created)} created, {len(provisioned.present)} there already")
    print(f"Migrations: {len(applied)} applied")
    if not provisioned.rules:
        print("This broker keeps no rules (it has no authorizer): whoever reaches it may read and write everything.")
    for name, settings in provisioned.drift.items():
        for key, (wanted, found) in settings.items():
            print(f"  differs: {name} {key} is {found!r}, the table says {wanted!r}")
    print(f"Logins: {stack.logins.folder}")
    print(f"Data and logs: {stack.home}   ({seconds:.1f} s)")
    print("Stop with `croupier down` (`--wipe` removes the data), see the topics with `croupier topics`.")
