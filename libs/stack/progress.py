"""How the stack tells a caller what it is doing."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how far it is and how much there is: (`"Kafka jars"`, 12, 46). Done when equal."""


def silent(_what: str, _done: int, _total: int) -> None:
    """Nobody is watching."""
