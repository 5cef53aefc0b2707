"""The demo's tables: six of poker in three rulebook configurations, and one of each game against the house."""

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
    bank: int = 0


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


HOUSE_BANK = 100_000_00
"""Cents in each bank: far above the worst case of a round."""
BANK_TOP_UP = 20_000_00
BETTING_MS = 1_500


def house_tables() -> list[DemoTable]:
    """No-draw poker and baccarat, one table for many each."""
    shared: dict[str, Any] = {
        "mode": "multi", "approval": "DEMO-2026-1", "betting_ms": BETTING_MS, "between_rounds_ms": 0,
        "buy_in_min": 5_000, "buy_in_max": 50_000, "top_up_to": 50_000,
    }  # fmt: skip
    no_draw = {**shared, "seats": 7, "min_ante": 100, "max_ante": 2_500, "decision_ms": 20_000, "extra_ms": 10_000}
    baccarat = {
        **shared, "approved_on": "2026-01-02", "seats": 9, "min_bet": 100, "max_ponto_banca": 7_000, "max_tie": 1_500,
        "max_pair": 800, "commission_mode": "five-percent",
    }  # fmt: skip
    return [
        DemoTable("caribe-1", "Caribe 1", "pt-803-2015-no-draw", "EUR", 50_000, no_draw, HOUSE_BANK),
        DemoTable("bacara-1", "Bacará 1", "pt-812-2015-baccarat", "EUR", 50_000, baccarat, HOUSE_BANK),
    ]
