"""The rules of a table against the house, in plain sentences and as tables, made of its configuration.

pt-803-2015-no-draw 38; pt-812-2015-baccarat D.4, 32.
"""

from collections.abc import Callable
from typing import Any

from libs.contracts.any_configuration import KINDS
from libs.contracts.configurations import BankedConfiguration, places
from libs.money.words import in_words

_HANDS = {
    "royal_flush": "royal flush",
    "straight_flush": "straight flush",
    "four_of_a_kind": "four of a kind",
    "full_house": "full house",
    "flush": "flush",
    "straight": "straight",
    "three_of_a_kind": "three of a kind",
    "two_pair": "two pairs",
    "pair": "one pair",
    "high_card": "high card",
}
_COMMISSIONS = {
    "none": "No commission is taken.",
    "five-percent": "5 % is deducted from the winnings of each round won by Banca, down to the cent.",
    "half-on-5": "Half of the winnings is deducted in rounds that Banca wins with a score of 5.",
    "half-on-6": "Half of the winnings is deducted in rounds that Banca wins with a score of 6.",
}
PAYS = {"ponto": 1, "banca": 1, "empate": 8, "par_ponto": 11, "par_banca": 11}
"""To 1, the stake returned beside it (pt-812-2015-baccarat 25)."""
_NATURAL = "A score of 8 or 9 with the first two cards ends the drawing: no side gets a third card."
DRAWING: dict[str, Any] = {
    "natural": _NATURAL,
    "ponto_draws_on": [0, 1, 2, 3, 4, 5],
    "banca_draws_on_if_ponto_stands": [0, 1, 2, 3, 4, 5],
    "banca_draws_by_third_card_of_ponto": {
        "0": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        "1": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        "2": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        "3": [1, 2, 3, 4, 5, 6, 7, 9, 10],
        "4": [2, 3, 4, 5, 6, 7],
        "5": [4, 5, 6, 7],
        "6": [6, 7],
        "7": [],
    },
}
"""The drawing table (20). An ace is 1; 10, jack, queen and king are 10."""


def limits_of(rules: dict[str, Any]) -> dict[str, int | None]:
    """Least and most of each bet, minor units; empty at tables of poker, whose bets follow the hand."""
    kind = _banked(rules)
    if kind is None:
        return {}
    names = _LIMITS.get(rules["game"]) or {name: name for name, group in _groups(kind).items() if group == "betting"}
    return {limit: rules.get(name) for limit, name in names.items()}


def tables_of(rules: dict[str, Any]) -> dict[str, Any]:
    """What a player needs to look up: what is paid for what, and who draws when."""
    match rules.get("game"):
        case "no_draw_poker":
            pays = {words: rules.get(f"pays_{hand}") for hand, words in _HANDS.items()}
            return {"pay_table": pays, "ante_pays": 1, "areas": ["ante", "bet"]}
        case "baccarat":
            chances = [chance for chance in PAYS if rules.get("pair_bets") or not chance.startswith("par_")]
            return {
                "pay_table": {chance: PAYS[chance] for chance in chances},
                "drawing_table": DRAWING,
                "commission_mode": rules.get("commission_mode"),
            }
        case _:
            return {}


def banked_words(rules: dict[str, Any]) -> list[str]:
    """The game in sentences; empty for games between players."""
    kind = _banked(rules)
    if kind is None:
        return []
    explain = _WORDS.get(rules["game"])
    if explain is not None:
        return explain(rules)
    groups, said = _groups(kind), dict(rules)
    for name, value in rules.items():
        if name.endswith("_ms") and value is not None:
            said[name] = _time(value)
        elif type(value) is int and groups.get(name) in ("entry", "betting"):
            said[name] = _money(rules, name)
    return [*_seats(rules), *(sentence.format_map(said) for sentence in kind.in_words)]


def _banked(rules: dict[str, Any]) -> type[BankedConfiguration] | None:
    kind = KINDS.get(rules.get("game", ""))
    return kind if kind is not None and issubclass(kind, BankedConfiguration) else None


def _groups(kind: type[BankedConfiguration]) -> dict[str, str]:
    """Rulebook's name of each value to its group."""
    return {name: group for group, _, name in places(kind)}


