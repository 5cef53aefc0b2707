"""The score of a mutation run by file: `python -m tests.mutation DIRECTORY` reads what mutmut has left there."""

import json
import sys
from collections import Counter
from pathlib import Path

KILLED, SURVIVED, UNTESTED = "killed", "survived", "without tests"
_SAID = {0: SURVIVED, 5: UNTESTED, 33: UNTESTED}
"""mutmut's exit codes that leave a mutant alive; any other, a time-out among them, is its death."""


def fates(results: Path) -> dict[str, str]:
    """Mutant to what became of it; one that was not tried is not in it."""
    tried = json.loads(results.read_text(encoding="utf-8"))["exit_code_by_key"].items()
    return {mutant: _SAID.get(code, KILLED) for mutant, code in tried if code is not None}


def row(cells: list[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def score(counted: Counter[str]) -> str:
    """Per cent of the mutants that a test noticed, rounded down to a tenth."""
    return f"{1000 * counted[KILLED] // counted.total() / 10} %"


def main(directory: str) -> None:
    root = Path(directory) / "mutants"
    whole: Counter[str] = Counter()
    alive: list[tuple[str, str]] = []
    print(row(["file", "mutants", KILLED, SURVIVED, UNTESTED, "score"]))
    print("|---|---|---|---|---|---|")
    for results in sorted(root.rglob("*.meta")):
        found = fates(results)
        counted = Counter(found.values())
        if not found:
            continue
        name = f"`{results.relative_to(root).with_suffix('')}`"
        print(row([name, len(found), *(counted[fate] for fate in (KILLED, SURVIVED, UNTESTED)), score(counted)]))
        alive += [(fate, mutant) for mutant, fate in found.items() if fate != KILLED]
        whole += counted
    if not whole:
        raise SystemExit(f"no results under {root}")
    print(row(["all", whole.total(), *(whole[fate] for fate in (KILLED, SURVIVED, UNTESTED)), score(whole)]))
    for fate, mutant in alive:
        print(f"{fate}: {mutant}")


if __name__ == "__main__":
    main(sys.argv[1])
