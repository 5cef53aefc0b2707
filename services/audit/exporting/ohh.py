"""A hand as Open Hand History 1.4.7 (hh-specs.handhistory.org), as seen from the rail: no hero, no unseen card."""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from jsonschema import Draft202012Validator

from libs.contracts import poker_events as p
from libs.contracts.facts import Fact
from services.audit.exporting.hand import NotExported, PublicHand

SPEC = "1.4.7"
PLAY_MONEY = "XPM"
_SCHEMA = Path(__file__).parent / "ohh-1.4.7.schema.json"
_MINOR = Decimal(100)
"""Minor units in one of the currency: the house counts in hundredths of every currency that it takes."""
_GAMES = {"omaha": "Omaha", "holdem": "Holdem"}
_BET_TYPES = {
    "no_limit": "NL",
    "pot_limit": "PL",
    "pot_limit_with_raise_cap": "PL",
    "limit_half_pot": "PL",
    "limit_raise_count": "FL",
}
_POSTS = {
    "small": "Post SB",
    "big": "Post BB",
    "entry": "Post Extra Blind",
    "ante": "Post Ante",
    "big_blind_ante": "Post Ante",
    "straddle": "Straddle",
    "missed": "Post Dead",
    "idle": "Post Extra Blind",
}
_STREETS = {"preflop": "Preflop", "flop": "Flop", "turn": "Turn", "river": "River"}


def ohh_of(hand: PublicHand) -> str:
    """JSON, one object with the key `ohh`; ValidationError when it is not of the published structure.

    NotExported for a game that it has no word for.
    """
    if hand.rules.variant not in _GAMES:
        raise NotExported(f"Open Hand History has no {hand.rules.variant}")
    encoder = msgspec.json.Encoder(decimal_format="number")
    text = encoder.encode({"ohh": _document(hand)})
    validator().validate(msgspec.json.decode(text))
    return msgspec.json.format(text, indent=2).decode() + "\n"


@cache
def validator() -> Draft202012Validator:
    """Of the structure as the house knows it; what it does not know stands in docs/hand-formats.md."""
    return Draft202012Validator(msgspec.json.decode(_SCHEMA.read_bytes()))


def _document(hand: PublicHand) -> dict[str, Any]:
    rules, started = hand.rules, hand.started
    players = {seat.seat: number for number, seat in enumerate(hand.seats)}
    return {
        "spec_version": SPEC,
        "site_name": "Croupier",
        "network_name": "Croupier",
        "internal_version": version("croupier"),
        "game_number": f"{started.table}-{started.hand}",
        "start_date_utc": datetime.fromtimestamp(hand.time // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "table_name": hand.name,
        "game_type": _GAMES[rules.variant],
        "bet_limit": {"bet_type": _BET_TYPES[rules.betting.structure], "bet_cap": Decimal("0.00")},
        "table_size": rules.seats,
        "currency": started.currency if started.kind == "real" else PLAY_MONEY,
        "dealer_seat": started.button,
        "small_blind_amount": _money(rules.betting.small_blind),
        "big_blind_amount": _money(rules.betting.big_blind),
        "ante_amount": _money(rules.betting.ante or rules.betting.big_blind_ante),
        "hero_player_id": None,
        "flags": ["Observed"],
        "players": [
            {"id": players[seat.seat], "seat": seat.seat, "name": seat.player, "starting_stack": _money(seat.stack)}
            for seat in hand.seats
        ],
        "rounds": _rounds(hand, players),
        "pots": list(_pots(hand, players)),
    }


def _money(units: int) -> Decimal:
    return (Decimal(units) / _MINOR).quantize(Decimal("0.01"))


def _rounds(hand: PublicHand, players: dict[int, int]) -> list[dict[str, Any]]:
    rounds: list[dict[str, Any]] = []
    _open(rounds, "Preflop", [])
    for fact in hand.facts:
        if isinstance(fact, p.StreetDealt):
            _open(rounds, _STREETS[fact.street], [card.card for card in fact.cards])
        elif isinstance(fact, p.CardsShown) and rounds[-1]["street"] != "Showdown":
            _open(rounds, "Showdown", [])
        for words in _action(fact, rounds[-1]["street"]):
            number = sum(len(each["actions"]) for each in rounds)
            seat = {"action_number": number, "player_id": players[fact.seat]}  # type: ignore[attr-defined]
            rounds[-1]["actions"].append({**seat, **words})
    return rounds


def _open(rounds: list[dict[str, Any]], street: str, cards: list[str]) -> None:
    rounds.append({"id": len(rounds), "street": street, "cards": cards, "actions": []})


def _action(fact: Fact, street: str) -> Iterator[dict[str, Any]]:
    match fact:
        case p.BlindPosted():
            yield {"action": _POSTS[fact.blind], "amount": _money(fact.amount), "is_allin": fact.all_in}
        case p.PlayerFolded():
            yield {"action": "Fold"}
        case p.PlayerChecked():
            yield {"action": "Check"}
        case p.BetPlaced():
            # What the act put in, not the total; before the flop the blinds are the bet.
            word = "Raise" if fact.act == "bet" and street == "Preflop" else fact.act.capitalize()
            yield {"action": word, "amount": _money(fact.amount), "is_allin": fact.all_in}
        case p.CardsShown():
            yield {"action": "Shows Cards", "cards": [card.card for card in fact.cards]}
        case _:
            pass


def _pots(hand: PublicHand, players: dict[int, int]) -> Iterator[dict[str, Any]]:
    """Without what came back uncalled; `amount` is before the commission, `win_amount` after it."""
    awards = [fact for fact in hand.facts if isinstance(fact, p.PotAwarded)]
    for number, award in enumerate(awards):
        wins = [{"player_id": players[paid.seat], "win_amount": _money(paid.net)} for paid in award.payments]
        yield {"number": number, "amount": _money(award.amount), "rake": _money(award.rake), "player_wins": wins}
