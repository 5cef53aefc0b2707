"""What broke, by the name of the check that saw it. The first one ends the run."""

from dataclasses import dataclass


class Broken(AssertionError):
    """A promise of the house is broken."""

    def __init__(self, check: str, what: str) -> None:
        super().__init__(f"{check}: {what}")
        self.check = check


@dataclass(slots=True)
class Violations:
    """Seen while records land, where nothing may be raised: that would only break the process that wrote."""

    first: Broken | None = None

    def note(self, check: str, what: str) -> None:
        if self.first is None:
            self.first = Broken(check, what)

    def ensure(self, holds: bool, check: str, what: str) -> None:
        if not holds:
            self.note(check, what)

    def raise_first(self) -> None:
        if self.first is not None:
            raise self.first


def ensure(holds: bool, check: str, what: str) -> None:
    if not holds:
        raise Broken(check, what)
