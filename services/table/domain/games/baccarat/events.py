"""What happened at a table of baccarat; see `domain/table/events.py` for what holds for all events.

A coup's betting opens with `CoupOpened` and closes with `BettingClosed`, or with `CoupLapsed` when nobody bet: such a
period is no round (pt-812-2015 2.c) and counts for nothing. Only `ShoeStarted.deck` is secret: every later card is
named by its position in the shoe, and by its face only when it is turned up.
"""

import msgspec

from libs.sealing.deck import Shoe
from services.table.domain.games.baccarat.paying import Chance, CommissionMode
from services.table.domain.games.baccarat.scores import Side, Winner
from services.table.domain.games.open_cards import OpenCard
from services.table.domain.table.configuration import Kind
from services.table.domain.table.events import GameEvent


class OfBaccarat(GameEvent, frozen=True, kw_only=True):
    """What the table's game tells of its shoes and coups."""


class OfCoup(OfBaccarat, frozen=True, kw_only=True):
    round: int


class ShoeStarted(OfBaccarat, frozen=True, kw_only=True):
    """All cards shuffled anew. `cut` cards lie behind the cut card; `burned` are positions laid aside unseen."""

    shoe: int
    decks: int
    cards: int
    cut: int
    burned: list[int]
    deck_root: str
    generator: str
    deck: Shoe | None = None


class SeatAtCoup(msgspec.Struct, frozen=True):
    """A player who may stake. `stack` is what lies at the seat before the first stake."""

    seat: int
    player: str
    reservation: str
    stack: int


class CoupOpened(OfCoup, frozen=True, kw_only=True):
    """Place your bets. `until` is the one deadline of all seats; None: the single player starts the deal himself."""

    shoe: int
    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: Kind
    commission_mode: CommissionMode
    min_bet: int
    seats: list[SeatAtCoup]
    until: int | None


class CoupLapsed(OfCoup, frozen=True, kw_only=True):
    """The period is over and nobody bet."""


class StakeChanged(OfCoup, frozen=True, kw_only=True):
    """`amount` moved between stack and coup; `total` lies on the chance afterwards, `stack` at the seat."""

    seat: int
    player: str
    reservation: str
    area: Chance
    amount: int
    total: int
    stack: int
    currency: str


class StakePlaced(StakeChanged, frozen=True, kw_only=True):
    """From the stack to the coup."""


class StakeWithdrawn(StakeChanged, frozen=True, kw_only=True):
    """From the coup back to the stack, before the betting closes."""


class BettingClosed(OfCoup, frozen=True, kw_only=True):
    """No more bets, cards in distribution. `totals` are the table's, by chance."""

    totals: dict[Chance, int]


class CoupDealt(OfCoup, frozen=True, kw_only=True):
    """Four cards face down, one at a time from Ponto (17): positions in the shoe."""

    shoe: int
    ponto: list[int]
    banca: list[int]


class SideShown(OfCoup, frozen=True, kw_only=True):
    """The two initial cards of a side turned up, Ponto's first (18)."""

    side: Side
    cards: list[OpenCard]
    score: int
    natural: bool


class ThirdCardDealt(OfCoup, frozen=True, kw_only=True):
    """Face up and apart from the initial two (20, 21); `score` is the side's with it."""

    side: Side
    place: str = "third"
    card: OpenCard
    score: int


class CutCardReached(OfCoup, frozen=True, kw_only=True):
    """This coup is finished, then all cards are shuffled anew (FP-1)."""

    shoe: int


class ChanceSettled(msgspec.Struct, frozen=True):
    """One chance of one seat. `credited` has the stake in it when it comes back; `commission` is off already."""

    area: Chance
    staked: int
    credited: int
    commission: int


class CoupResult(msgspec.Struct, frozen=True, kw_only=True):
    """All of one seat: `net` is `credited` less `staked`; `stack` is what lies at the seat afterwards."""

    seat: int
    player: str
    reservation: str
    staked: int
    credited: int
    commission: int
    net: int
    stack: int
    bets: list[ChanceSettled]


class RoadPlace(msgspec.Struct, frozen=True):
    """Column and row, from 1, top left; `ties` are the marks of ties on a place of the big road."""

    column: int
    row: int
    ties: int = 0


class CoupSettled(OfCoup, frozen=True, kw_only=True):
    """Paid and over. `house` is staked less credited; `coup` counts the shoe's coups, with a place on both roads."""

    shoe: int
    coup: int
    ponto: int
    banca: int
    winner: Winner
    natural: bool
    ponto_pair: bool
    banca_pair: bool
    commission_mode: CommissionMode
    bead: RoadPlace
    big: RoadPlace
    cards_left: int
    results: list[CoupResult]
    house: int
    bank: int
    currency: str
    rulebook: str


class StakesRefunded(msgspec.Struct, frozen=True):
    seat: int
    player: str
    reservation: str
    amount: int
    stack: int


class CoupVoided(OfCoup, frozen=True, kw_only=True):
    """The coup does not count and its stakes go back (29)."""

    cause: str
    by: str
    refunds: list[StakesRefunded]
    currency: str


BaccaratEvent = (
    ShoeStarted | CoupOpened | CoupLapsed | StakePlaced | StakeWithdrawn | BettingClosed | CoupDealt | SideShown
    | ThirdCardDealt | CutCardReached | CoupSettled | CoupVoided
)  # fmt: skip
