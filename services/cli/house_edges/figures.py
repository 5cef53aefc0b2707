"""The house edge of every bet beside the figure that others have published for it under the same rules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from random import Random
from typing import Any

from libs.cards.card import DECK, Card, parse_all
from libs.cards.ranking import five_strength
from libs.contracts.baccarat_commands import Chance
from libs.rulebooks.library import RULEBOOKS
from services.cli.house_edges.baccarat import odds
from services.cli.house_edges.no_draw_poker import edge, worths
from services.table.configure import configure
from services.table.domain.games.baccarat.paying import CommissionMode
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


_FREE = "Wizard of Odds, commission-free baccarat"
_PUNKS = "excelpunks.com, non-commission baccarat"
_MULTI = "multiplayerbaccarat.com, odds (after Thorp)"
_BY_HAND = "by hand: 1 - 12 (4d - 1) / (52d - 1), d decks"
_PUBLISHED: tuple[tuple[int, Chance, CommissionMode, str, str], ...] = (
    (8, "ponto", "none", "1.2351", _MULTI),
    (8, "banca", "five-percent", "1.0579", _MULTI),
    (8, "banca", "half-on-5", "0.9327724", _PUNKS),
    (8, "banca", "half-on-6", "1.4581045", _PUNKS),
    (8, "banca", "none", "", ""),
    (8, "empate", "none", "14.3596", _MULTI),
    (8, "par_ponto", "none", "", _BY_HAND),
    (8, "par_banca", "none", "", _BY_HAND),
    (6, "ponto", "none", "1.2374", _MULTI),
    (6, "banca", "five-percent", "1.0558", _MULTI),
    (6, "banca", "half-on-5", "", ""),
    (6, "banca", "half-on-6", "1.4548", _FREE),
    (6, "banca", "none", "", ""),
    (6, "empate", "none", "14.4382", _MULTI),
    (6, "par_ponto", "none", "", _BY_HAND),
    (6, "par_banca", "none", "", _BY_HAND),
)
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


@dataclass(frozen=True, slots=True)
class Figure:
    """`edge` of one unit staked on `bet`.

    `published` is in percent as it was printed; empty when nobody was found to have published it.
    """

    bet: str
    setting: str
    edge: Fraction
    published: str = ""
    source: str = ""
    error: Fraction = Fraction(0)
    """Standard error of `edge` where it was sampled; 0: exact."""

    @property
    def percent(self) -> Fraction:
        return self.edge * 100

    @property
    def error_bar(self) -> Fraction:
        """Two standard errors, in percentage points."""
        return 200 * self.error

    @property
    def difference(self) -> Fraction | None:
        """Ours less theirs, in percentage points."""
        return self.percent - Fraction(Decimal(self.published)) if self.published else None

    @property
    def agrees(self) -> bool:
        """Theirs, if there is one, is ours rounded to the digits they printed, or within two standard errors."""
        if self.difference is None:
            return True
        digits = -int(Decimal(self.published).as_tuple().exponent)
        return abs(self.difference) <= Fraction(1, 2 * 10**digits) + self.error_bar


def baccarat_figures() -> Iterator[Figure]:
    """Both shoes, all bets: some two seconds of counting."""
    known = {decks: odds(decks) for decks in (8, 6)}
    for decks, chance, mode, published, source in _PUBLISHED:
        setting = f"{decks} decks, commission {mode}" if chance == "banca" else f"{decks} decks"
        yield Figure(chance, setting, known[decks].edge(chance, mode), published, source)


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
