"""Worked hands of casino poker as they stand in their file; its `conventions` say what each value means."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from services.cli.replaying.record import CardName, Cards, Claims, Line, Part, Player


class Rake(Part):
    mode: Literal["per_hand"]
    percent_bp: int
    cap: int | None = None


class Config(Part):
    rulebook: str
    variant: Literal["omaha", "holdem"]
    limit_mode: Literal["no_limit", "pot_limit", "half_pot"]
    table_min: int
    small_blind: int
    big_blind: int
    raise_cap: int
    pot_split_unit: int
    rake: Rake


class Reshuffle(Part):
    at_event: int
    returned: Cards
    new_stub_top: Cards
    stub_size: int


class Event(Line):
    """`code` is that of an incident; `effect` and other claims in words are for people."""

    event: Literal[
        "post", "deal_hole", "action", "attempt", "burn", "board", "reshuffle", "incident", "show", "uncalled_returned",
        "award", "hand_void",
    ]  # fmt: skip
    seat: int | None = None
    post: str = ""
    amount: int = 0
    late: bool = False
    action: Literal["fold", "check", "call", "bet", "raise"] | None = None
    to: int | None = None
    skipping: int | None = None
    card: CardName | None = None
    cards: Cards = Field(default=[])
    best_five: Cards = Field(default=[])
    source: str = ""
    code: str = ""
    card_no: int | None = None
    exposed: Cards = Field(default=[])
    placed: int | None = None
    announced_winner: int | None = None


class CasinoHand(Part):
    id: str
    title: str
    refs: list[str]
    setup: str
    config: Config
    lead_seat: int
    players: list[Player] = Field(min_length=4)
    stub_top: Cards
    events: list[Event] = Field(min_length=1)
    expected: Claims
    reshuffles: list[Reshuffle] = Field(default=[])
    checks: list[Any] = Field(default=[])
    rejected_readings: list[Any] = Field(default=[])

    @model_validator(mode="after")
    def lead_is_dealt_in(self) -> Self:
        seats = [player.seat for player in self.players]
        if len(set(seats)) != len(seats) or self.lead_seat not in {p.seat for p in self.players if p.dealt_in}:
            raise ValueError("each seat has one player, and the lead seat one who is dealt in")
        return self

    @property
    def live(self) -> bool:
        """Only a dealer can make the errors that it records."""
        return any(line.event in ("incident", "reshuffle") for line in self.events)


class CasinoRecord(Part):
    id: str
    title: str
    regulation: Literal["pt-217-2007-casino-poker"]
    conventions: str
    hands: list[CasinoHand]
