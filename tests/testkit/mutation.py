"""A bug planted in the source as it is imported: the checkout is never touched, and what is tested is the real text."""

import importlib.util
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType


class DoesNotApply(Exception):
    """The text that a mutation replaces stands nowhere, or more than once: the source has moved on."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """`old` stands exactly once in the source, or in what lies under `within` of it, and becomes `new`."""

    name: str
    old: str
    new: str
    why: str
    """The rule that is broken by it, in a few words."""
    within: str = ""
    """A folder's or file's path from the root on; empty for all packages."""


def place_of(mutation: Mutation, root: Path, packages: Sequence[str]) -> Path:
    """The one file that the mutation changes; it is found by its text, so that files may move."""
    sources = [path for path in _sources(root, packages) if mutation.within in str(path.relative_to(root))]
    found = [path for path in sources if mutation.old in _text(path)]
    if len(found) != 1 or _text(found[0]).count(mutation.old) != 1:
        raise DoesNotApply(f"{mutation.name}: its text stands in {len(found)} files, or more than once")
    return found[0]


def plant(mutation: Mutation, root: Path, packages: Sequence[str]) -> Path:
    """From here on this process imports the mutated text. Must come before the module is imported anywhere."""
    path = place_of(mutation, root, packages)
    name = ".".join(path.relative_to(root).with_suffix("").parts)
    if name in sys.modules:
        raise DoesNotApply(f"{mutation.name}: {name} is imported already")
    sys.meta_path.insert(0, _Finder(name, path.read_text().replace(mutation.old, mutation.new)))
    return path


class _Finder(MetaPathFinder):
    def __init__(self, module: str, text: str) -> None:
        self._module = module
        self._text = text

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._module:
            return None
        found = PathFinder.find_spec(fullname, path, target)
        assert found is not None
        assert found.origin is not None
        return importlib.util.spec_from_loader(fullname, _Loader(fullname, found.origin, self._text))


class _Loader(SourceFileLoader):
    """The file with another text in it; its byte code is cached nowhere."""

    def __init__(self, fullname: str, path: str, text: str) -> None:
        super().__init__(fullname, path)
        self._text = text

    def get_code(self, fullname: str) -> object:  # type: ignore[override]
        return compile(self._text, self.path, "exec")


@cache
def _text(path: Path) -> str:
    return path.read_text()


def _sources(root: Path, packages: Iterable[str]) -> list[Path]:
    return [path for package in packages for path in sorted((root / package).rglob("*.py"))]
