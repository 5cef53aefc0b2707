"""What the house ought to win of each bet, in theory: data beside this file, chosen by a table's configuration."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from libs.contracts.any_configuration import KINDS
from libs.contracts.configurations import BankedConfiguration

_FILE = Path(__file__).with_suffix(".yaml")


def edges_of(configuration: Mapping[str, Any]) -> dict[str, int]:
    """Area to parts per million of the stake; empty for a game that the house has no stake in."""
    for entry in _table().get(configuration.get("game", ""), ()):
        if all(configuration.get(name) == value for name, value in entry["when"].items()):
            return dict(entry["areas"])
    kind = KINDS.get(configuration.get("game", ""))
    return dict(kind.edges) if kind is not None and issubclass(kind, BankedConfiguration) else {}


def basis_points(part: int, whole: int) -> int | None:
    """`part` of `whole`, rounded towards zero; None of nothing."""
    if whole == 0:
        return None
    share = abs(part) * 10_000 // whole
    return share if part >= 0 else -share


@cache
def _table() -> dict[str, list[dict[str, Any]]]:
    loaded: dict[str, list[dict[str, Any]]] = yaml.load(_FILE.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return loaded
