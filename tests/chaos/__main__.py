"""`make chaos`: every fault ROUNDS times on the real broker and database, in one house after another.

Each round goes into the file of results as soon as it is over, each house when it is left. `--continue` goes on with a
run that was stopped: it fires what is missing.
"""

import argparse
import asyncio
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

from rich.console import Console

from libs.stack import Stack, down, up
from libs.stack.home import jars_folder
from tests.chaos.drills import DRILLS
from tests.chaos.faults import FAULTS
from tests.chaos.faults.replicas import NODES
from tests.chaos.faults.storage import mount_room, unmount_room
from tests.chaos.houses import Houses
from tests.chaos.results import Book
from tests.chaos.rounds import campaign
from tests.chaos.scene import open_folder
from tests.chaos.table import rows, show

DOORS = ("table", "wallet", "gateway")


def main() -> int:
    options = _options()
    console = Console(stderr=True, width=160)
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL + 1)  # that brokers are away is what we do
    names = [name for name in (*FAULTS, *DRILLS) if any(word.strip() in name for word in options.fault.split(","))]
    for name in list(names):
        if name in FAULTS and (reason := FAULTS[name].cannot()):
            console.print(f"{name}: not fired: {reason}")
            names.remove(name)
    os.environ["CROUPIER_JARS"] = str(jars_folder())
    for given in ("KAFKA_BOOTSTRAP_SERVERS", "DATABASE_URL"):
        if os.environ.pop(given, None):
            console.print(f"{given} is left alone: it is not ours to kill")
    book = Book(options.results, _commit(), go_on=options.go_on)
    houses = Houses(names, options.rounds, book, options.minutes)
    with suppress(asyncio.CancelledError):
        asyncio.run(_all(houses, book, options, console))
    show(rows(book.lines), Console(width=180))
    missing = [name for name in names if houses.missing(name)]
    if missing:
        console.print(f"fewer than {options.rounds} rounds: {', '.join(missing)}")
    return 1 if missing or not names else 0


async def _all(houses: Houses, book: Book, options: argparse.Namespace, console: Console) -> None:
    """So many houses at once; the first of several begins with those that want more than one broker."""
    myself = asyncio.current_task()
    assert myself is not None
    for told in (signal.SIGINT, signal.SIGTERM):  # whoever stops us finds nothing left running
        asyncio.get_running_loop().add_signal_handler(told, myself.cancel)
    orders = [(1, NODES)] * options.lanes
    if options.lanes > 1:
        orders[0] = (NODES, 1)
    async with asyncio.TaskGroup() as lanes:
        for number, order in enumerate(orders):
            lanes.create_task(_lane(order, houses, book, options, console), name=f"lane {number}")


async def _lane(
    order: tuple[int, ...], houses: Houses, book: Book, options: argparse.Namespace, console: Console
) -> None:
    for nodes in order:
        house = houses.next(nodes)
        while house is not None:
            async with stack_of(nodes, options.folder) as stack:
                while house is not None:
                    sound = await _build(stack, house, houses, book, options, console)
                    house = houses.next(nodes)
                    if not sound:
                        break  # on with a stack that nothing has gone wrong on


async def _build(
    stack: Stack, house: dict[str, int], houses: Houses, book: Book, options: argparse.Namespace, console: Console
) -> bool:
    """One house from its opening to its end; False if something was found."""
    folder = open_folder(options.folder, "house-")

    def tell(line: str) -> None:
        console.print(f"{time.strftime('%H:%M:%S')} {folder.name} {line}", highlight=False, soft_wrap=True)

    tell(f"{house}")
    drill = next((DRILLS[name] for name in house if name in DRILLS), None)
    if drill is not None:
        gone = await drill.run(stack, folder, book, tell)
    else:
        faults = {FAULTS[name]: rounds for name, rounds in house.items()}
        gone = await campaign(stack, folder, faults, book, f"{options.seed}/{folder.name}", tell, houses.late)
    houses.back(house, gone)
    tell(f"left after {gone.seconds:.0f} s: {gone.checks} {gone.notes or ''} {gone.problems or ''}")
    if not gone.problems:
        shutil.rmtree(folder, ignore_errors=True)
    return not gone.problems


@asynccontextmanager
async def stack_of(nodes: int, folder: Path) -> AsyncIterator[Stack]:
    """A broker (or three) and a database that nobody else uses, since they are killed."""
    home = open_folder(folder, f"stack-{nodes}-")
    mounted = nodes == 1 and mount_room(home)
    try:
        yield await asyncio.to_thread(up, home, nodes=nodes, doors=DOORS if nodes == 1 else ())
    finally:
        await asyncio.to_thread(down, home, wipe=not mounted)
        if mounted:
            unmount_room(home)
        shutil.rmtree(home, ignore_errors=True)


def _commit() -> str:
    said = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return said.stdout.strip()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("ROUNDS") or 25))
    words = "only faults with one of these words, split by commas, in their name"
    parser.add_argument("--fault", default=os.environ.get("FAULT") or "", help=words)
    parser.add_argument("--seed", default=str(int(time.time())), help="of the choices that faults make")
    parser.add_argument("--results", type=Path, help="append one line of JSON per round and per house")
    parser.add_argument("--continue", dest="go_on", action="store_true", help="only the rounds missing in the results")
    parser.add_argument("--lanes", type=int, default=int(os.environ.get("LANES") or 1), help="houses in play at once")
    parser.add_argument("--minutes", type=float, help="no round begins after so long; what is missing is said")
    parser.add_argument("--folder", type=Path, help="for stacks and logs; a temporary one unless given")
    options = parser.parse_args()
    options.folder = options.folder or Path(mkdtemp(prefix="croupier-chaos-"))
    options.folder.mkdir(parents=True, exist_ok=True)
    options.folder.chmod(0o755)
    return options


if __name__ == "__main__":
    sys.exit(main())
