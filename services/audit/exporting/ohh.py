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

from libs.views.recorded import Action
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
    rules, record = hand.rules, hand.record
    players = {seat.seat: number for number, seat in enumerate(hand.seats)}
    return {
        "spec_version": SPEC,
        "site_name": "Croupier",
        "network_name": "Croupier",
        "internal_version": version("croupier"),
        "game_number": f"{record.table}-{record.hand}",
        "start_date_utc": datetime.fromtimestamp(record.started_at // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "table_name": record.table_name,
        "game_type": _GAMES[rules.variant],
        "bet_limit": {"bet_type": _BET_TYPES[rules.betting.structure], "bet_cap": Decimal("0.00")},
        "table_size": rules.seats,
        "currency": record.currency if record.kind == "real" else PLAY_MONEY,
        "dealer_seat": record.button,
        "small_blind_amount": _money(rules.betting.small_blind),
        "big_blind_amount": _money(rules.betting.big_blind),
        "ante_amount": _money(rules.betting.ante or rules.betting.big_blind_ante),
        "hero_player_id": None,
        "flags": ["Observed"],
        "players": [
            {
                "id": players[seat.seat],
                "seat": seat.seat,
                "name": seat.player,
                "starting_stack": _money(seat.stack_before),
            }
            for seat in hand.seats
        ],
        "rounds": _rounds(hand, players),
        "pots": list(_pots(hand, players)),
    }


def _money(units: int) -> Decimal:
    return (Decimal(units) / _MINOR).quantize(Decimal("0.01"))


def _rounds(hand: PublicHand, players: dict[int, int]) -> list[dict[str, Any]]:
    said = [(act.street or "", act.seat, words) for act in hand.record.actions if (words := _words(act))]
    shows = [("", seat, {"action": "Shows Cards", "cards": cards}) for seat, cards in hand.shown.items()]
    steps = [
        ("preflop", "Preflop", []),
        *((street, street.capitalize(), cards) for street, cards in hand.streets.items()),
    ]
    rounds: list[dict[str, Any]] = []
    number = 0
    for street, name, cards in [*steps, *([("", "Showdown", [])] if shows else [])]:
        actions = []
        for _, seat, words in (each for each in [*said, *shows] if each[0] == street):
            actions.append({"action_number": number, "player_id": players[seat], **words})
            number += 1
        rounds.append({"id": len(rounds), "street": name, "cards": cards, "actions": actions})
    return rounds


def _words(act: Action) -> dict[str, Any] | None:
    match act.act:
        case "post":
            word = _POSTS[act.blind or ""]
        case "fold" | "check":
            return {"action": act.act.capitalize()}
        case "bet" if act.street == "preflop":
            word = "Raise"  # the blinds are the bet
        case "bet" | "call" | "raise":
            word = act.act.capitalize()
        case _:
            return None
    # What the act put in, not the total.
    return {"action": word, "amount": _money(act.amount), "is_allin": act.all_in}


def _pots(hand: PublicHand, players: dict[int, int]) -> Iterator[dict[str, Any]]:
    """Without what came back uncalled; `amount` is before the commission, `win_amount` after it."""
    for number, pot in enumerate(hand.record.awards):
        wins = [{"player_id": players[paid.seat], "win_amount": _money(paid.net)} for paid in pot.payments]
        yield {"number": number, "amount": _money(pot.amount), "rake": _money(pot.rake), "player_wins": wins}
