"""Who floods a table past the gateway leaves room to everybody else, whoever decides and after whatever restore."""

from collections import defaultdict
from collections.abc import Callable

from libs.journal.commit import time_in
from tests.simulation.truth import Entry, Truth

_ROOM = {"guest": 62, "party": 84, "staff": 92, "policy": 97, "house": 100}
_SHARED = {"guest": 30, "party": 40, "staff": 92, "policy": 170, "house": 170}
"""Percent of what a table remembers; the second bounds what each may have beyond 2 percent."""


def quotas_are_kept(truth: Truth, horizon_ms: int, cap: int) -> Callable[[Entry], None]:
    """Counted from the log alone: nobody had more remembered than they may when one more was decided (journal 13)."""
    remembered: dict[str, list[tuple[int, str]]] = defaultdict(list)

    def watch(entry: Entry) -> None:
        if entry.service != "table":
            return
        commit = entry.commit
        kept = [each for each in remembered[commit.stream] if commit.command_time <= each[0] + horizon_ms]
        standing, own = _standing(entry), sum(name == commit.principal for _, name in kept)
        free = 100 * (len(kept) + 1) <= _ROOM[standing] * cap
        fair = 100 * own < 2 * cap or 100 * (own + len(kept)) < _SHARED[standing] * cap
        where = f"{commit.stream}/{commit.base}: {own} of {len(kept)} are of {commit.principal}, {standing}"
        truth.violations.ensure(free and fair, "quotas_are_kept", where)
        remembered[commit.stream] = [*kept, (time_in(commit.command_id), commit.principal)]

    return watch


def _standing(entry: Entry) -> str:
    kind, name = entry.commit.principal.split(":", 1)
    if kind == "player":
        there = {each.player for each in (*entry.before.seats.values(), *entry.before.reserved.values())}
        return "party" if name in there else "guest"
    return "staff" if kind in ("staff", "operator") else "policy" if kind == "policy" else "house"
