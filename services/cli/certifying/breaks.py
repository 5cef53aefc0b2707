"""Code that embodies a rule, and how it is broken on purpose: `tests/breaks/<regulation>.yaml`."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import yaml

from libs.stack_error import StackError
from services.cli.certifying.rules import Rules


class Break(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    file: str = msgspec.field(name="in")
    """Path from the root on: a module, or data such as a rulebook."""
    code: str
    """Stands in the file exactly once."""
    broken: str
    """What stands there instead."""
    survives: str = ""
    """Why no test of the entry can notice it, where none does."""

    @property
    def id(self) -> str:
        """Changes with the break."""
        return hashlib.sha256("\0".join((self.file, self.code, self.broken)).encode()).hexdigest()[:8]

    def text(self, root: Path) -> str:
        """The whole file, broken. StackError: the code has moved on, or is no Python when broken."""
        path = root / self.file
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if text.count(self.code) != 1 or self.broken == self.code:
            raise StackError(f"{self.file} has not exactly once, to be broken: {self.code}")
        broken = text.replace(self.code, self.broken)
        try:
            compile(broken if path.suffix == ".py" else "", self.file, "exec", dont_inherit=True)
        except SyntaxError as wrong:
            raise StackError(f"{self.file} is no Python with {self.broken}: {wrong}") from None
        return broken


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    none: str
    """Why no code of ours embodies the entry."""


Breaks = dict[str, list[Break] | Nothing]
"""By entry."""


def read_breaks(root: Path, rules: Rules) -> Breaks:
    """StackError for a file that is no list of breaks, or names an entry that there is not; empty without a file."""
    path = root / "tests" / "breaks" / f"{rules.regulation}.yaml"
    if not path.exists():
        return {}
    try:
        breaks = msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")) or {}, Breaks)
    except (yaml.YAMLError, msgspec.ValidationError) as wrong:
        raise StackError(f"{path.name} is no list of breaks: {wrong}") from None
    strange = [ref for ref in breaks if ref not in rules.entries or rules.entries[ref].nothing]
    if strange:
        raise StackError(f"{path.name}: {rules.regulation} has no testable entry {', '.join(strange)}")
    return breaks


def each_break(breaks: Breaks) -> Iterator[tuple[str, Break]]:
    """Entry and break."""
    for ref, listed in breaks.items():
        if not isinstance(listed, Nothing):
            yield from ((ref, it) for it in listed)
