"""Worked hands of casino poker as their file has them (its `conventions` explain), and table and deck before each."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from msgspec.structs import replace
from pydantic import Discriminator, Field, Tag, model_validator

from libs.cards.card import parse_all
from libs.cards.variants import VARIANTS
from libs.contracts.table_commands import OpenTable
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.play import DECISION_MS, bounds, seated, stacked
from services.cli.replaying.record import Amount, CardName, Cards, Claims, Five, Part, Player, Seat, check_numbered
from services.table.domain.games.poker.state import PokerSitter, PokerTable

Spoken = Literal["fold", "check", "call", "bet", "raise"]


class Rake(Part):
    mode: Literal["per_hand"]
    percent_bp: int
    cap: Amount | None = None


class Config(Part):
    rulebook: Literal["pt-217-2007-casino-poker"]
    variant: Literal["omaha", "holdem"]
    limit_mode: Literal["no_limit", "pot_limit", "half_pot"]
    table_min: Amount
    small_blind: Amount
    big_blind: Amount
    raise_cap: int
    pot_split_unit: Amount
    rake: Rake

    @model_validator(mode="after")
    def minimum_is_the_big_blind(self) -> Self:
        if self.big_blind != self.table_min:
            raise ValueError("big_blind is not table_min")
        return self


class Reshuffle(Part):
    at_event: int
    returned: Cards
    new_stub_top: Cards
    stub_size: int


class Line(Part):
    """A line of play, and how things stand after it. `note` is for people."""

    seq: int
    stack_after: int | None = None
    pot_after: int | None = None
    stub_left: int | None = None
    note: str = ""


class Post(Line):
    event: Literal["post"]
    seat: Seat
    post: Literal["small", "big", "idle_big_blind_live", "missed_blinds_dead"]
    amount: Amount
    late: bool = False
    counts_as_bet: bool | None = None


class DealHole(Line):
    event: Literal["deal_hole"]
    order: list[Seat]
    passes: int
    dealt_cards: Cards = []
    exposed_card_no: int | None = None


class Act(Line):
    event: Literal["action"]
    round: str
    seat: Seat
    action: Spoken
    adds: Amount
    to: Amount | None = None
    raise_no: int | None = None
    all_in: bool = False
    skipping: Seat | None = None
    """Whose turn was passed over."""
    binding: bool = False
    """Only what was done out of turn before."""
    completes_underpaid: bool = False


class Attempt(Line):
    event: Literal["attempt"]
    round: str
    seat: Seat
    action: Spoken
    to: Amount | None = None
    result: Literal["rejected"]
    reason: str
    maximum_to: Amount | None = None
    players_in_play: int | None = None


class Burn(Line):
    """`source` in words: a card that lies face up already."""

    event: Literal["burn"]
    card: CardName
    source: str = ""


class BoardDealt(Line):
    event: Literal["board"]
    street: str
    cards: Annotated[Cards, Field(min_length=1)]
    board: Cards
    burned_before: bool = True
    would_have_been: str = ""
    """The street that its cards would have been, had nothing gone wrong."""


class Reshuffled(Line):
    event: Literal["reshuffle"]
    returned: Cards


class Incident(Line):
    """Which fields it has hangs on its code. `effect` is for people."""

    event: Literal["incident"]
    code: str
    effect: str = ""
    seat: Seat | None = None
    card: CardName | None = None
    card_no: int | None = None
    exposed: Cards = []
    call_only_seats: list[Seat] = []
    announced_winner: Seat | None = None
    announced: str = ""
    corrected_winner: Seat | None = None
    action: Spoken | None = None
    to: Amount | None = None
    chips_held: Amount | None = None
    turn_was_seat: Seat | None = None
    placed: Amount | None = None
    due: Amount | None = None
    missing: int | None = None
    treated_as: str = ""
    kept: Amount | None = None
    returned: Amount | None = None
    decided_by: str = ""

    @model_validator(mode="after")
    def is_played(self) -> Self:
        needed = INCIDENTS.get(self.code)
        if needed is None:
            raise ValueError(f"the replay plays no incident {self.code[:20]!r}")
        other = {"seq", "event", "code", "effect", *Line.model_fields}
        if (given := self.model_fields_set - other) != needed:
            raise ValueError(
                f"{self.code} has {', '.join(sorted(needed))}, not {', '.join(sorted(given)) or 'nothing'}"
            )
        return self


INCIDENTS: Mapping[str, set[str]] = {
    "DE-69g": {"seat", "card", "card_no"},
    "DE-70a": {"announced_winner", "announced", "corrected_winner"},
    "DE-70b": {"seat"},
    "DE-70c": {"seat", "card", "card_no"},
    "DE-70d": {"exposed", "call_only_seats"},
    "DE-70e": {"exposed", "call_only_seats"},
    "DE-70f": {"exposed", "call_only_seats"},
    "DE-70g": {"card"},
    "PE-71c": {"seat", "placed", "due", "missing"},
    "PE-71d": {"seat", "placed", "treated_as", "kept", "returned"},
    "PE-71f": {"seat", "action", "to", "chips_held", "turn_was_seat"},
    "PE-71i": {"seat", "decided_by"},
}
"""What is told of each incident that the replay plays."""


class Show(Line):
    event: Literal["show"]
    seat: Seat
    cards: Cards
    best_five: Five
    combination: str


class UncalledReturned(Line):
    event: Literal["uncalled_returned"]
    seat: Seat
    amount: Amount


class Award(Line):
    event: Literal["award"]
    pot: str
    seat: Seat
    gross: Amount
    rake: Amount
    net: Amount


class Voided(Line):
    event: Literal["hand_void"]
    refunds: dict[int, int]
    state_before: str
    next_lead_seat: Seat


Event = Annotated[
    Post | DealHole | Act | Attempt | Burn | BoardDealt | Reshuffled | Incident | Show | UncalledReturned | Award
    | Voided,
    Field(discriminator="event"),
]  # fmt: skip


class CasinoPlayer(Player):
    dealt_in: bool = True


class Paid(Part):
    contributions: dict[int, int]
    uncalled_returned: Claims | Literal["none"]
    pot_total: Amount
    pots: list[Claims]
    payments: list[Claims]
    rake_total: Amount
    net_payouts: dict[int, int]
    final_stacks: dict[int, int]
    conservation: Claims
    combinations: dict[int, str] = {}


class Refunded(Part):
    result: Literal["void"]
    refunds: dict[int, int]
    rake_total: Amount
    final_stacks: dict[int, int]
    conservation: Claims


def _outcome(expected: Any) -> str:
    return "void" if isinstance(expected, dict) and "result" in expected else "paid"


class CasinoHand(Part):
    """`refs`, `setup`, `checks` and `rejected_readings` are for people."""

    id: str
    title: str
    refs: list[str]
    setup: str
    config: Config
    lead_seat: Seat
    players: list[CasinoPlayer] = Field(min_length=4)
    stub_top: Cards
    events: list[Event] = Field(min_length=1)
    expected: Annotated[
        Annotated[Paid, Tag("paid")] | Annotated[Refunded, Tag("void")], Discriminator(_outcome)
    ]  # fmt: skip
    reshuffles: list[Reshuffle] = []
    checks: list[Any] = []
    rejected_readings: list[Any] = []

    @model_validator(mode="after")
    def goes_together(self) -> Self:
        seats, cards = [player.seat for player in self.players], VARIANTS[self.config.variant].hole_cards
        if len(set(seats)) != len(seats) or self.lead_seat not in {p.seat for p in self.players if p.dealt_in}:
            raise ValueError("each seat has one player, and the lead seat one who is dealt in")
        if any(player.hole and len(player.hole) != cards for player in self.players):
            raise ValueError(f"{self.config.variant} has {cards} hole cards")
        check_numbered("events", self.events)
        at = [line.seq for line in self.events if line.event == "reshuffle"]
        if [reshuffle.at_event for reshuffle in self.reshuffles] != at:
            raise ValueError(f"reshuffles are at the events {at}")
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
    hands: list[CasinoHand] = Field(min_length=1)


_STRUCTURES = {"half_pot": "limit_half_pot"}
_IDLE_HANDS = 5
DECK_ID = "A"


def rulebook_of(hand: CasinoHand) -> str:
    return f"pt-217-2007-{hand.config.variant}"


def table_before(hand: CasinoHand) -> PokerTable:
    """With a dealer where the hand needs one; what earlier hands left is put in after the seats are taken."""
    config = hand.config
    configuration = {
        "approval": "worked hands",
        "structure": _STRUCTURES.get(config.limit_mode, config.limit_mode),
        "raise_cap": config.raise_cap,
        "small_blind": config.small_blind,
        "big_blind": config.table_min,
        "min_unit": config.pot_split_unit,
        "rake_mode": "pot",
        "rake_bp": config.rake.percent_bp,
        "rake_cap": config.rake.cap,
        "decision_ms": DECISION_MS,
        **bounds([player.stack for player in hand.players]),
        **({"dealer": "live", "decks": f"{DECK_ID}:red"} if hand.live else {}),
    }
    opening = OpenTable(name=hand.title[:80], rulebook=rulebook_of(hand), configuration=configuration)
    stacks = {player.seat: (player.name, player.stack) for player in hand.players}
    state = seated(PokerTable(table=f"replay-{hand.id}"), opening, stacks)
    dealt_in = sorted(player.seat for player in hand.players if player.dealt_in)
    # The marker comes to the lead seat past newcomers, who may not have it (80).
    marker = dealt_in[dealt_in.index(hand.lead_seat) - 1]
    seats = {seat: _owing(sitter, hand) for seat, sitter in state.seats.items()}
    return replace(state, seats=seats, running=True, hands=1, button=marker)


def _owing(sitter: PokerSitter, hand: CasinoHand) -> PokerSitter:
    """What the recorded posts say of the hands before: missed blinds, hands without a bet, a newcomer."""
    posts = [line for line in hand.events if isinstance(line, Post) and line.seat == sitter.seat]
    missed = sum(line.amount for line in posts if line.post == "missed_blinds_dead")
    return replace(
        sitter,
        owes_small=missed in (hand.config.small_blind, hand.config.small_blind + hand.config.big_blind),
        owes_big=missed >= hand.config.big_blind,
        idle=_IDLE_HANDS if any(line.post == "idle_big_blind_live" for line in posts) else 0,
        newcomer=any(player.seat == sitter.seat and not player.dealt_in for player in hand.players),
    )


def deck_of(hand: CasinoHand) -> Shuffle:
    """Hole cards in their laps, then the stub; some hands name the whole deck from the first card dealt."""
    stub = parse_all(hand.stub_top)
    dealt = {player.seat: parse_all(player.hole) for player in hand.players if player.dealt_in}
    if not any(dealt.values()) or set(stub) & {card for hole in dealt.values() for card in hole}:
        return stacked([], [stub], False)
    seats = sorted(dealt)
    start = seats.index(hand.lead_seat)
    laps = VARIANTS[hand.config.variant].hole_cards
    holes = [dealt[seat] or [None] * laps for seat in seats[start:] + seats[:start]]
    return stacked(holes, [stub], False)
