"""Which parts of a service stand still. That one was at the end once says nothing of now: each tells its steps."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

PATIENCE_S = 15.0
"""So long a step may take before its part is said to stand."""


class Part:
    """A step is under way from `begin` to `end`, over whatever is tried again between; a part that has nothing to do
    before its next time stands for nothing."""

    def __init__(self, name: str, patience_s: float = PATIENCE_S) -> None:
        self.name = name
        self.held_up = ""
        """Kind of a fault that does not pass by itself, until the next step ends."""
        self._patience_s = patience_s
        self._since: float | None = None
        self._fault = ""

    def begin(self) -> None:
        if self._since is None:
            self._since = monotonic()

    def end(self) -> None:
        self._since, self._fault, self.held_up = None, "", ""

    @property
    def stands_s(self) -> float:
        """How long the step that is under way has taken; 0 between two."""
        return 0.0 if self._since is None else monotonic() - self._since

    def failed(self, wrong: Exception, *, passes: bool) -> None:
        """`passes`: by itself, so it is told only if it takes too long."""
        self._fault = type(wrong).__name__
        if not passes:
            self.held_up = self._fault

    def sound(self) -> None:
        """It has run for long since the last fault. Who tells steps has to end one: to fail again may take as long."""
        if self._since is None:
            self.held_up = ""

    @contextmanager
    def step(self) -> Iterator[None]:
        """One step; it has not ended if anything is raised."""
        self.begin()
        yield
        self.end()

    def why_held_up(self) -> str | None:
        return f"{self.name} is held up by {self.held_up}" if self.held_up else None

    def why_not(self) -> str | None:
        if (why := self.why_held_up()) is not None:
            return why
        if (stood := self.stands_s) <= self._patience_s:
            return None
        return f"{self.name} has ended no step for {stood:.0f} s" + (f" ({self._fault})" if self._fault else "")


class Parts:
    """Those of one process."""

    def __init__(self) -> None:
        self._parts: dict[str, Part] = {}

    def part(self, name: str, patience_s: float = PATIENCE_S) -> Part:
        """The one of that name; made when first asked for."""
        return self._parts.setdefault(name, Part(name, patience_s))

    def forget(self, name: str) -> None:
        """It does not run any more."""
        self._parts.pop(name, None)

    def why_held_up(self) -> str | None:
        """Each that comes to a fault which does not pass by itself; None: none does, however long it takes."""
        return ", ".join(why for _, each in sorted(self._parts.items()) if (why := each.why_held_up())) or None

    def why_not(self) -> str | None:
        """Each that stands, in a few words; None: all go on."""
        return ", ".join(why for _, each in sorted(self._parts.items()) if (why := each.why_not())) or None
