"""What each bet brings back, to the cent (pt-812-2015 22 to 26)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from libs.contracts.baccarat_commands import Chance
from libs.money.rates import part_of
from services.table.domain.games.baccarat.dealing import Dealt

CommissionMode = Literal["none", "five-percent", "half-on-5", "half-on-6"]
CHANCES: tuple[Chance, ...] = ("ponto", "banca", "empate", "par_ponto", "par_banca")
"""In the order in which bets are listed and settled."""
PAIRS: tuple[Chance, ...] = ("par_ponto", "par_banca")
PAYS: dict[Chance, int] = {"ponto": 1, "banca": 1, "empate": 8, "par_ponto": 11, "par_banca": 11}
"""To 1, the stake remaining the player's beside it (24, 25)."""
_FIVE_PERCENT_BP, _HALF_BP = 500, 5_000
_HALF_ON: dict[CommissionMode, int] = {"half-on-5": 5, "half-on-6": 6}


@dataclass(frozen=True, slots=True)
class Paid:
    """One bet settled: `credited` has the stake in it when it comes back, and `commission` is off already."""

    chance: Chance
    staked: int
    credited: int
    commission: int


def pay(stakes: Mapping[Chance, int], dealt: Dealt, mode: CommissionMode) -> list[Paid]:
    """All bets of one player, each the total on its chance; a tie or a pair does not depend on the others."""
    return [_paid(chance, stakes[chance], dealt, mode) for chance in CHANCES if stakes.get(chance)]


def _paid(chance: Chance, stake: int, dealt: Dealt, mode: CommissionMode) -> Paid:
    if _wins(chance, dealt):
        winnings = stake * PAYS[chance]
        commission = commission_on(winnings, dealt.banca.score, mode) if chance == "banca" else 0
        return Paid(chance, stake, stake + winnings - commission, commission)
    returned = dealt.winner == "empate" and chance in ("ponto", "banca")  # 23
    return Paid(chance, stake, stake if returned else 0, 0)


def _wins(chance: Chance, dealt: Dealt) -> bool:
    if chance == "par_ponto":
        return dealt.ponto.is_pair
    if chance == "par_banca":
        return dealt.banca.is_pair
    return chance == dealt.winner


def exposure_of(totals: Mapping[Chance, int]) -> int:
    """The most that the bank can lose on these bets of a whole table, commission left aside; 0: it can only win."""

    def on(chance: Chance) -> int:
        return totals.get(chance, 0)

    ponto, banca, tie = on("ponto"), on("banca"), on("empate")
    dearest = max(ponto - banca - tie, banca - ponto - tie, tie * PAYS["empate"])
    return max(0, dearest + sum(on(pair) * PAYS[pair] for pair in PAIRS))


def commission_on(winnings: int, banca_score: int, mode: CommissionMode) -> int:
    """Off a player's winnings of Banca bets in a round that Banca won, down to the unit (readings of 26.a, 26.b)."""
    if mode == "five-percent":
        return part_of(winnings, _FIVE_PERCENT_BP)
    return part_of(winnings, _HALF_BP) if banca_score == _HALF_ON.get(mode) else 0
