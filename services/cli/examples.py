"""A configuration for each rulebook that opens a table: what must be said, and a little of what may be."""

from collections.abc import Mapping
from typing import Any

_EVENING: dict[str, Any] = {"decision_ms": 20_000, "approval": "OPERATOR-2026-1"}
_CASINO: dict[str, Any] = {
    "big_blind": 200, "buy_in": 20_000, "rake_mode": "pot", "rake_bp": 500, "rake_cap": 1_000, **_EVENING,
}  # fmt: skip
_COMMON: dict[str, Any] = {"seats": 6, "big_blind": 100, "buy_in_min": 4_000, "buy_in_max": 10_000}
_BACCARAT: dict[str, Any] = {
    "mode": "multi", "seats": 9, "min_bet": 100, "commission_mode": "five-percent", "betting_ms": 20_000,
    "buy_in_min": 100, "buy_in_max": 50_000, "approval": "OPERATOR-2026-1", "approved_on": "2026-01-02",
}  # fmt: skip

EXAMPLES: Mapping[str, dict[str, Any]] = {
    "pt-811-2015-omaha": {
        "mode": "continuous", "seats": 6, "structure": "pot_limit", "big_blind": 100, "buy_in_min": 4_000,
        "buy_in_max": 10_000, "top_up_to": 10_000, "rake_mode": "pot", "rake_bp": 500, **_EVENING,
    },
    "mo-97-2010-omaha": {
        "version": 1, "structure": "pot_limit_with_raise_cap", "big_blind": 1_000,
        "buy_in": 100_000, "rake_bp": 500, **_EVENING,
    },
    "pt-217-2007-omaha": {"structure": "pot_limit", **_CASINO},
    "pt-217-2007-holdem": {"structure": "no_limit", **_CASINO},
    "pt-217-2007-sintetico": {"ante": 100, "kind": "demo", **_CASINO},
    "common-omaha": {"structure": "pot_limit", **_COMMON},
    "common-holdem": {"structure": "no_limit", **_COMMON},
    "pt-803-2015-no-draw": {
        "mode": "multi", "seats": 7, "min_ante": 100, "max_ante": 2_500, "buy_in": 10_000, "top_up_to": 20_000,
        "approval": "OPERATOR-2026-1",
    },
    "pt-812-2015-baccarat": {"max_ponto_banca": 7_000, "max_tie": 1_500, "max_pair": 800, **_BACCARAT},
    "pt-812-2015-baccarat-macau": {"prize_limit": 500_000, **_BACCARAT},
}  # fmt: skip
