"""The one list of faults, in the order in which they are told."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from tests.chaos.scene import PLAIN, Plan, Scene

Fire = Callable[[Scene], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Fault:
    """`fire` breaks something, mends it, and calls `scene.now()` at the moment from which the time is taken."""

    name: str
    fire: Fire
    nodes: int = 1
    """Brokers in the stack that it wants."""
    plan: Plan = PLAIN
    group: str = ""
    """Faults of one group share a house, built as all of them want it; one without a group has its own."""
    counted_from: str = "fault"
    """`fault`, or `mended` where nothing can be accepted before."""
    cannot: Callable[[], str | None] = lambda: None
    """Why it can't be fired on this machine, in one sentence."""
    why: str = ""
    """What it does, in one sentence."""


FAULTS: dict[str, Fault] = {}


def fault(name: str, **how: object) -> Callable[[Fire], Fire]:
    """Puts a function into the registry; its docstring says what it does."""

    def keep(fire: Fire) -> Fire:
        add(name, fire, **how)
        return fire

    return keep


def groups(faults: Iterable[Fault]) -> list[list[Fault]]:
    """Those that may be fired in one house, together; in the order of the registry."""
    found: dict[tuple[str, int], list[Fault]] = {}
    for each in faults:
        found.setdefault((each.group or each.name, each.nodes), []).append(each)
    return list(found.values())


def add(name: str, fire: Fire, **how: object) -> None:
    assert name not in FAULTS
    why = " ".join((fire.__doc__ or "").split())
    FAULTS[name] = Fault(name, fire, **{"why": why, **how})  # type: ignore[arg-type]
