"""The configuration of a tournament table: the rulebook's game, with nothing in it of money or of cash seats.

Stacks are chips (no buy-in, no top-up, no commission), whoever has one chip is dealt in, and everything about seats and
hours is the tournament's. What it does not fix is inside the rulebook's bounds as at any other table.
"""

from typing import Any

from libs.contracts.configurations import changed
from libs.contracts.poker_configuration import PokerConfiguration
from libs.money.chips import NO_CURRENCY
from libs.rulebooks.configure import Reading, judged, nothing
from libs.rulebooks.poker import PokerRulebook, read
from libs.rulebooks.rulebook import Refusal

_FIXED: dict[str, Any] = {
    "kind": "tournament", "currency": NO_CURRENCY, "buy_in_min": 0, "buy_in_max": 0, "top_up_to": 0, "reentry_ms": 0,
    "rake_mode": "pot", "rake_bp": 0, "rake_cap": None, "rake_cap_big_blinds": None, "no_flop_no_rake": False,
    "flop_round_without_bet_no_rake": False, "session_fee_base": None, "sessions": None, "rebuy": None,
    "entry_rule": "range", "entry_minimum": 0, "entry_stack": "one_chip", "min_players": 2, "open_seats": 0,
    "registered_only": False, "seats_by_draw": False, "in_sessions": False, "opens_at": None, "closes_at": None,
    "close_after_ms": None, "limits_notice_ms": 0, "authorised_min": None, "authorised_max": None, "table_max": None,
    "rest_hands": 0, "sit_out_limit": 0, "rest_repeat_limit": 0, "dealer": "virtual", "decks": "",
    "timer_action": "act",
}  # fmt: skip
"""What every tournament table has; naming any of it is refused."""


def tournament_table(
    rulebook: PokerRulebook, asked: dict[str, Any], tournament: str
) -> PokerConfiguration | list[Refusal]:
    """As `configure`; `tournament` is whose table it is."""
    configuration, refusals = judged_table(rulebook, asked)
    if refusals:
        return refusals
    configured = configuration()
    assert isinstance(configured, PokerConfiguration)
    return changed(configured, {**_FIXED, "tournament": tournament})


def judged_table(rulebook: PokerRulebook, asked: dict[str, Any]) -> Reading:
    """As `judged`: what is refused of such a table, with nothing made."""
    named = [name for name in asked if name in _FIXED or name in ("buy_in", "mode")]
    if named:
        why = "is fixed in a tournament"
        return nothing, [Refusal(name, rulebook.ref(_rule_of(rulebook, name)), why) for name in named]
    return judged(rulebook, {**asked, **_stand_ins(rulebook, asked)}, read, for_money=True)


def _rule_of(rulebook: PokerRulebook, name: str) -> str:
    field = rulebook.fields.get(name) or rulebook.fields["kind"]
    return field.rule


def _stand_ins(rulebook: PokerRulebook, asked: dict[str, Any]) -> dict[str, Any]:
    """Values that a cash table must have, so that all others are judged as there; none of them is kept."""
    big = asked.get("big_blind")
    stack = 100 * big if type(big) is int else 1
    bounds = rulebook.rake_bounds["pot"]
    values = {
        "mode": "continuous", "kind": "demo", "buy_in_min": stack, "buy_in_max": stack, "top_up_to": stack,
        "rake_mode": "pot", "rake_bp": bounds.min,
    }  # fmt: skip
    return {name: value for name, value in values.items() if name in rulebook.fields}
