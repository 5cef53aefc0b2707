"""`make bench-engine`: full hands a second on one core, our decide + evolve + event encoding against PokerKit.

Both sides play the same prepared hands, turn about, several rounds; the ratio of each round is what counts. Seconds are
those of the processor, so that what else runs on the machine weighs little.
"""

import argparse
import gc
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table as Grid

from libs.contracts.registry import encode_fact
from libs.decider import Rejected
from libs.sealing.merkle import deck_tree
from libs.sealing.sealed import Keyring
from services.table.domain.table.decide import decide
from services.table.domain.table.state import Table
from services.table.journal_format import TableFormat
from tests.bench.hands import BenchHand, pluribus, quietly, random_omaha

_CODEC = TableFormat(Keyring({"bench": bytes(range(32))}, "bench"))
_GOALS = {"random pot-limit Omaha": 30, "Pluribus no-limit hold'em": 4}


def default_archive() -> Path:
    """Recorded hands as they lie beside the repository."""
    return Path(os.environ.get("CROUPIER_SHARED", "../shared")) / "data" / "phh-hands.tar.xz"


def play_ours(hands: Sequence[BenchHand]) -> int:
    """As the runner does it: decide, fold each event, encode each for the journal. Events told."""
    events = 0
    for hand in hands:
        state: Table = hand.table
        for command, given in hand.steps:
            answer = decide(state, command, given)
            assert not isinstance(answer, Rejected)
            for event in answer.events:
                encode_fact(event)
            events += len(answer.events)
            if answer.secret is not None:
                _CODEC.seal("bench", state.version, answer.secret)
            state = answer.states[-1]
    return events


def play_pokerkit(hands: Sequence[BenchHand]) -> int:
    """Operations made."""
    operations = 0
    for hand in hands:
        state = hand.game(hand.stacks, len(hand.stacks))
        for call, arguments in hand.operations:
            call(state, *arguments)
        operations += len(hand.operations)
    return operations


def measure(name: str, hands: Sequence[BenchHand], rounds: int, tick: Callable[[], None]) -> dict[str, Any]:
    """Rates by the hand, each side's and their ratio, over the rounds."""
    events = play_ours(hands)
    play_pokerkit(hands[: max(1, len(hands) // 10)])
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(rounds):
        sides = ((play_ours, ours), (play_pokerkit, theirs))
        for play, rates in sides if number % 2 == 0 else sides[::-1]:
            rates.append(_rate(play, hands))
        tick()
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    return {
        "hands": name,
        "count": len(hands),
        "events_per_hand": round(events / len(hands), 1),
        "ours": _spread(ours),
        "pokerkit": _spread(theirs),
        "ratio": _spread(ratios),
        "goal": _GOALS[name],
    }


def _rate(play: Callable[[Sequence[BenchHand]], int], hands: Sequence[BenchHand]) -> float:
    deck_tree.cache_clear()  # each hand has a deck of its own
    gc.collect()
    began = time.process_time()
    play(hands)
    return len(hands) / (time.process_time() - began)


def _spread(values: Sequence[float]) -> dict[str, float]:
    low, middle, high = min(values), statistics.median(values), max(values)
    return {"min": round(low, 2), "median": round(middle, 2), "max": round(high, 2)}


def main() -> int:
    options = _options()
    quietly()
    console = Console(stderr=True)
    archive = options.archive
    with Progress(console=console, disable=not console.is_terminal) as progress:
        preparing = progress.add_task("Preparing hands", total=2)
        sets = {"random pot-limit Omaha": random_omaha(options.hands, options.seed)}
        progress.advance(preparing)
        if archive.exists():
            sets["Pluribus no-limit hold'em"] = pluribus(archive, options.hands)
        progress.advance(preparing)
        task = progress.add_task("Playing in turns", total=options.rounds * len(sets))
        results = [measure(name, hands, options.rounds, lambda: progress.advance(task)) for name, hands in sets.items()]
    report: dict[str, Any] = {
        "machine": machine(),
        "command": f"python -m tests.bench.engine {' '.join(sys.argv[1:])}".strip(),
    }
    report |= {"results": results, "left_out": [] if archive.exists() else [f"Pluribus: {archive.name} is not there"]}
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        _print(report, Console())
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.engine", description=__doc__)
    parser.add_argument("--hands", type=int, default=400, help="of each kind")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--archive", type=Path, default=default_archive())
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def machine() -> dict[str, str | int | float | None]:
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "pokerkit": version("pokerkit"),
        "msgspec": version("msgspec"),
        "phevaluator": version("phevaluator"),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _print(report: dict[str, Any], console: Console) -> None:
    grid = Grid("hands", "events a hand", "ours a second", "PokerKit a second", "ratio", "goal")
    for result in report["results"]:
        spreads = [_text(result[part]) for part in ("ours", "pokerkit", "ratio")]
        name = f"{result['count']} {result['hands']}"
        grid.add_row(name, str(result["events_per_hand"]), *spreads, f"{result['goal']} ×")
    console.print(grid)
    console.print("least / median / most of the rounds")
    console.print(", ".join(f"{name} {value}" for name, value in report["machine"].items()))
    console.print(report["command"], *report["left_out"], sep="\n")


def _text(spread: dict[str, float]) -> str:
    return f"{spread['min']:,.1f} / {spread['median']:,.1f} / {spread['max']:,.1f}"


if __name__ == "__main__":
    sys.exit(main())
