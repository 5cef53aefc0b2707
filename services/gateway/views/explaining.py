"""A table's rules in plain sentences, made of its configuration (pt-811-2015 enact.4, 66; mo-97-2010 4.3)."""

from typing import Any

from libs.money.words import in_words
from services.gateway.views.banked_rules import banked_words

_DEMO = "This is a demo. It is played for play money, which is worth nothing and can't be turned into anything."
_TOURNAMENT = (
    "This is a table of a tournament. Stacks are chips, which are no money; nothing is paid for a hand.",
    "The tournament seats its entrants and moves them. Chips stay at its tables until you are eliminated or it ends; "
    "none can be added, taken off or given away.",
    "Who is away is dealt in and posts what falls on the seat; the house checks, or folds where a bet is owed.",
)
_STRUCTURES = {
    "pot_limit": "A bet or raise is at most the size of the pot.",
    "no_limit": "A bet or raise may be as high as your stack.",
    "limit_half_pot": "A bet or raise is at most half of the pot.",
    "limit_raise_count": "Bets and raises have a fixed size, with a limited number of raises in each round.",
    "pot_limit_with_raise_cap": "A bet or raise is at most the size of the pot, with a limited number of raises.",
}


_LATE = {
    "act": "fold",
    "none": "fold",
    "all_in": "stay in for what you have put in, as if all-in,",
}


_ENTERING = {
    "with_big_blind": "Who sits down while hands are played, or was away, is dealt in with the big blind, or at once "
    "by freely posting one; if a blind went past meanwhile, a small one that counts for nothing else goes with it.",
    "missed_blinds": "Who sits down while hands are played is dealt in at once, save on the lead seat; blinds missed "
    "while away are paid on return and count for nothing else.",
    "live": "Who sits down while hands are played is dealt in at once for a big blind; blinds missed while away "
    "are paid on return, a big one as a bet and a small one beside it.",
}

_ELSEWHERE = {
    "button": "Who changes seat, or leaves and comes back, to a place past a blind waits there for the big blind.",
    "lead": "Who changes seat, or leaves and comes back, pays the blinds that went past as missed ones.",
}

_EXEMPT = {"no_flop_no_rake": "before the flop", "flop_round_without_bet_no_rake": "on the flop without a bet"}
"""pt-811-2015 18."""


def taking_part(configuration: dict[str, Any]) -> list[str]:
    """How to take part, how players play each other, and what it costs. Empty before the table is known."""
    if not configuration:
        return []
    demo = [_DEMO] if configuration["kind"] == "demo" else []
    against_the_house = banked_words(configuration)
    if against_the_house:
        return [*demo, *against_the_house]
    if configuration.get("tournament"):
        return [*_TOURNAMENT, *_play(configuration)]
    return [*demo, *_seat(configuration), *_play(configuration), *_cost(configuration)]


def _seat(rules: dict[str, Any]) -> list[str]:
    lowest, highest, ceiling = (_money(rules, name) for name in ("buy_in_min", "buy_in_max", "top_up_to"))
    return [
        f"Take one of {rules.get('open_seats') or rules['seats']} seats with a buy-in of {lowest}"
        + (f" to {highest}." if highest != lowest else "."),
        f"Between hands you may top up your stack to {ceiling}; nothing is taken off it while you sit."
        + ("" if rules.get("rebuy") else " A top-up is a big blind at least, or all that is left to that."),
        _ENTERING[_entering(rules)],
        _ELSEWHERE["lead" if rules.get("positions") == "lead" else "button"],
        f"You may leave at any time with your whole stack. A break keeps your seat for {_time(rules['break_ms'])}.",
        *_floor(rules),
    ]


def _entering(rules: dict[str, Any]) -> str:
    entering = rules.get("entering", "with_big_blind")
    return "live" if entering == "missed_blinds" and rules.get("missed_big_blind") == "live" else entering


def _floor(rules: dict[str, Any]) -> list[str]:
    """Lists, sessions, rests and who deals, where the table has them."""
    said = []
    if rules.get("registered_only"):
        said.append("Only who has registered on the list may play; free seats are offered in its order.")
    if rules.get("entry_rule", "range") != "range":
        said.append("Who joins while the game runs brings the average of the stacks, or the house's minimum if higher.")
    if rules.get("sit_out_limit"):
        hands, limit = rules["rest_hands"], rules["sit_out_limit"]
        said.append(f"You may rest for {hands} hands and keep your seat; after {limit} it is free.")
    if rules.get("mixed"):
        said.append(f"The lead player chooses the variant before each hand: {rules['variant']} is showing.")
    if rules.get("dealer") == "live":
        said.append("A dealer deals by hand and the cards are scanned; errors go by the rules and are on record.")
    return said


