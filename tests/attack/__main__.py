"""`make attack`: attacks a running house of its own, on this machine alone, and says what came of it."""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys

from rich.console import Console

from libs.stack import down, provision, up
from libs.stack.home import jars_folder
from services.cli.house import build_house
from tests.attack.campaign import attacked
from tests.attack.others import OTHERS, tried
from tests.attack.rows import Row, page, shown
from tests.conftest import PROJECT
from tests.testkit.partitions import PARTITIONS

HOME = PROJECT / ".croupier" / "attack"
PAGE = PROJECT / "docs" / "attacks.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack")
    parser.add_argument("--share", type=float, default=1.0, help="which part of the long lists is tried (0 to 1)")
    parser.add_argument("--only", default="", help="a word of the name of an attack, such as `money`")
    parser.add_argument("--patience", type=float, default=1.0, help="seconds: the longest an answer may take")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(PROJECT)}")
    given = parser.parse_args()
    rows = asyncio.run(_campaign(given.share, given.patience, given.only))
    rows += [tried(what, files) for what, files in OTHERS.items() if not given.only]
    console = Console(width=180)
    console.print(shown(rows))
    if given.write:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=PROJECT)
        PAGE.write_text(page(rows, commit.stdout.strip()))
    broken = [row for row in rows if row.broken]
    console.print(f"{len(rows)} attacks, {sum(row.tried for row in rows):,} attempts, {len(broken)} with an effect")
    return 1 if broken else 0


async def _campaign(share: float, patience_s: float, only: str) -> list[Row]:
    """On a stack of its own, which is gone afterwards."""
    for name in ("KAFKA_BOOTSTRAP_SERVERS", "DATABASE_URL"):
        os.environ.pop(name, None)  # whatever runs there is not ours to attack
    await asyncio.to_thread(down, HOME, wipe=True)
    shutil.rmtree(HOME, ignore_errors=True)
    os.environ["CROUPIER_JARS"] = str(jars_folder())
    stack = await asyncio.to_thread(up, HOME)
    await provision(stack.admin, PARTITIONS)
    house = build_house(stack, HOME)
    rows = []
    try:
        async for row in attacked(house, share, patience_s, only):
            print(
                f"{row.attack}: {row.tried:,} tried, {row.seconds:.0f} s, effect: {row.effect}",
                file=sys.stderr,
                flush=True,
            )
            rows.append(row)
    finally:
        await house.stop()
        await asyncio.to_thread(down, HOME, wipe=True)
    return rows


if __name__ == "__main__":
    sys.exit(main())
