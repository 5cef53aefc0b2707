"""A hand as PHH (phh.readthedocs.io). Unseen hole cards are `????`; what PHH has no word for stands in `_croupier`."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from libs.contracts import poker_events
from libs.contracts.configurations import flat
from libs.contracts.facts import Fact
from services.audit.exporting.hand import NotExported, PublicHand

CODES: dict[tuple[str, str], str] = {
    ("holdem", "no_limit"): "NT",
    ("holdem", "limit_raise_count"): "FT",
    ("omaha", "pot_limit"): "PO",
    ("omaha", "pot_limit_with_raise_cap"): "PO",
    # PHH has no code for these; other readers will say that they do not know them (docs/hand-formats.md).
    ("omaha", "no_limit"): "NO",
    ("omaha", "limit_raise_count"): "FO",
    ("omaha", "limit_half_pot"): "HO",
    ("holdem", "pot_limit"): "PT",
    ("holdem", "limit_half_pot"): "HT",
    ("holdem", "pot_limit_with_raise_cap"): "PT",
}


def phh_of(hand: PublicHand) -> str:
    """TOML. Amounts are whole minor units of `_croupier.currency`. NotExported for a game that it has no word for."""
    if (hand.rules.variant, hand.rules.betting.structure) not in CODES:
        raise NotExported(f"PHH has no {hand.rules.variant}")
    lines = [f"{name} = {_toml(value)}" for name, value in _fields(hand).items()]
    actions = [f"  {_toml(action)}," for action in _actions(hand)]
    own = [f"{name} = {_toml(value)}" for name, value in _own(hand).items()]
    rules = [f"{name} = {_toml(value)}" for name, value in flat(hand.rules).items() if value is not None]
    body = [*lines, "actions = [", *actions, "]", "", "[_croupier]", *own, "", "[_croupier.configuration]", *rules]
    return "\n".join(body) + "\n"


def _fields(hand: PublicHand) -> dict[str, Any]:
    rules, at = hand.rules, datetime.fromtimestamp(hand.time / 1000, UTC)
    places = {seat.seat: place for place, seat in enumerate(hand.seats)}
    big = rules.betting.big_blind
    fixed = rules.betting.structure == "limit_raise_count"
    return {
        "variant": CODES[rules.variant, rules.betting.structure],
        # An ante from everybody is a stake like any other; one from the big blind is dead money, as are missed blinds.
        "ante_trimming_status": rules.betting.big_blind_ante == 0 and not any(_posted(hand, "missed")),
        "antes": _antes(hand, places),
        "blinds_or_straddles": _blinds(hand, places),
        **({"small_bet": big, "big_bet": 2 * big} if fixed else {"min_bet": big}),
        "starting_stacks": [seat.stack for seat in hand.seats],
        "finishing_stacks": [hand.stack_after(seat) for seat in hand.seats],
        "time": at.time().replace(microsecond=0),
        "time_zone": "UTC",
        "day": at.day,
        "month": at.month,
        "year": at.year,
        "hand": hand.started.hand,
        "table": hand.started.table,
        "seats": [seat.seat for seat in hand.seats],
        "seat_count": rules.seats,
        "players": [seat.player for seat in hand.seats],
    }


def _own(hand: PublicHand) -> dict[str, Any]:
    """What the replay needs to play the hand under its own rules, and what a reader may want to know."""
    started = hand.started
    return {
        "rulebook": started.rulebook,
        "rulebook_hash": started.rulebook_hash,
        "currency": started.currency,
        "kind": started.kind,
        "table_name": hand.name,
        "deck_root": started.deck_root,
        "button": started.button,
        "small_blind": started.small_blind,
        "big_blind": started.big_blind,
        "missed": _posted(hand, "missed"),
        "idle": _posted(hand, "idle"),
        "outcome": "void" if hand.voided is not None else "ended",
        "rake": hand.ended.rake if hand.ended is not None else 0,
    }


def _antes(hand: PublicHand, places: dict[int, int]) -> list[int]:
    antes = [hand.rules.betting.ante] * len(places)
    antes[places[hand.started.big_blind]] += hand.rules.betting.big_blind_ante
    return [ante + missed for ante, missed in zip(antes, _posted(hand, "missed"), strict=True)]


def _posted(hand: PublicHand, blind: str) -> list[int]:
    """What each player posted of that kind: `missed` blinds, dead, or an `idle` one, live (pt-217-2007 89, 90)."""
    posts = [fact for fact in hand.facts if isinstance(fact, poker_events.BlindPosted) and fact.blind == blind]
    return [sum(post.amount for post in posts if post.seat == seat.seat) for seat in hand.seats]


def _blinds(hand: PublicHand, places: dict[int, int]) -> list[int]:
    """Whole posts, also of those who had less. Heads-up small stands before big, though `p2` posts the small one."""
    rules = hand.rules
    if len(places) == 2:
        return [rules.betting.small_blind, rules.betting.big_blind]
    posts = [0] * len(places)
    posts[places[hand.started.small_blind]] = rules.betting.small_blind
    posts[places[hand.started.big_blind]] = rules.betting.big_blind
    sizes = {"entry": rules.betting.big_blind, "idle": rules.betting.big_blind, "straddle": rules.betting.straddle}
    for fact in hand.facts:
        if isinstance(fact, poker_events.BlindPosted) and fact.blind in sizes:
            posts[places[fact.seat]] = sizes[fact.blind]
    return posts


def _actions(hand: PublicHand) -> Iterator[str]:
    player = {seat.seat: f"p{place}" for place, seat in enumerate(hand.seats, start=1)}
    shown = hand.shown
    for seat in hand.seats:
        yield f"d dh {player[seat.seat]} {''.join(shown.get(seat.seat, ['??'] * hand.hole_cards))}"
    acts = (poker_events.PlayerFolded, poker_events.PlayerChecked, poker_events.BetPlaced)
    last = max((place for place, fact in enumerate(hand.facts) if isinstance(fact, acts)), default=-1)
    for fact in hand.facts[: last + 1]:
        yield from _line(fact, player)
    # Who is all-in shows before the rest of the board is dealt, as PHH wants it; our tables show at the end.
    yield from (f"{player[seat]} sm {''.join(cards)}" for seat, cards in shown.items())
    for fact in hand.facts[last + 1 :]:
        yield from _line(fact, player)


def _line(fact: Fact, player: dict[int, str]) -> Iterator[str]:
    match fact:
        case poker_events.StreetDealt():
            yield f"d db {''.join(card.card for card in fact.cards)}"
        case poker_events.PlayerFolded():
            yield f"{player[fact.seat]} f"
        case poker_events.PlayerChecked():
            yield f"{player[fact.seat]} cc"
        case poker_events.BetPlaced():
            yield f"{player[fact.seat]} {'cc' if fact.act == 'call' else f'cbr {fact.to}'}"
        case _:
            pass


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        # JSON's escapes are TOML's too, but for one control character that JSON leaves as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value)
