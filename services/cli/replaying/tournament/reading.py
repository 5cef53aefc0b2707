"""A case that remembers what was read of it: a figure that nobody looks at is an error, by its name."""

from collections.abc import Iterator
from typing import Any

SENTENCES = frozenset(
    {
        "event", "expected", "note", "initial_seating", "balancing", "break_rule", "invariants", "cross_check",
        "operator_keeps_detail", "pool_detail", "hand_for_hand", "hand_4", "hand_14",
    }
)  # fmt: skip
"""In words: they tell the story, say again or explain what is compared."""
SETTINGS = frozenset({"setup.duration_minutes", "setup.buy_in.fee"})
"""No figure that is claimed hangs on them, where nobody reads them."""


class Read(dict[Any, Any]):
    """A map of the record. A value counts as read when it is asked for, by its key or with all others."""

    def __init__(self, content: dict[Any, Any]) -> None:
        super().__init__({name: reading(value) for name, value in content.items()})
        self.read: set[Any] = set()

    def __getitem__(self, name: Any) -> Any:
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name: Any, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)

    def __iter__(self) -> Iterator[Any]:
        """Of its own, so that whoever takes all of it asks for each value."""
        return super().__iter__()

    def items(self) -> Any:
        self.read |= set(self)
        return super().items()

    def values(self) -> Any:
        self.read |= set(self)
        return super().values()

    def __eq__(self, other: object) -> bool:
        _read_whole(self)
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None


def reading(value: Any) -> Any:
    if isinstance(value, dict):
        return Read(value)
    return [reading(each) for each in value] if isinstance(value, list) else value


def unread(value: Any, path: str = "") -> Iterator[str]:
    """Where in it nobody looked."""
    if isinstance(value, Read):
        for name in value:
            here = f"{path}.{name}" if path else str(name)
            if _in_words(name, dict.__getitem__(value, name)) or here in SETTINGS:
                continue
            if name not in value.read:
                yield here
            else:
                yield from unread(dict.__getitem__(value, name), here)
    elif isinstance(value, list):
        for number, each in enumerate(value, 1):
            yield from unread(each, f"{path}[number {number}]")


def _in_words(name: Any, value: Any) -> bool:
    """None: a comma in a sentence without quotes has made a field of its end."""
    lines = value if isinstance(value, list) else [value]
    return value is None or (name in SENTENCES and all(isinstance(line, str) for line in lines))


def _read_whole(value: Any) -> None:
    for each in value.values() if isinstance(value, Read) else value if isinstance(value, list) else ():
        _read_whole(each)
