"""The long form: `python -m tests.differential --hands 20000 --seed 1`; `--only N` plays hand N of that seed again."""

import argparse
import json
import sys
import time
from collections import Counter
from random import Random
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid

from tests.differential.differences import RULES
from tests.differential.play import Outcome, Unexplained, play_hand
from tests.differential.setting import drawn_setting

_EVERY_S = 30.0
"""Between two lines of progress where there is no terminal."""


def main() -> int:
    options = _options()
    numbers = range(options.hands) if options.only is None else [options.only]
    console = Console(stderr=True)
    outcomes: list[Outcome] = []
    unexplained: list[tuple[int, str]] = []
    began = time.monotonic()
    told = began
    for number in track(numbers, "Playing side by side", console=console, disable=not console.is_terminal):
        if not console.is_terminal and time.monotonic() - told > _EVERY_S:
            told = time.monotonic()
            console.print(f"{len(outcomes)} of {len(numbers)} hands, {len(unexplained)} unexplained")
        dice = Random(f"{options.seed}/{number}")
        try:
            outcomes.append(play_hand(drawn_setting(dice.randint), dice.randint))
        except (Unexplained, ValueError, AssertionError) as difference:  # PokerKit refuses with ValueError
            unexplained.append((number, f"{type(difference).__name__}: {difference}"))
    summary = _summary(options.seed, outcomes, unexplained, time.monotonic() - began)
    if options.json:
        print(json.dumps(summary, indent=2))
    else:
        _print(summary, Console())
    return 1 if unexplained else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="one hand of the seed, by its number")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _summary(seed: int, outcomes: list[Outcome], unexplained: list[tuple[int, str]], seconds: float) -> dict[str, Any]:
    differences: Counter[str] = Counter()
    hands_with: Counter[str] = Counter()
    for outcome in outcomes:
        differences.update(outcome.differences)
        hands_with.update(set(outcome.differences))
    return {
        "seed": seed,
        "hands": len(outcomes) + len(unexplained),
        "seconds": round(seconds, 1),
        "decisions": sum(outcome.decisions for outcome in outcomes),
        "with_a_raise_on_offer": sum(outcome.raises_offered for outcome in outcomes),
        "showdowns": sum(outcome.showdown for outcome in outcomes),
        "with_side_pots": sum(outcome.pots > 1 for outcome in outcomes),
        "structures": dict(Counter(outcome.setting.structure for outcome in outcomes)),
        "differences": {name: {"times": differences[name], "hands": hands_with[name]} for name in RULES},
        "unexplained": [{"hand": number, "difference": text} for number, text in unexplained],
    }


def _print(summary: dict, console: Console) -> None:
    grid = Grid("deliberate difference", "rule", "times", "hands")
    for name, rule in RULES.items():
        count = summary["differences"][name]
        grid.add_row(name, rule, str(count["times"]), str(count["hands"]))
    console.print(grid)
    structures = ", ".join(f"{name} {count}" for name, count in sorted(summary["structures"].items()))
    console.print(f"{summary['hands']} hands ({structures}), seed {summary['seed']}, {summary['seconds']} s")
    console.print(
        f"{summary['decisions']} decisions compared, {summary['with_a_raise_on_offer']} with a raise on offer; "
        f"{summary['showdowns']} showdowns, {summary['with_side_pots']} hands with side pots"
    )
    for item in summary["unexplained"]:
        console.print(f"hand {item['hand']}: {item['difference']}", markup=False, highlight=False)
    console.print(f"{len(summary['unexplained'])} unexplained differences")


if __name__ == "__main__":
    sys.exit(main())
