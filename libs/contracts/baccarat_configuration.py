"""What an operator chose for a table of baccarat or of its Macau variant (pt-812-2015-baccarat)."""

from typing import Literal

from libs.contracts.configurations import BankedConfiguration, BankedTiming, Group
from libs.contracts.facts import Chips, Milliseconds


class BaccaratTiming(BankedTiming):
    """Clocks and hours of a table of baccarat."""

    betting_ms: Milliseconds | None
    """How long bets may be placed; None: a single player deals himself (27, 28)."""


class BaccaratBetting(Group):
    """Limits and the commission."""

    min_bet: Chips
    """Least total of a player on a chance."""
    max_ponto_banca: Chips | None = None
    """Most of a player's total on Ponto, and on Banca (15.a); None in the Macau variant (40)."""
    max_tie: Chips | None = None
    """Most of a player's total on the tie (15.b)."""
    max_pair: Chips | None = None
    """Most of a player's total on each pair (15.c)."""
    pair_bets: bool
    """Whether pairs may be bet on (10)."""
    pair_requires_main_bet: bool
    """A bet on a pair needs one on Ponto, Banca or the tie beside it (10)."""
    prize_limit: Chips | None = None
    """Macau variant: what rule 43 measures the table's stakes against (41)."""
    commission_mode: Literal["none", "five-percent", "half-on-5", "half-on-6"]
    """What a win on Banca costs (26): nothing, 5 %, or half of the winnings when Banca wins with five or with six."""


class BaccaratDealing(Group):
    """The shoe."""

    decks: int
    """Decks in the shoe."""
    cut_cards: int
    """So many cards lie behind the cut card (FP-1)."""
    burn_cards: int
    """So many of a fresh shoe are laid aside unseen; none, unless the specific rules say so (FP-2)."""
    shuffle_every_coup: bool
    """Whether each coup has a fresh shoe."""


class BaccaratConfiguration(BankedConfiguration, tag="baccarat"):
    """Baccarat and its Macau variant (pt-812-2015-baccarat)."""

    variant: Literal["ponto-e-banca", "macau"]
    """What differs is the limits alone (39)."""
    timing: BaccaratTiming
    betting: BaccaratBetting
    dealing: BaccaratDealing
