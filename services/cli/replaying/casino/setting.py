"""The table as it stood before a worked hand of casino poker, and the deck that the hand names."""

from typing import Any

from msgspec.structs import replace

from libs.cards.card import parse_all
from libs.cards.games import GAMES
from libs.contracts.messages import Principal
from libs.contracts.table_commands import ConfirmSeat, OpenTable, TakeSeat
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.casino.record import CasinoHand, Post
from services.cli.replaying.setting import DECISION_MS, stacked, told
from services.table.domain.games.poker.state import PokerSitter, PokerTable

_STRUCTURES = {"half_pot": "limit_half_pot"}
IDLE_HANDS = 5


def rulebook_of(hand: CasinoHand) -> str:
    return f"pt-217-2007-{hand.config.variant}"


def table_before(hand: CasinoHand, decks: str = "") -> PokerTable:
    """Opened, with a dealer where there are `decks`, and seated by commands; then what earlier hands left is put in."""
    opening = OpenTable(
        name=hand.title[:80],
        rulebook=rulebook_of(hand),
        configuration=configuration_of(hand) | ({"dealer": "live", "decks": decks} if decks else {}),
    )
    state = told(PokerTable(table=f"replay-{hand.id}"), Principal("staff", "replay"), opening)
    for player in hand.players:
        sitting = f"{hand.id}-{player.seat}"
        take = TakeSeat(reservation=sitting, seat=player.seat, amount=player.stack)
        state = told(state, Principal("player", player.name), take)
        state = told(state, Principal("policy", "replay"), ConfirmSeat(reservation=sitting))
    seats = {seat: _owing(sitter, hand) for seat, sitter in state.seats.items()}
    return replace(state, seats=seats, running=True, hands=1, button=_marker_before(hand))


def _marker_before(hand: CasinoHand) -> int:
    """The seat from which the marker comes to the lead seat, past newcomers who may not have it (80)."""
    seats = sorted(player.seat for player in hand.players if player.dealt_in)
    return seats[seats.index(hand.lead_seat) - 1]


def _owing(sitter: PokerSitter, hand: CasinoHand) -> PokerSitter:
    """What the recorded posts say of the hands before: missed blinds, hands without a bet, a newcomer."""
    posts = [line for line in hand.events if isinstance(line, Post) and line.seat == sitter.seat]
    missed = sum(line.amount for line in posts if line.post == "missed_blinds_dead")
    return replace(
        sitter,
        owes_small=missed in (hand.config.small_blind, hand.config.small_blind + hand.config.big_blind),
        owes_big=missed >= hand.config.big_blind,
        idle=IDLE_HANDS if any(line.post == "idle_big_blind_live" for line in posts) else 0,
        newcomer=any(player.seat == sitter.seat and not player.dealt_in for player in hand.players),
    )


def configuration_of(hand: CasinoHand) -> dict[str, Any]:
    """The operator's configuration behind the file's; buy-in bounds are made to fit the stacks."""
    config = hand.config
    stacks = [player.stack for player in hand.players]
    return {
        "approval": "worked hands",
        "structure": _STRUCTURES.get(config.limit_mode, config.limit_mode),
        "raise_cap": config.raise_cap,
        "small_blind": config.small_blind,
        "big_blind": config.table_min,
        "min_unit": config.pot_split_unit,
        "buy_in_min": min(stacks),
        "buy_in_max": max(stacks),
        "top_up_to": max(stacks),
        "rake_mode": "pot",
        "rake_bp": config.rake.percent_bp,
        "rake_cap": config.rake.cap,
        "decision_ms": DECISION_MS,
        "between_hands_ms": 0,
    }


def deck_of(hand: CasinoHand) -> Shuffle:
    """Hole cards in their laps, then the stub; some hands name the whole deck from the first card dealt."""
    stub = parse_all(hand.stub_top)
    dealt = {player.seat: parse_all(player.hole) for player in hand.players if player.dealt_in}
    if not any(dealt.values()) or set(stub) & {card for hole in dealt.values() for card in hole}:
        return stacked([], [stub], False, hand.id)
    seats = sorted(dealt)
    start = seats.index(hand.lead_seat)
    laps = GAMES[hand.config.variant].hole_cards
    holes = [dealt[seat] or [None] * laps for seat in seats[start:] + seats[:start]]
    return stacked(holes, [stub], False, hand.id)
