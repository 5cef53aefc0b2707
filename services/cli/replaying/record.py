"""Worked hands as they stand in their file; see the `schema` block of the file for what each value means."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

Form = TypeVar("Form", bound=BaseModel)
CardName = Annotated[str, Field(pattern=r"^[2-9TJQKA][cdhs]$")]
Cards = list[CardName]


class NotARecord(ValueError):
    """The file is no record of worked hands; the text says where."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Rake(_Part):
    mode: Literal["pot", "buy_in"]
    rate_bp: int
    cap_big_blinds: int | None
    rounding: Literal["down"]


class Ruleset(_Part):
    regulation: str
    structure: str
    raise_cap: int | None
    raise_cap_lifted_heads_up: bool
    min_unit: int
    rake: Rake
    no_flop_no_rake: bool
    flop_round_without_bet_no_rake: bool
    rake_per_payment_when_all_in: bool
    odd_unit: str
    heads_up_blinds: str
    burn_before_board: bool


class Blinds(_Part):
    small: int
    big: int


class Positions(_Part):
    button: int
    small_blind: int
    big_blind: int


class Player(_Part):
    seat: int
    name: str
    stack: int
    hole: Cards = Field(min_length=4, max_length=4)


class Board(_Part):
    flop: Cards | None
    turn: CardName | None
    river: CardName | None

    @property
    def cards(self) -> Cards:
        return [*(self.flop or []), *([self.turn] if self.turn else []), *([self.river] if self.river else [])]


class Legal(_Part):
    check: bool
    call: int | None
    min_to: int | None
    max_to: int | None


class Action(_Part):
    seq: int
    street: Literal["preflop", "flop", "turn", "river"]
    act: Literal["post_sb", "post_bb", "fold", "check", "call", "bet", "raise", "deal_board", "rejected"]
    seat: int = 0
    add: int | None = None
    to: int | None = None
    legal: Legal | None = None
    by: Literal["timeout", "leave"] | None = None
    all_in: bool = False
    cards: Cards = []
    attempt: Literal["bet", "raise"] | None = None
    reason: str | None = None


class Returned(_Part):
    seat: int
    amount: int


class ExpectedPayment(_Part):
    seat: int
    net: int
    gross: int | None = None
    rake: int | None = None


class ExpectedPot(_Part):
    id: str
    amount: int
    eligible: list[int]
    winners: list[int]
    rake: int
    payments: list[ExpectedPayment]


class ExpectedRake(_Part):
    total: int
    basis: str
    exemption: str | None
    cap: int | None = None
    before_cap: int | None = None


class ShownHand(_Part):
    category: str
    hole_used: Cards
    board_used: Cards


class Showdown(_Part):
    order: list[int]
    hands: dict[int, ShownHand]


class Conservation(_Part):
    before: int
    after: int
    rake: int


class Expected(_Part):
    uncalled_returned: Returned | None
    contributions: dict[int, int]
    pots: list[ExpectedPot]
    rake: ExpectedRake
    payouts: dict[int, int]
    showdown: Showdown | None
    final_stacks: dict[int, int]
    next_button: int
    conservation: Conservation


class WorkedHand(_Part):
    id: str
    title: str
    ruleset: str
    blinds: Blinds
    positions: Positions
    players: list[Player] = Field(min_length=2)
    board: Board
    actions: list[Action]
    expected: Expected
    leaves: list[int] = []
    why: str = ""
    covers: dict[str, Any] = {}

    @model_validator(mode="after")
    def positions_are_seats(self) -> Self:
        seats = [player.seat for player in self.players]
        named = {self.positions.button, self.positions.small_blind, self.positions.big_blind}
        if len(set(seats)) != len(seats) or not named <= set(seats):
            raise ValueError("button and blinds are seats of players, and each seat has one")
        return self


class Record(_Part):
    id: str
    title: str
    rulesets: dict[str, Ruleset]
    hands: list[WorkedHand]
    scope: str = ""
    schema_: dict[str, str] = Field(default={}, alias="schema")


def load(path: Path) -> Any:
    """What a file of worked hands holds; NotARecord when it is missing or is no YAML."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as unreadable:
        raise NotARecord(f"{path.name}: cannot be read: {str(unreadable).splitlines()[0]}") from unreadable


def parsed(model: type[Form], name: str, document: Any) -> Form:
    """NotARecord, saying where, when the document has another shape."""
    try:
        return model.model_validate(document)
    except ValidationError as wrong:
        first = wrong.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise NotARecord(f"{name}: {where}: {first['msg']} ({wrong.error_count()} in all)") from wrong


def read_record(path: Path) -> Record:
    """NotARecord when the file is missing, is no YAML, or has another shape."""
    return parsed(Record, path.name, load(path))
