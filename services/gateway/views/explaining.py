"""A table's rules in plain sentences, made of its configuration (pt-811-2015 enact.4, 66; mo-97-2010 4.3)."""

from typing import Any

from libs.money.words import in_words
from services.gateway.views.house_rules import HOUSE_GAMES
from services.gateway.views.regulations import NAMES, regulation_id

_STRUCTURES = {
    "pot_limit": "A bet or raise is at most the size of the pot.",
    "no_limit": "A bet or raise may be as high as your stack.",
    "limit_half_pot": "A bet or raise is at most half of the pot.",
    "limit_raise_count": "Bets and raises have a fixed size, with a limited number of raises in each round.",
    "pot_limit_with_raise_cap": "A bet or raise is at most the size of the pot, with a limited number of raises.",
}


def regulation_of(configuration: dict[str, Any]) -> str | None:
    """The regulation behind the rulebook, by its official name; None for rules without one."""
    known = regulation_id(str(configuration.get("rulebook", "")))
    return NAMES[known] if known else None


def taking_part(configuration: dict[str, Any]) -> list[str]:
    """How to take part, how players play each other, and what it costs. Empty before the table is known."""
    if not configuration:
        return []
    explain = HOUSE_GAMES.get(configuration.get("game", "poker"))
    if explain is not None:
        return explain(configuration)
    return [*_seat(configuration), *_play(configuration), *_cost(configuration)]


def _seat(rules: dict[str, Any]) -> list[str]:
    lowest, highest, ceiling = (_money(rules, name) for name in ("buy_in_min", "buy_in_max", "top_up_to"))
    return [
        f"Take one of {rules['seats']} seats with a buy-in of {lowest}"
        + (f" to {highest}." if highest != lowest else "."),
        f"Between hands you may top up your stack to {ceiling}; nothing is taken off it while you sit.",
        "Who sits down while hands are played is dealt in with the big blind, or at once by freely posting one.",
        f"You may leave at any time with your whole stack. A break keeps your seat for {_time(rules['break_ms'])}.",
    ]


def _play(rules: dict[str, Any]) -> list[str]:
    bank = rules["time_bank_ms"]
    return [
        "Players play each other; the house has no stake in any hand.",
        f"The blinds are {_money(rules, 'small_blind')} and {_money(rules, 'big_blind')}. "
        + _STRUCTURES[rules["structure"]],
        *_antes(rules),
        f"You have {_time(rules['decision_ms'])} for each decision"
        + (f" and a time bank of {_time(bank)}" if bank else "")
        + "; after that you check, or fold where a bet is owed.",
    ]


def _antes(rules: dict[str, Any]) -> list[str]:
    said = {"ante": "Everybody dealt in pays an ante of", "big_blind_ante": "The big blind pays an ante for all of"}
    said |= {"straddle": "Left of the big blind a straddle is posted of"}
    return [f"{words} {_money(rules, name)}." for name, words in said.items() if rules.get(name)]


def _cost(rules: dict[str, Any]) -> list[str]:
    rate = f"{rules['rake_bp'] // 100}.{rules['rake_bp'] % 100:02d} %"
    if rules["rake_mode"] == "buy_in":
        return [f"The commission is {rate} of each buy-in and top-up; pots are paid in full."]
    cap = rules["rake_cap_big_blinds"]
    return [
        f"The commission is {rate} of each pot"
        + (f", at most {cap} big blinds a hand" if cap else "")
        + (", and none in a hand without a flop." if rules["no_flop_no_rake"] else ".")
    ]


def _money(rules: dict[str, Any], name: str) -> str:
    return in_words(rules[name], rules["currency"])


def _time(milliseconds: int) -> str:
    seconds = milliseconds // 1000
    return f"{seconds // 60} minutes" if seconds >= 120 and seconds % 60 == 0 else f"{seconds} seconds"
