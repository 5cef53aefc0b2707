"""Rounds of no-draw poker dealt and settled by the table's own rules, to hold beside the exact house edge."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random

from libs.cards.card import DECK, Card
from libs.cards.ranking import five_strength
from services.table.domain.games.no_draw_poker.configuration import NoDrawConfiguration
from services.table.domain.games.no_draw_poker.dealing import dealer_positions, player_positions
from services.table.domain.games.no_draw_poker.settlement import FOLDED, settle

_SEAT = 1


@dataclass(frozen=True, slots=True)
class Sample:
    """`lost`: of each ante, on average; `error`: standard error of it."""

    rounds: int
    lost: float
    error: float


def sample(rules: NoDrawConfiguration, threshold: Sequence[Card], rounds: int, seed: int) -> Sample:
    """A single player who raises with `threshold` or anything stronger; the same seed deals the same rounds."""
    dice = Random(seed)  # noqa: S311  # a sample that anybody can repeat, not a deal for money
    hand, dealer = player_positions([_SEAT])[_SEAT], dealer_positions(1)
    weakest, ante = five_strength(threshold), rules.betting.min_ante
    total = squares = 0
    for _ in range(rounds):
        cards = dice.sample(DECK, dealer[-1] + 1)
        net = _net(rules, ante, [cards[place] for place in hand], [cards[place] for place in dealer], weakest)
        total += net
        squares += net * net
    mean = total / rounds
    variance = squares / rounds - mean * mean
    return Sample(rounds, -mean / ante, sqrt(variance / rounds) / ante)


def _net(rules: NoDrawConfiguration, ante: int, hand: list[Card], dealer: list[Card], weakest: int) -> int:
    if five_strength(hand) > weakest:
        return FOLDED.ante_credited - ante
    bet = rules.bet_of(ante)
    settled = settle(ante, bet, hand, dealer, rules)
    return settled.ante_credited + settled.bet_credited - ante - bet
