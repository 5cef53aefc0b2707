"""The demo's six tables: three rulebook configurations, two tables of each."""

from dataclasses import dataclass
from typing import Any

SEATS = 6
_PACE: dict[str, Any] = {
    "approval": "DEMO-2026-1",
    "decision_ms": 20_000,
    "time_bank_ms": 10_000,
    "between_hands_ms": 0,
    "waiting_ms": 5_000,
}
_PORTUGAL: dict[str, Any] = {"mode": "continuous", "seats": SEATS, **_PACE}


@dataclass(frozen=True, slots=True)
class DemoTable:
    """A table to open. Amounts in minor units of `currency`."""

    table: str
    name: str
    rulebook: str
    currency: str
    buy_in: int
    configuration: dict[str, Any]


def demo_tables() -> list[DemoTable]:
    """Two tables of each kind, `lisboa-1` to `macau-2`."""
    pot_limit = {
        **_PORTUGAL,
        "structure": "pot_limit",
        "big_blind": 100,
        "buy_in_min": 4_000,
        "buy_in_max": 10_000,
        "top_up_to": 10_000,
        "rake_mode": "pot",
        "rake_bp": 500,
    }
    no_limit = {
        **_PORTUGAL,
        "structure": "no_limit",
        "big_blind": 200,
        "buy_in_min": 8_000,
        "buy_in_max": 20_000,
        "top_up_to": 20_000,
        "rake_mode": "buy_in",
        "rake_bp": 1_000,
    }
    macau = {
        **_PACE,
        "version": 1,
        "seats": SEATS,
        "structure": "pot_limit_with_raise_cap",
        "big_blind": 1_000,
        "buy_in_min": 40_000,
        "buy_in_max": 100_000,
        "rake_bp": 500,
    }
    kinds = (
        ("Lisboa", "pt-811-2015-omaha", "EUR", 10_000, pot_limit),
        ("Porto", "pt-811-2015-omaha", "EUR", 20_000, no_limit),
        ("Macau", "mo-97-2010-omaha", "MOP", 100_000, macau),
    )
    return [
        DemoTable(f"{name.lower()}-{number}", f"{name} {number}", rulebook, currency, buy_in, configuration)
        for name, rulebook, currency, buy_in, configuration in kinds
        for number in (1, 2)
    ]