def _no_draw(rules: dict[str, Any]) -> list[str]:
    pays = ", ".join(f"{words} {rules[f'pays_{hand}']}" for hand, words in _HANDS.items())
    return [
        *_seats(rules),
        f"The ante is {_money(rules, 'min_ante')} to {_money(rules, 'max_ante')}; without an ante there are no cards.",
        "You and the dealer get five cards each, and the dealer's last one lies open. Fold and lose the ante, or "
        "continue with a second bet of exactly twice the ante.",
        f"You have {_time(rules['decision_ms'])} to decide, then a warning and {_time(rules['extra_ms'])} more; who "
        "does not decide folds.",
        "The dealer plays with ace and king or better. If not, the ante wins as much again and the second bet comes "
        "back, whatever the hands.",
        "If the dealer plays, the higher hand wins: 1 to 1 on the ante, and on the second bet, to 1: " + pays + ".",
        "Equal hands are a tie: both stakes come back.",
        "The money is the house's against yours: nothing moves between players.",
    ]


def _baccarat(rules: dict[str, Any]) -> list[str]:
    limits = limits_of(rules)
    pairs = " A pair of either side's first two cards pays 11 to 1." if rules.get("pair_bets") else ""
    return [
        *_seats(rules),
        f"Bet on Ponto, Banca or a tie; the least bet is {_money(rules, 'min_bet')}.",
        *_most(rules, limits),
        _prizes(limits["prize_limit"], rules["currency"]),
        "Who bets on both Ponto and Banca must have them differ by the least bet at least.",
        f"{rules['decks']} decks. Aces count 1, tens and court cards 0, the score is the last digit of the sum; the "
        "side nearer to 9 wins.",
        "Ponto and Banca pay 1 to 1, a tie 8 to 1; on a tie bets on Ponto and Banca come back." + pairs,
        _COMMISSIONS[rules["commission_mode"]],
        _NATURAL,
        "Else Ponto draws on 0 to 5, and Banca by the drawing table.",
    ]  # fmt: skip


def _prizes(limit: int | None, currency: str) -> str:
    if limit is None:
        return "No payout is ever cut."
    return (
        f"What lies on Ponto and what lies on Banca may differ by at most {in_words(limit, currency)}, over all "
        "players; a bet that would exceed it is refused, and no payout is ever cut."
    )


def _most(rules: dict[str, Any], limits: dict[str, int | None]) -> list[str]:
    currency = rules["currency"]
    named = (("ponto_banca_max", "Ponto or Banca"), ("tie_max", "the tie"), ("pair_max", "either pair"))
    said = [f"{in_words(most, currency)} on {what}" for name, what in named if (most := limits[name]) is not None]
    return [f"The most is {', '.join(said)}."] if said else ["Bets of one player on one chance have no upper limit."]


def _seats(rules: dict[str, Any]) -> list[str]:
    lowest, highest, ceiling = (_money(rules, name) for name in ("buy_in_min", "buy_in_max", "top_up_to"))
    single = rules.get("mode") == "single"
    seats = "One seat" if single else f"{rules['seats']} seats"
    return [
        f"{seats}, with a buy-in of {lowest} to {highest}; top up to {ceiling} between rounds.",
        "You start the deal yourself." if single else f"Bets are open for {_time(rules['betting_ms'])}.",
        "Leave when you like, with your whole stack; a bet that is placed is settled in your absence.",
    ]


def _money(rules: dict[str, Any], name: str) -> str:
    return in_words(rules[name], rules["currency"])


def _time(milliseconds: int) -> str:
    return f"{milliseconds // 1000} seconds"


_LIMITS: dict[str, dict[str, str]] = {
    "no_draw_poker": {"ante_min": "min_ante", "ante_max": "max_ante"},
    "baccarat": {
        "min": "min_bet",
        "ponto_banca_max": "max_ponto_banca",
        "tie_max": "max_tie",
        "pair_max": "max_pair",
        "prize_limit": "prize_limit",
    },
}
_WORDS: dict[str, Callable[[dict[str, Any]], list[str]]] = {"no_draw_poker": _no_draw, "baccarat": _baccarat}
