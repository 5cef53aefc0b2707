"""Worked hands of casino poker as their file has them (its `conventions` explain), and table and deck before each."""

from typing import Any, Literal, Self

from msgspec.structs import replace
from pydantic import Field, model_validator

from libs.cards.card import parse_all
from libs.cards.variants import VARIANTS
from libs.contracts.table_commands import OpenTable
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.play import DECISION_MS, bounds, seated, stacked
from services.cli.replaying.record import CardName, Cards, Claims, Line, Part, Player
from services.table.domain.games.poker.state import PokerSitter, PokerTable


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
    posts = [line for line in hand.events if line.event == "post" and line.seat == sitter.seat]
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
        return stacked([], [stub], False, hand.id)
    seats = sorted(dealt)
    start = seats.index(hand.lead_seat)
    laps = VARIANTS[hand.config.variant].hole_cards
    holes = [dealt[seat] or [None] * laps for seat in seats[start:] + seats[:start]]
    return stacked(holes, [stub], False, hand.id)
