"""What the public events of every game against the house have in common.

A game's own events derive from these: the books, the statements and the auditor read the base, so a new game changes
none of them. Amounts are minor units of `currency`. A round is one deal for all seats (a coup of baccarat, too).
"""

from libs.contracts.configurations import Kind
from libs.contracts.facts import Chips, GameEvent, Part, Root, Round, Seat
from libs.contracts.table_events import DeckCard, Refund


class BankedRoundEvent(GameEvent):
    """Of one round or coup. The story stamps the number of the last one opened."""

    numbered = "round"
    round: Round = 0


class SeatInRound(Part):
    """A player who may stake. `stack` is what lies at the seat before the first stake."""

    seat: Seat
    player: str
    reservation: str
    stack: Chips


class BankedRoundOpened(BankedRoundEvent):
    """The betting begins; no stake of the round comes before it."""

    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: Kind
    seats: list[SeatInRound]


class BankedRoundLapsed(BankedRoundEvent):
    """Nobody staked: no round, and nothing counts it (reading of pt-803-2015-no-draw 41.b)."""


class BankedStakeMoved(BankedRoundEvent):
    """`amount` moved between stack and round; `total` lies on the area afterwards, `stack` at the seat."""

    seat: Seat
    player: str
    reservation: str
    area: str
    """What is bet on: ante, bet; ponto, banca, empate, par_ponto, par_banca."""
    amount: Chips
    total: Chips
    stack: Chips
    currency: str


class BankedStakePlaced(BankedStakeMoved):
    """From the stack to the round."""


class BankedStakeWithdrawn(BankedStakeMoved):
    """From the round back to the stack, before the betting closes."""


class BankedDeckDealt(BankedRoundEvent):
    """Cards of a deck that was shuffled for this round alone; it is over with the round."""

    deck_root: Root
    """hex; Merkle root (SHA-256, RFC 6962 hashing) over 52 salted card leaves."""
    generator: str


class BankedCardsShown(BankedRoundEvent):
    """Cards turned up before everybody, each with the proof that it lay where it says."""

    cards: list[DeckCard]


class BetSettled(Part):
    """One area of one seat. `credited` has the stake in it when it comes back; `commission` is off already."""

    area: str
    staked: Chips
    credited: Chips
    commission: Chips = 0


class SeatSettled(Part, kw_only=True):
    """All of one seat: `net` is `credited` less `staked`; `stack` is what lies at the seat afterwards."""

    seat: Seat
    player: str
    reservation: str
    staked: Chips
    credited: Chips
    commission: Chips = 0
    net: Chips
    stack: Chips
    bets: list[BetSettled]


class BankedRoundSettled(BankedRoundEvent):
    """The round is over and paid: `house` is what the bank won or, below zero, lost: staked less credited."""

    rulebook: str
    currency: str
    results: list[SeatSettled]
    house: Chips
    bank: Chips
    """The table's bank afterwards."""


class BankedRoundVoided(BankedRoundEvent):
    """The round does not count: every stake goes back, those of folded seats as well."""

    cause: str
    by: str
    refunds: list[Refund]
    currency: str
    requested_by: str = ""
    """Who of the staff asked for it before `by` agreed; empty: nobody had to, or it was the house."""
