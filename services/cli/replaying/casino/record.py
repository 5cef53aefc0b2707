"""Worked hands of casino poker as they stand in their file; its `conventions` say what each value means."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from services.cli.replaying.record import CardName, Cards, Returned, load, parsed

Street = Literal["preflop", "flop", "turn", "river"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Rake(_Part):
    mode: Literal["per_hand"]
    percent_bp: int
    cap: int | None = None


class Config(_Part):
    rulebook: str
    variant: Literal["omaha", "holdem"]
    limit_mode: Literal["no_limit", "pot_limit", "half_pot"]
    table_min: int
    small_blind: int
    big_blind: int
    raise_cap: int
    pot_split_unit: int
    rake: Rake


class Player(_Part):
    seat: int
    name: str
    stack: int
    hole: Cards = []
    dealt_in: bool = True


class Reshuffle(_Part):
    at_event: int
    returned: Cards
    new_stub_top: Cards
    stub_size: int


class Line(_Part):
    """What every line may say of the state once it is applied."""

    seq: int
    stack_after: int | None = None
    pot_after: int | None = None
    stub_left: int | None = None
    note: str = ""


class Post(Line):
    event: Literal["post"]
    seat: int
    post: Literal["small", "big", "idle_big_blind_live", "missed_blinds_dead"]
    amount: int
    counts_as_bet: bool | None = None
    late: bool = False


class DealHole(Line):
    event: Literal["deal_hole"]
    order: list[int]
    passes: int
    dealt_cards: Cards = []
    exposed_card_no: int | None = None


class Action(Line):
    event: Literal["action"]
    round: Street
    seat: int
    action: Literal["fold", "check", "call", "bet", "raise"]
    adds: int
    to: int | None = None
    raise_no: int | None = None
    all_in: bool = False
    binding: bool = False
    completes_underpaid: bool = False
    skipping: int | None = None


class Attempt(Line):
    event: Literal["attempt"]
    round: Street
    seat: int
    action: Literal["bet", "raise"]
    to: int
    result: Literal["rejected"]
    reason: str
    maximum_to: int | None = None
    players_in_play: int | None = None


class Burn(Line):
    event: Literal["burn"]
    card: CardName
    source: str = ""


class BoardTurned(Line):
    event: Literal["board"]
    street: Literal["flop", "turn", "river"]
    cards: Cards
    board: Cards
    burned_before: bool = True
    would_have_been: str = ""


class ReshuffleLine(Line):
    event: Literal["reshuffle"]
    returned: Cards


class Incident(Line):
    """`code` says which of the other fields stand; `effect` is for people."""

    event: Literal["incident"]
    code: str
    effect: str
    seat: int | None = None
    card: CardName | None = None
    card_no: int | None = None
    exposed: Cards = []
    call_only_seats: list[int] = []
    action: Literal["bet", "raise"] | None = None
    to: int | None = None
    chips_held: int | None = None
    turn_was_seat: int | None = None
    placed: int | None = None
    due: int | None = None
    missing: int | None = None
    treated_as: Literal["call"] | None = None
    kept: int | None = None
    returned: int | None = None
    decided_by: str = ""
    announced_winner: int | None = None
    announced: str = ""
    corrected_winner: int | None = None


class Show(Line):
    event: Literal["show"]
    seat: int
    cards: Cards
    best_five: Cards = Field(min_length=5, max_length=5)
    combination: str


class UncalledReturned(Line):
    event: Literal["uncalled_returned"]
    seat: int
    amount: int


class Award(Line):
    event: Literal["award"]
    pot: str
    seat: int
    gross: int
    rake: int
    net: int


class HandVoid(Line):
    event: Literal["hand_void"]
    refunds: dict[int, int]
    state_before: str
    next_lead_seat: int


AnyLine = (
    Post | DealHole | Action | Attempt | Burn | BoardTurned | ReshuffleLine | Incident | Show | UncalledReturned
    | Award | HandVoid
)  # fmt: skip


class ExpectedPot(_Part):
    name: str
    amount: int
    eligible: list[int]
    winners: list[int]


class ExpectedPayment(_Part):
    pot: str
    seat: int
    gross: int
    rake: int
    net: int
    rake_uncapped: int | None = None


class Conservation(_Part):
    stacks_before: int
    stacks_after: int
    rake: int
    difference: int


class Expected(_Part):
    """Of a hand that is paid, or of one that is `void`."""

    rake_total: int
    final_stacks: dict[int, int]
    conservation: Conservation
    result: Literal["void"] | None = None
    refunds: dict[int, int] = {}
    contributions: dict[int, int] = {}
    uncalled_returned: Literal["none"] | Returned = "none"
    pot_total: int = 0
    pots: list[ExpectedPot] = []
    payments: list[ExpectedPayment] = []
    net_payouts: dict[int, int] = {}
    combinations: dict[int, str] = {}


class CasinoHand(_Part):
    id: str
    title: str
    refs: list[str]
    setup: str
    config: Config
    lead_seat: int
    players: list[Player] = Field(min_length=4)
    stub_top: Cards
    events: list[Annotated[AnyLine, Field(discriminator="event")]]
    expected: Expected
    reshuffles: list[Reshuffle] = []
    checks: list[Any] = []
    rejected_readings: list[Any] = []

    @model_validator(mode="after")
    def lead_is_dealt_in(self) -> Self:
        seats = [player.seat for player in self.players]
        if len(set(seats)) != len(seats) or self.lead_seat not in {p.seat for p in self.players if p.dealt_in}:
            raise ValueError("each seat has one player, and the lead seat one who is dealt in")
        return self


class CasinoRecord(_Part):
    id: str
    title: str
    regulation: Literal["pt-217-2007-casino-poker"]
    conventions: str
    hands: list[CasinoHand]


def is_casino(document: Any) -> bool:
    """Whether a document is meant as this form of worked hands."""
    return isinstance(document, dict) and "regulation" in document and "rulesets" not in document


def read_casino(path: Path) -> CasinoRecord:
    """NotARecord when the file is missing, is no YAML, or has another shape."""
    return parsed(CasinoRecord, path.name, load(path))
