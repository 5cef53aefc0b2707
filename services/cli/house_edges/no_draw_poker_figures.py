"""No-draw poker under stated strategies, beside what others have published for the same pay table."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from libs.cards.card import parse_all
from libs.cards.ranking import five_strength
from services.cli.house_edges.figures import Figure
from services.cli.house_edges.no_draw_poker import edge, worths
from services.cli.house_edges.no_draw_poker_sample import sample
from services.table.domain.games.no_draw_poker.configuration import NoDrawConfiguration
from services.table.rulebooks.configure import configure
from services.table.rulebooks.library import RULEBOOKS

RULEBOOK = "pt-803-2015-no-draw"
SIMPLE = parse_all("As Kd Jh 8c 3s")
"""The published rule of thumb: raise with A-K-J-8-3 or anything stronger."""
ROUNDS, SEED = 1_000_000, 803_2015
_WIZARD = "Wizard of Odds, Caribbean stud poker"
_STRATEGIES: tuple[tuple[str, str | None, str], ...] = (
    ("optimal: raise when that is worth more than folding", None, "5.224"),
    ("raise with A-K-J-8-3 or better", "As Kd Jh 8c 3s", "5.316"),
    ("raise with any pair or better", "2s 2d 5h 4c 3s", "5.470"),
    ("raise with any ace-king or better", "As Kd 4h 3c 2s", "5.682"),
    ("raise with everything", "7s 5d 4h 3c 2s", "16.607"),
)


def rules_of_the_house() -> NoDrawConfiguration:
    """The rulebook's own values; amounts do not matter here."""
    asked: dict[str, Any] = {"mode": "single", "seats": 1, "min_ante": 100, "max_ante": 2500, "kind": "demo"}
    configured = configure(RULEBOOKS[RULEBOOK], {**asked, "buy_in": 7500, "top_up_to": 7500})
    assert isinstance(configured, NoDrawConfiguration), configured
    return configured


def no_draw_figures() -> Iterator[Figure]:
    """Exact for each strategy; then a million rounds dealt by the table's own rules."""
    rules = rules_of_the_house()
    found = list(worths(rules))
    for strategy, threshold, published in _STRATEGIES:
        weakest = five_strength(parse_all(threshold)) if threshold is not None else None
        yield Figure("ante", strategy, edge(found, weakest).lost, published, _WIZARD)
    dealt = sample(rules, SIMPLE, ROUNDS, SEED)
    setting = f"raise with A-K-J-8-3 or better, {dealt.rounds:,} rounds dealt"
    yield Figure("ante", setting, Fraction(dealt.lost), "5.316", _WIZARD, Fraction(dealt.error))
