"""What the public events of every game against the house have in common.

A game's own events derive from these: the books, the statements and the auditor read the base, so a new game changes
none of them. Amounts are minor units of `currency`. A round is one deal for all seats (a coup of baccarat, too).
"""

from typing import Literal

from pydantic import Field

from libs.contracts.messages import Message
from libs.contracts.table_events import Seat, TableEvent


class HouseRoundEvent(TableEvent):
    round: int = Field(ge=1, description="dense per table: 1, 2, 3 …")


class SeatInRound(Message):
    """A player who may stake. `stack` is what lies at the seat before the first stake."""

    seat: Seat
    player: str
    reservation: str
    stack: int


class HouseRoundOpened(HouseRoundEvent):
    """The betting begins; no stake of the round comes before it."""

    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: Literal["real", "demo"]
    seats: list[SeatInRound]


class HouseRoundLapsed(HouseRoundEvent):
    """Nobody staked: no round, and nothing counts it (reading of pt-803-2015-no-draw 41.b)."""


class HouseStakeMoved(HouseRoundEvent):
    """`amount` moved between stack and round; `total` lies on the area afterwards, `stack` at the seat."""

    seat: Seat
    player: str
    reservation: str
    area: str = Field(description="what is bet on: ante, bet; ponto, banca, empate, par_ponto, par_banca")
    amount: int = Field(ge=1)
    total: int = Field(ge=0)
    stack: int = Field(ge=0)
    currency: str


class HouseStakePlaced(HouseStakeMoved):
    """From the stack to the round."""


class HouseStakeWithdrawn(HouseStakeMoved):
    """From the round back to the stack, before the betting closes."""


class BetSettled(Message):
    """One area of one seat. `credited` has the stake in it when it comes back; `commission` is off already."""

    area: str
    staked: int = Field(ge=0)
    credited: int = Field(ge=0)
    commission: int = Field(default=0, ge=0)


class SeatSettled(Message):
    """All of one seat: `net` is `credited` less `staked`; `stack` is what lies at the seat afterwards."""

    seat: Seat
    player: str
    reservation: str
    staked: int = Field(ge=0)
    credited: int = Field(ge=0)
    commission: int = Field(default=0, ge=0)
    net: int
    stack: int = Field(ge=0)
    bets: list[BetSettled]


class HouseRoundSettled(HouseRoundEvent):
    """The round is over and paid: `house` is what the bank won or, below zero, lost: staked less credited."""

    rulebook: str
    currency: str
    results: list[SeatSettled]
    house: int
    bank: int = Field(ge=0, description="the table's bank afterwards")


class RoundRefund(Message):
    """All stakes of one seat. The auditor reads `by` and `cause` of the event for who and why."""

    seat: Seat
    player: str
    reservation: str
    amount: int = Field(ge=0)
    stack: int = Field(ge=0)


class HouseRoundVoided(HouseRoundEvent):
    """The round does not count: every stake goes back, those of folded seats as well."""

    cause: str
    by: str
    refunds: list[RoundRefund]
    currency: str
