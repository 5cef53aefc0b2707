"""`croupier topics`: the one table of topics, and whether the broker has it so."""

import asyncio
import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from aiokafka.errors import KafkaError
from rich.console import Console
from rich.table import Table

from libs.broker import Broker
from libs.broker.administration import administering
from libs.broker.rules import TABLE_WRITES
from libs.contracts.topics import DAY_MS, TOPICS, Topic, topic
from libs.sealing.key_files import BadKey, secret_text
from libs.stack import StackError, broker, create_house, default_home
from libs.stack.logins import house_users
from libs.stack.provision import FORMERLY, TopicState, inspect
from services.cli.surroundings import creating, local_keys

JOURNAL = topic("table", "journal").name
"""Has as many partitions as the house has."""


def topics(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: one object per topic.")] = False,
    create: Annotated[bool, typer.Option("--create", help="Create topics and rules that are missing.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit 1 where the broker has a topic otherwise, with what to type.")
    ] = False,
    passwords: Annotated[
        Path | None, typer.Option(help="Folder with USER.kafka for each of the house's users, set by --create.")
    ] = None,
    replication: Annotated[int, typer.Option(min=1, help="Replicas of each topic that --create makes.")] = 1,
    table_megabytes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="MB a second that --create lets the table service write to each broker, and every other service half "
            f"of it; without it what is in force stays ({TABLE_WRITES // 1_000_000} in a house that has none).",
        ),
    ] = None,
) -> None:
    """Print every topic with its kind, partitions (N: as the house was created with), writers, readers and retention.

    If a broker runs (or `KAFKA_BOOTSTRAP_SERVERS` names one), also whether it has them with the right partitions and
    settings.
    """
    at = broker()
    if create:
        _create(at, replication, passwords, table_megabytes)
    prefix = _prefix()
    found = {state.name.removeprefix(prefix): state for state in asyncio.run(inspect(at, prefix))} if at else None
    rows = [_row(each, found) for each in TOPICS]
    if as_json:
        print(json.dumps(rows, indent=2))
    else:
        _print_table(rows, at.bootstrap if at else None)
        for line in cures(found.values() if found else ()):
            print(line)
    if check and (found is None or any(row["broker"] != "ok" for row in rows)):
        raise typer.Exit(1)


def cures(states: Iterable[TopicState]) -> list[str]:
    """What to type where topics are not as the table says: one line for all that `--create` mends, one for each setting
    that it leaves alone."""
    missing, older, other = False, dict[str, str](), list[str]()
    for state in states:
        missing = missing or state.partitions == 0
        for setting, (wanted, has) in sorted(state.drift.items()):
            if FORMERLY.get(setting) == has:
                older[setting] = wanted
            else:
                other.append(
                    f"kafka-configs.sh --alter --entity-type topics --entity-name {state.name} "
                    f"--add-config {setting}={wanted} ({has or 'nothing'} there; not of an older table: who set it?)"
                )
    said = ["`croupier topics --create` makes what is missing."] if missing else []
    if older:
        mended = ", ".join(f"{setting} {wanted}" for setting, wanted in older.items())
        said.append(f"Of an older table: `croupier topics --create` sets {mended}; segments go by it from the next on.")
    return said + other


def _create(at: Broker | None, replication: int, passwords: Path | None, table_megabytes: int | None) -> None:
    if at is None:
        raise StackError("no broker answers: `croupier up` starts one, or set KAFKA_BOOTSTRAP_SERVERS")
    if passwords is not None:
        asyncio.run(_set(at, passwords))
    keys = default_home() / "keys"
    if "CROUPIER_MARKS_FILE" not in os.environ:
        local_keys(keys)
    try:
        writes = None if table_megabytes is None else table_megabytes * 1_000_000
        made = asyncio.run(create_house(at, creating(keys), _prefix(), replication, table_writes=writes))
    except BadKey as wrong:
        raise StackError(str(wrong)) from None
    if not made.rules:
        print("This broker keeps no rules (it has no authorizer): whoever reaches it may read and write everything.")


async def _set(at: Broker, folder: Path) -> None:
    found = {user: folder / f"{user}.kafka" for user in house_users()}
    try:
        async with administering(at) as broker:
            passwords = {user: secret_text(file) for user, file in found.items() if file.exists()}
            await broker.set_passwords(passwords)
            await broker.passwords_hold(passwords)
    except (KafkaError, BadKey) as wrong:
        raise StackError(f"passwords can't be set: {type(wrong).__name__} {wrong}") from wrong


def _prefix() -> str:
    """Of a house that was moved."""
    return os.environ.get("CROUPIER_TOPIC_PREFIX", "")


def retention(topic: Topic) -> str:
    """In a person's words: for ever, compacted or a number of days."""
    if topic.config.get("cleanup.policy") == "compact":
        return "compacted"
    kept_ms = int(topic.config.get("retention.ms", "-1"))
    return "for ever" if kept_ms < 0 else f"{kept_ms // DAY_MS} d"


def _row(topic: Topic, found: dict[str, TopicState] | None) -> dict[str, Any]:
    of_house = found[JOURNAL].partitions if found else 0
    parts: dict[str, Any] = {"partitions": topic.partitions(of_house) or None}
    return {**asdict(topic), **parts, "retention": retention(topic), "broker": _on_broker(topic, of_house, found)}


def _on_broker(topic: Topic, of_house: int, found: dict[str, TopicState] | None) -> str | None:
    if found is None:
        return None
    state = found[topic.name]
    if state.partitions == 0:
        return "missing"
    if state.partitions != topic.partitions(of_house):
        return f"{state.partitions} partitions"
    return "differs: " + ", ".join(sorted(state.drift)) if state.drift else "ok"


def _print_table(rows: list[dict[str, Any]], bootstrap: str | None) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    # Eighty columns hold every word whole; who writes and reads wraps between words.
    for header, width in (("topic", 28), ("kind", 9), ("#", 1), ("writers", 8), ("readers", 10), ("kept", 9)):
        table.add_column(header, min_width=width, no_wrap=header not in ("writers", "readers"))
    if bootstrap:
        table.add_column("broker", min_width=7)
    for row in rows:
        cells = [
            row["name"],
            row["kind"],
            str(row["partitions"] or "N"),
            ", ".join(row["writers"]),
            ", ".join(row["readers"]),
        ]
        table.add_row(*cells, row["retention"], *([row["broker"]] if bootstrap else []))
    console = Console()
    console.print(table)
    console.print(f"Broker: {bootstrap}" if bootstrap else "No broker runs: `croupier up` starts one.", highlight=False)
