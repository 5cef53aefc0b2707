"""`croupier marks hand-out|adopt|rotate`: keys of marks, a file for each process, changed while the house plays."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from libs.contracts.topics import INSPECTOR, TOPICS
from libs.journal.kafka_log import KafkaLog
from libs.journal.mark_keys import PLAN, Plan, plan_in
from libs.journal.marks import MOST_VERSIONS, Marks
from libs.stack import StackError, default_home
from services.cli.surroundings import MARKS, behind, hand_out_all, in_one_line, surroundings

marks = typer.Typer(help="Keys with which every process marks what it writes to Kafka.", no_args_is_help=True)

Keys = Annotated[
    Path | None, typer.Option("--keys", help="Folder with the root key, mark_root.hex; default: keys in CROUPIER_HOME.")
]
Ends = Mapping[str, Sequence[int]]


@marks.command(name="hand-out")
def hand_out_(keys: Keys = None) -> None:
    """Write every process's files below `marks` and `seals`, and the root key if there is none; changes no version."""
    folder = keys_folder(keys)
    write(folder, plan_in(folder / MARKS))


@marks.command()
def adopt(keys: Keys = None) -> None:
    """Believe what a house has written before it marked anything: up to where its topics end now. Stop it first."""
    folder = keys_folder(keys)
    plan = plan_in(folder / MARKS)
    if ended(folder, plan):
        return
    if plan.unmarked:
        raise StackError("this house has adopted its old records: a second time would let in what came since")
    write(folder, replace(plan, unmarked=_ends(), said_at={**plan.said_at, 0: _now()}))


@marks.command()
def rotate(keys: Keys = None) -> None:
    """Take the next step to new keys: they are known, then written with, then the old ones count no more.

    After each step hand the files out; processes see them within a second, and need not be started anew. A step whose
    files were not all written is ended as it began, and no other one is taken.
    """
    folder = keys_folder(keys)
    plan = plan_in(folder / MARKS)
    if ended(folder, plan):
        return
    newest = max(plan.accepted)
    if plan.writes < newest:
        plan, then = replace(plan, writes=newest), f"version {newest} is written with"
    elif unretired := [version for version in plan.accepted if version < newest and version not in plan.retired]:
        gone = dict.fromkeys(unretired, _ends())
        said_at = {**plan.said_at, **dict.fromkeys(unretired, _now())}
        plan = replace(plan, retired={**plan.retired, **gone}, said_at=said_at)
        then = "older versions count for what they wrote so far"
    elif newest < MOST_VERSIONS:
        plan, then = replace(plan, accepted=(*plan.accepted, newest + 1)), f"version {newest + 1} is known"
    else:
        raise StackError("there is no version left")
    write(folder, plan)
    typer.echo(f"{then}; when every process has its file, `croupier marks rotate` takes the next step")


def ended(folder: Path, plan: Plan) -> bool:
    """Whether the step before was not ended; now it is, up to the bounds that it had.

    Processes may have its files: with other bounds, which a thief has moved on meanwhile, readers would disagree for
    ever on what lies in between (journal 22).
    """
    if not behind(folder, plan):
        return False
    write(folder, plan)
    typer.echo("the step before was not ended: done now, and no other one taken; hand the files out and run this again")
    return True


def keys_folder(keys: Path | None) -> Path:
    folder = keys or default_home() / "keys"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def write(folder: Path, plan: Plan) -> None:
    for process, file in hand_out_all(folder, plan).items():
        typer.echo(f"{process:16} {file}")
    typer.echo(f"{'':16} {folder / MARKS / PLAN}: nothing in it is secret")


def _now() -> int:
    return time.time_ns() // 1_000_000


def _ends() -> Ends:
    """Where every topic of the house ends now."""
    at = surroundings()
    prefix, log = at.topic_prefix, KafkaLog(at.stack.broker(INSPECTOR), Marks("", ()), client_id="croupier-marks")

    async def ask() -> dict[tuple[str, int], int]:
        await log.cluster.join()
        try:
            # A house that has adopted nothing yet has no first record that counts: the broker says how many there are.
            counts = {prefix + each.name: await log.cluster.partitions(prefix + each.name) for each in TOPICS}
            return await log.cluster.offsets([(name, n) for name, count in counts.items() for n in range(count)], -1)
        finally:
            log.cluster.leave()

    with in_one_line():
        ends = asyncio.run(ask())
    names = sorted({name for name, _ in ends})
    return {name: [end for (where, _), end in sorted(ends.items()) if where == name] for name in names}
