"""Worked rounds as they stand in their file; see its `conventions` for what each value means."""

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from services.cli.replaying.record import CardName

Outcome = Literal["win", "lose", "tie", "fold", "dealer-not-qualified", "void"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WorkedTable(_Part):
    mode: Literal["single", "multi"]
    min_ante: int
    max_ante: int


class WorkedSeat(_Part):
    seat: int
    ante: int
    hand: list[CardName]
    decision: Literal["continue", "fold", "timeout", "disconnected", "none"]
    bet: int

    @field_validator("hand", mode="before")
    @classmethod
    def split(cls, names: Any) -> Any:
        return _split(names)


class Qualification(_Part):
    qualifies: bool | None
    dealer_category: str
    because: str = ""


class WorkedStake(_Part):
    stake: int
    credited: int


class WorkedResult(_Part):
    seat: int
    player_category: str
    outcome: Outcome
    decided_by: str = ""
    pay_multiplier: int = 0
    ante: WorkedStake
    bet: WorkedStake
    net: int


class Timing(_Part):
    decision_ms: int = 20_000
    extra_ms: int = 10_000


class Moment(_Part):
    at_ms: int
    event: str


class WorkedRound(_Part):
    id: str
    title: str
    rules: list[str]
    table: WorkedTable
    deck_order: list[CardName]
    burn: CardName
    dealer_hand: list[CardName]
    dealer_up_card: CardName
    seats: list[WorkedSeat] = Field(min_length=1)
    qualification: Qualification
    results: list[WorkedResult]
    timing: Timing = Timing()
    timeline: list[Moment] = []
    why: str = ""

    @field_validator("deck_order", "dealer_hand", mode="before")
    @classmethod
    def split(cls, names: Any) -> Any:
        return _split(names)

    @model_validator(mode="after")
    def whole(self) -> Self:
        if len(set(self.deck_order)) != len(self.deck_order):
            raise ValueError("a card stands in two places")
        seats = [seat.seat for seat in self.seats]
        if len(set(seats)) != len(seats) or seats != [result.seat for result in self.results]:
            raise ValueError("each seat has one result, in the same order")
        return self


class WorkedRounds(_Part):
    id: str
    title: str
    regulation: str
    conventions: dict[str, str]
    rounds: list[WorkedRound]


def _split(names: Any) -> Any:
    return names.split() if isinstance(names, str) else names
