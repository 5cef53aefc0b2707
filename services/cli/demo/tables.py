"""The demo's tables, from `tables.yaml`: six of poker and one of each game against the house."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import normalize

import yaml

SEATS = 6
"""Of each poker table."""
BANK_TOP_UP = 20_000_00
"""Cents that are put into each bank beside what it opens with."""


@dataclass(frozen=True, slots=True)
class DemoTable:
    """A table to open. Amounts in minor units of `currency`."""

    table: str
    name: str
    rulebook: str
    currency: str
    buy_in: int
    configuration: dict[str, Any]
    bank: int = 0


def demo_tables() -> list[DemoTable]:
    """Two tables of each kind of poker, `lisboa-1` to `macau-2`."""
    return _tables("poker", (1, 2))


def banked_tables() -> list[DemoTable]:
    """No-draw poker and baccarat, one table for many each."""
    return _tables("house", (1,))


def _tables(kind: str, numbers: tuple[int, ...]) -> list[DemoTable]:
    written = yaml.safe_load(Path(__file__).with_name("tables.yaml").read_text(encoding="utf-8"))[kind]
    named = [({**each, "name": f"{each['name']} {number}"}) for each in written for number in numbers]
    return [DemoTable(table=_id(each["name"]), **each) for each in named]


def _id(name: str) -> str:
    """`bacara-1` for `Bacará 1`."""
    return normalize("NFD", name).encode("ascii", "ignore").decode().lower().replace(" ", "-")
