"""`make chaos`: every fault ROUNDS times on the real broker and database, a new house for each kind of fault.

One line of JSON per fault goes into the file of results as soon as it is done, so that a run that was stopped counts.
"""

import argparse
import asyncio
import json
import logging
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from rich.console import Console

from libs.stack import Stack, up
from libs.stack.home import jars_folder
from tests.chaos.drills import DRILLS
from tests.chaos.faults import FAULTS, Fault, groups
from tests.chaos.faults.storage import mount_room, unmount_room
from tests.chaos.rounds import Result, campaign
from tests.chaos.scene import house_folder
from tests.chaos.table import show

DOORS = ("table", "wallet", "gateway")


def main() -> int:
    options = _options()
    console = Console(stderr=True, width=140)
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL + 1)  # that brokers are away is what we do
    words = [word.strip() for word in options.fault.split(",")]
    chosen = [each for each in FAULTS.values() if any(word in each.name for word in words)]
    os.environ["CROUPIER_JARS"] = str(jars_folder())
    done: list[Result] = []
    for nodes in sorted({each.nodes for each in chosen}):
        with stack_of(nodes, options.folder) as stack:
            for together in groups(each for each in chosen if each.nodes == nodes):
                done += _fire(stack, together, options, console)
    for name, drill in DRILLS.items():
        if any(word in name for word in words):
            with stack_of(drill.nodes, options.folder) as stack:
                done += _keep(
                    asyncio.run(drill.run(stack, house_folder(options.folder), options.rounds, console.print)), options
                )
    if options.json:
        print(json.dumps([each.line() for each in done], indent=2))
    else:
        show([each.line() for each in done], Console(width=160))
    return 0 if done and all(each.held for each in done) else 1


@contextmanager
def stack_of(nodes: int, folder: Path) -> Iterator[Stack]:
    """A broker (or three) and a database that nobody else uses, since they are killed."""
    for given in ("KAFKA_BOOTSTRAP_SERVERS", "DATABASE_URL"):
        if os.environ.pop(given, None):
            print(f"{given} is left alone: it is not ours to kill", file=sys.stderr)
    home = Path(mkdtemp(dir=folder, prefix=f"stack-{nodes}-"))
    home.chmod(0o755)  # the database's user has to get through
    mounted = nodes == 1 and mount_room(home)
    stack = up(home, nodes=nodes, doors=DOORS if nodes == 1 else ())
    try:
        yield stack
    finally:
        stack.down(wipe=not mounted)
        if mounted:
            unmount_room(home)
        shutil.rmtree(home, ignore_errors=True)


def _fire(stack: Stack, faults: Sequence[Fault], options: argparse.Namespace, console: Console) -> list[Result]:
    for fault in faults:
        if reason := fault.cannot():
            console.print(f"{fault.name}: not fired: {reason}")
            left_out = Result(fault.name, fault.counted_from, fault.why, fault.nodes, options.rounds, problems=[reason])
            return _keep([left_out], options)
    seed = f"{options.seed}/{faults[0].name}"
    folder = house_folder(options.folder)
    return _keep(asyncio.run(campaign(stack, folder, faults, options.rounds, seed, console.print)), options)


def _keep(results: Sequence[Result], options: argparse.Namespace) -> list[Result]:
    if options.results:
        with options.results.open("a") as file:
            file.writelines(json.dumps(each.line()) + "\n" for each in results)
    return list(results)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("ROUNDS") or 25))
    words = "only faults with one of these words, split by commas, in their name"
    parser.add_argument("--fault", default=os.environ.get("FAULT") or "", help=words)
    parser.add_argument("--seed", default=str(int(time.time())), help="of the choices that faults make")
    parser.add_argument("--results", type=Path, help="append one line of JSON per fault")
    parser.add_argument("--folder", type=Path, help="for stacks and logs; a temporary one unless given")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.folder = options.folder or Path(mkdtemp(prefix="croupier-chaos-"))
    options.folder.mkdir(parents=True, exist_ok=True)
    options.folder.chmod(0o755)
    return options


if __name__ == "__main__":
    sys.exit(main())
