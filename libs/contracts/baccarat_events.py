"""Public events of baccarat (pt-812-2015-baccarat): Ponto against Banca from one shoe, the bank pays all seats.

A coup's betting opens with `CoupOpened` and closes with `BettingClosed`, or with `CoupLapsed` when nobody bet. Every
card is named by its position in the shoe, and by its face only when it is turned up.
"""

from typing import Literal

from libs.contracts.banked_rounds import (
    BankedCardsShown,
    BankedRoundEvent,
    BankedRoundLapsed,
    BankedRoundOpened,
    BankedRoundSettled,
    BankedRoundVoided,
    BankedStakePlaced,
    BankedStakeWithdrawn,
)
from libs.contracts.facts import Chips, GameEvent, Moment, Part, Position, Root
from libs.contracts.table_events import DeckCard

Side = Literal["ponto", "banca"]
Chance = Literal["ponto", "banca", "empate", "par_ponto", "par_banca"]
CommissionMode = Literal["none", "five-percent", "half-on-5", "half-on-6"]


class ShoeStarted(GameEvent):
    """All cards shuffled anew. `cut` cards lie behind the cut card; `burned` are positions laid aside unseen."""

    shoe: int
    decks: int
    cards: int
    cut: int
    burned: list[Position]
    deck_root: Root
    """hex; Merkle root (SHA-256, RFC 6962 hashing) over all salted card leaves."""
    generator: str


class CoupOpened(BankedRoundOpened):
    """Betting begins. `until` is the one deadline of all seats; None: the single player starts the deal."""

    shoe: int
    commission_mode: CommissionMode
    min_bet: Chips
    until: Moment | None


class CoupLapsed(BankedRoundLapsed):
    """The period is over and nobody bet."""


class StakePlaced(BankedStakePlaced):
    """From the stack to the coup."""


class StakeWithdrawn(BankedStakeWithdrawn):
    """From the coup back to the stack, before the betting closes."""


class BettingClosed(BankedRoundEvent):
    """No more bets, cards in distribution. `totals` are the table's, by chance."""

    totals: dict[Chance, int]


class CoupDealt(BankedRoundEvent):
    """Four cards face down, one at a time from Ponto (17): positions in the shoe."""

    shoe: int
    ponto: list[Position]
    banca: list[Position]


class SideShown(BankedCardsShown):
    """The two initial cards of a side turned up, Ponto's first (18)."""

    side: Side
    score: int
    natural: bool


class ThirdCardDealt(BankedRoundEvent):
    """Face up and apart from the initial two (20, 21); `score` is the side's with it."""

    side: Side
    place: str = "third"
    card: DeckCard
    score: int


class CutCardReached(BankedRoundEvent):
    """This coup is finished, then all cards are shuffled anew (FP-1)."""

    shoe: int


class RoadPlace(Part):
    """Column and row, from 1, top left; `ties` are the marks of ties on a place of the big road."""

    column: int
    row: int
    ties: int = 0


class CoupSettled(BankedRoundSettled):
    """Paid and over. `coup` counts the shoe's coups, `bead` and `big` are its places on the roads."""

    shoe: int
    coup: int
    ponto: int
    banca: int
    winner: Literal["ponto", "banca", "empate"]
    natural: bool
    ponto_pair: bool
    banca_pair: bool
    commission_mode: CommissionMode
    bead: RoadPlace
    big: RoadPlace
    cards_left: int


class CoupVoided(BankedRoundVoided):
    """The coup does not count and its stakes go back (29)."""
