"""The house edge of no-draw poker: the count against every deal of a small deck, and against published figures."""

from itertools import combinations
from random import Random

import pytest

from libs.cards.card import DECK, Card, parse_all
from libs.cards.ranking import five_strength
from libs.contracts.configurations import changed
from services.cli.house_edges.figures import SIMPLE, rules_of_the_house, sample
from services.cli.house_edges.no_draw_poker import dealer_hands, edge, worths
from services.table.domain.games.no_draw_poker.settlement import settle
from services.wallet.projections.house_edges import edges_of

SMALL = tuple(card for card in DECK if card >> 2 >= 8)
"""Tens to aces: 20 cards, so that every deal can be played out."""
ALL_DEALS = 19_933_230_517_200
"""Player's hand, open card and the dealer's hand behind it: the published losses are in antes over so many deals."""


def dealt_out(hand: tuple[Card, ...], up: Card, deck: tuple[Card, ...]) -> int:
    """What the table pays on ante and bet over all dealer hands behind this open card, in antes."""
    rules = rules_of_the_house()
    left = [card for card in deck if card not in hand and card != up]
    total = 0
    for four in combinations(left, 4):
        settled = settle(100, 200, hand, (*four, up), rules)
        total += settled.ante_credited + settled.bet_credited - 300
    return total // 100


def test_the_count_is_what_the_table_pays_over_every_deal() -> None:
    found = list(worths(rules_of_the_house(), SMALL))
    assert sum(worth.hands for worth in found) == 15_504
    for worth in Random(1).sample(found, 12):
        for up, value in worth.by_open_card.items():
            assert value == dealt_out(worth.hand, up, SMALL), (worth.hand, up)


def test_the_best_play_loses_least() -> None:
    assert dealer_hands() == 163_185
    found = list(worths(rules_of_the_house(), SMALL))
    best, blind = edge(found, None, SMALL), edge(found, 7462, SMALL)
    assert best.lost < blind.lost
    assert best.raised < blind.raised == 1


def test_dealt_rounds_of_the_rule_of_thumb_come_near_the_published_figure() -> None:
    dealt = sample(rules_of_the_house(), SIMPLE, 20_000, seed=1)
    assert abs(dealt.lost - 0.05316) < 4 * dealt.error
    assert 0.01 < dealt.error < 0.02


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_published_losses_to_the_last_deal() -> None:
    """Without the suit rule of this regulation the game is the published one, and the losses are equal as integers."""
    found = list(worths(changed(rules_of_the_house(), {"high_card_suit_tiebreak": False})))
    assert edge(found, None).lost * ALL_DEALS == 1_041_372_912_372
    thresholds = {SIMPLE: 1_059_715_400_580, parse_all("2s 2d 5h 4c 3s"): 1_090_272_101_460}
    thresholds |= {parse_all("As Kd 4h 3c 2s"): 1_132_600_203_540, parse_all("7s 5d 4h 3c 2s"): 3_310_360_338_060}
    for hand, lost in thresholds.items():
        assert edge(found, five_strength(hand)).lost * ALL_DEALS == lost


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_books_reckon_with_this_edge() -> None:
    """The theoretical hold of the wallet is that of optimal play under this regulation."""
    lost = edge(worths(rules_of_the_house()), None).lost
    assert round(lost * 1_000_000) == edges_of({"game": "no_draw_poker"})["ante"]
