"""Worked rounds of no-draw poker as their file has them; its `conventions` say what each value means."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from libs.cards.card import parse_all
from services.cli.replaying.no_draw.timeline import HAPPENINGS
from services.cli.replaying.record import Amount, CardName, CardNames, Milliseconds, Part


class WorkedTable(Part):
    mode: Literal["single", "multi"]
    min_ante: Amount
    max_ante: Amount


Hand = Annotated[CardNames, Field(pattern=r"^(\S+ ){4}\S+$")]


class WorkedSeat(Part):
    seat: Annotated[int, Field(ge=1, le=7)]
    ante: Amount
    hand: Hand
    decision: Literal["continue", "fold", "timeout", "disconnected", "none"]
    bet: Amount


class Timing(Part):
    decision_ms: Milliseconds = 20_000
    extra_ms: Milliseconds = 10_000


class Happening(Part):
    """What happened how long after the cards were delivered, in one of the sentences that the replay knows."""

    at_ms: Milliseconds
    event: Annotated[str, Field(pattern=HAPPENINGS)]


class Qualification(Part):
    """`because` is for people."""

    qualifies: bool | None
    dealer_category: str
    because: str = ""


class Area(Part):
    stake: Amount
    credited: Amount


class WorkedResult(Part):
    seat: int
    player_category: str
    outcome: Literal["win", "lose", "tie", "fold", "dealer-not-qualified", "void"]
    decided_by: str = ""
    pay_multiplier: int = 0
    ante: Area
    bet: Area
    net: int


class WorkedRound(Part):
    """`rules` and `why` are for people."""

    id: str
    title: str
    rules: list[str]
    table: WorkedTable
    deck_order: CardNames
    burn: CardName
    dealer_hand: Hand
    dealer_up_card: CardName
    seats: list[WorkedSeat] = Field(min_length=1)
    qualification: Qualification
    results: list[WorkedResult]
    timing: Timing = Timing()
    timeline: list[Happening] = []
    why: str = ""

    @model_validator(mode="after")
    def goes_together(self) -> Self:
        order = parse_all(self.deck_order)
        if len(set(order)) != len(order):
            raise ValueError("deck_order: a card stands in two places")
        if len(order) != (needed := 1 + 5 * (len(self.seats) + 1)):
            raise ValueError(f"deck_order: {len(order)} cards, and the round takes {needed}")
        seats = [seat.seat for seat in self.seats]
        if len(set(seats)) != len(seats) or seats != [result.seat for result in self.results]:
            raise ValueError("each seat has one result, in the same order")
        return self

    @property
    def void(self) -> bool:
        return self.qualification.qualifies is None

    @property
    def stack(self) -> int:
        """Everybody brings three of the highest antes: enough for any ante with its second bet."""
        return 3 * self.table.max_ante


class WorkedRounds(Part):
    id: str
    title: str
    regulation: Literal["pt-no-draw-poker-online"]
    conventions: dict[str, str]
    rounds: list[WorkedRound] = Field(min_length=1)
