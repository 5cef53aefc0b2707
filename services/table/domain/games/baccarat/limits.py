"""Whether a player's bets, and all bets of the table together, may be what a request would make of them.

A request adds to what the player has on a chance or takes off it; minima, maxima and rule 13 look at his total per
chance, the prize limit of the Macau variant at the table's totals (pt-812-2015 2.b, 9 to 15, 40 to 43).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from libs.contracts.baccarat_commands import BaccaratReason as Reason
from libs.contracts.baccarat_commands import Chance
from services.table.domain.games.baccarat.configuration import BaccaratConfiguration
from services.table.domain.games.baccarat.paying import PAIRS

Totals = Mapping[Chance, int]
_MAIN: tuple[Chance, ...] = ("ponto", "banca", "empate")
_ABOVE: dict[Chance, Reason] = {
    "ponto": Reason.STAKE_ABOVE_MAXIMUM,
    "banca": Reason.STAKE_ABOVE_MAXIMUM,
    "empate": Reason.TIE_ABOVE_MAXIMUM,
    "par_ponto": Reason.PAIR_ABOVE_MAXIMUM,
    "par_banca": Reason.PAIR_ABOVE_MAXIMUM,
}


@dataclass(frozen=True, slots=True)
class Broken:
    """The first rule that a request would break, and a sentence with the amount that is still possible."""

    reason: Reason
    detail: str = ""


def broken_by(rules: BaccaratConfiguration, own: Totals, table: Totals, chance: Chance, change: int) -> Broken | None:
    """`change` units more, or fewer, of one player on `chance`; `own` and `table` are the totals before it."""
    after = {**own, chance: own.get(chance, 0) + change}
    all_after = {**table, chance: table.get(chance, 0) + change}
    return next(_broken(rules, after, all_after, chance, change), None)


def _broken(rules: BaccaratConfiguration, own: Totals, table: Totals, chance: Chance, change: int) -> Iterator[Broken]:
    total = own[chance]
    if chance in PAIRS and not rules.betting.pair_bets:
        yield Broken(Reason.NO_PAIR_BETS)
    if 0 < total < rules.betting.min_bet:
        yield Broken(Reason.STAKE_BELOW_MINIMUM, f"at least {rules.betting.min_bet} on a chance")
    most = rules.most_on(chance)
    if most is not None and total > most:
        yield Broken(_ABOVE[chance], _still_possible(most - (total - change)))
    if own.get("ponto") and own.get("banca") and abs(own["ponto"] - own["banca"]) < rules.betting.min_bet:
        yield Broken(Reason.SIDES_TOO_CLOSE, f"Ponto and Banca must differ by at least {rules.betting.min_bet}")
    if rules.betting.pair_requires_main_bet and _any(own, PAIRS) and not _any(own, _MAIN):
        yield Broken(Reason.PAIR_WITHOUT_MAIN_BET)
    if rules.betting.prize_limit is not None:
        yield from _above_prize_limit(rules, rules.betting.prize_limit, table, chance, change)


def _above_prize_limit(
    rules: BaccaratConfiguration, limit: int, table: Totals, chance: Chance, change: int
) -> Iterator[Broken]:
    difference = abs(table.get("ponto", 0) - table.get("banca", 0))
    if chance in ("ponto", "banca") and difference > limit:
        yield Broken(Reason.ABOVE_PRIZE_LIMIT, _still_possible(limit - difference + abs(change)))
    if chance == "empate" and table[chance] > rules.tie_limit:
        yield Broken(Reason.TIE_ABOVE_PRIZE_LIMIT, _still_possible(rules.tie_limit - table[chance] + change))
    if chance in PAIRS and table[chance] > rules.pair_limit:
        yield Broken(Reason.PAIR_ABOVE_PRIZE_LIMIT, _still_possible(rules.pair_limit - table[chance] + change))


def _any(totals: Totals, chances: tuple[Chance, ...]) -> bool:
    return any(totals.get(chance) for chance in chances)


def _still_possible(amount: int) -> str:
    return f"{amount} still possible"