def _play(rules: dict[str, Any]) -> list[str]:
    bank = rules["time_bank_ms"]
    return [
        "Players play each other; the house has no stake in any hand.",
        *_forced(rules),
        _STRUCTURES[rules["structure"]],
        *_raises(rules),
        f"You have {_time(rules['decision_ms'])} for each decision"
        + (f" and a time bank of {_time(bank)}" if bank else "")
        + f"; after that {_late(rules)}.",
    ]


def _late(rules: dict[str, Any]) -> str:
    if _timer(rules) == "none" and rules.get("dealer") == "live":
        return "you are warned, and a supervisor may check for you, or fold where a bet is owed"
    return f"you check, or {_LATE[_timer(rules)]} where a bet is owed{_times(rules)}"


def _timer(rules: dict[str, Any]) -> str:
    return str(rules.get("timer_action", "act"))


def _times(rules: dict[str, Any]) -> str:
    most = rules.get("protections")
    return f" ({most} times in a sitting, then you fold)" if _timer(rules) == "all_in" and most is not None else ""


def _forced(rules: dict[str, Any]) -> list[str]:
    """Blinds and antes; the table minimum is said where it is a rule of its own (pt-217-2007 20)."""
    blinds = f"The blinds are {_money(rules, 'small_blind')} and {_money(rules, 'big_blind')}."
    if rules.get("single_blind"):
        blinds = f"There is one blind of {_money(rules, 'big_blind')}, left of the button."
    lead = (
        f"The table minimum is {_money(rules, 'big_blind')}: no bet and no raise is lower.",
        "The marker is on the lead seat, which posts the small blind, is dealt first and opens the later rounds.",
    )
    return [
        *([blinds] if rules.get("blinds", True) else []),
        *(lead if rules.get("positions") == "lead" else ()),
        *_antes(rules),
    ]


def _raises(rules: dict[str, Any]) -> list[str]:
    cap = rules["raise_cap"]
    if cap is None:
        return []
    if rules["raise_cap_judged"] == "each_decision":
        return [f"At most {cap} raises in a round, without limit while two players are left."]
    lifted = " without limit if two players are left before that" if rules["raise_cap_lifted_heads_up"] else ""
    return [f"At most {cap} raises in a round{',' + lifted if lifted else ''}."]


def _antes(rules: dict[str, Any]) -> list[str]:
    said = {"ante": "Everybody dealt in pays an ante of", "big_blind_ante": "The big blind pays an ante for all of"}
    said |= {"straddle": "Left of the big blind a straddle is posted of"}
    return [f"{words} {_money(rules, name)}." for name, words in said.items() if rules.get(name)]


def _cost(rules: dict[str, Any]) -> list[str]:
    rate = f"{rules['rake_bp'] // 100}.{rules['rake_bp'] % 100:02d} %"
    if rules["rake_mode"] == "buy_in":
        return [f"The commission is {rate} of each buy-in and top-up; pots are paid in full."]
    if rules["rake_mode"] == "session":
        base = "the table's maximum" if rules.get("session_fee_base") == "table_max" else "the initial stack"
        length = _time(rules["session_ms"])
        return [f"Each session of {length} costs {rate} of {base}, from your account; pots are paid in full."]
    cap = rules["rake_cap_big_blinds"]
    most = f", at most {cap} big blinds a hand" if cap else ""
    if rules.get("rake_cap") is not None:
        most = f", at most {_money(rules, 'rake_cap')} a hand"
    of = "each payment out of a pot" if rules.get("rake_order") == "divide_then_rake" else "each pot"
    exempt = [words for name, words in _EXEMPT.items() if rules.get(name)]
    unless = f", and none in a hand that ends {' or '.join(exempt)}" if exempt else ""
    return [f"The commission is {rate} of {of}{most}{unless}."]


def _money(rules: dict[str, Any], name: str) -> str:
    return in_words(rules[name], rules["currency"])


def _time(milliseconds: int) -> str:
    seconds = milliseconds // 1000
    return f"{seconds // 60} minutes" if seconds >= 120 and seconds % 60 == 0 else f"{seconds} seconds"
