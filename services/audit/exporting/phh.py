"""A hand as PHH (phh.readthedocs.io). Unseen hole cards are `????`; what PHH has no word for stands in `_croupier`."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from libs.contracts.configurations import flat
from libs.views.recorded import Action
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
    rules, at = hand.rules, datetime.fromtimestamp(hand.record.started_at / 1000, UTC)
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
        "starting_stacks": [seat.stack_before for seat in hand.seats],
        "finishing_stacks": [hand.stack_after(seat) for seat in hand.seats],
        "time": at.time().replace(microsecond=0),
        "time_zone": "UTC",
        "day": at.day,
        "month": at.month,
        "year": at.year,
        "hand": hand.record.hand,
        "table": hand.record.table,
        "seats": [seat.seat for seat in hand.seats],
        "seat_count": rules.seats,
        "players": [seat.player for seat in hand.seats],
    }


def _own(hand: PublicHand) -> dict[str, Any]:
    """What the replay needs to play the hand under its own rules, and what a reader may want to know."""
    record = hand.record
    return {
        "rulebook": record.rulebook,
        "rulebook_hash": record.rulebook_hash,
        "currency": record.currency,
        "kind": record.kind,
        "table_name": record.table_name,
        "deck_root": record.deck_root,
        "deck_leaves": record.deck_leaves,
        "button": record.button,
        "small_blind": record.small_blind,
        "big_blind": record.big_blind,
        "missed": _posted(hand, "missed"),
        "idle": _posted(hand, "idle"),
        "protected": [act.seat for act in hand.record.actions if _is_protected(act)],
        "outcome": record.outcome,
        "rake": record.rake,
    }


def _antes(hand: PublicHand, places: dict[int, int]) -> list[int]:
    antes = [hand.rules.betting.ante] * len(places)
    antes[places[hand.record.big_blind]] += hand.rules.betting.big_blind_ante
    return [ante + missed for ante, missed in zip(antes, _posted(hand, "missed"), strict=True)]


def _posted(hand: PublicHand, blind: str) -> list[int]:
    """What each player posted of that kind: `missed` blinds, dead, or an `idle` one, live (pt-217-2007 89, 90)."""
    posts = [act for act in hand.record.actions if act.blind == blind]
    return [sum(post.amount for post in posts if post.seat == seat.seat) for seat in hand.seats]


def _blinds(hand: PublicHand, places: dict[int, int]) -> list[int]:
    """Whole posts, also of those who had less. Heads-up small stands before big, though `p2` posts the small one."""
    rules = hand.rules
    if len(places) == 2:
        return [rules.betting.small_blind, rules.betting.big_blind]
    posts = [0] * len(places)
    posts[places[hand.record.small_blind]] = rules.betting.small_blind
    posts[places[hand.record.big_blind]] = rules.betting.big_blind
    sizes = {"entry": rules.betting.big_blind, "idle": rules.betting.big_blind, "straddle": rules.betting.straddle}
    for act in hand.record.actions:
        if act.blind in sizes:
            posts[places[act.seat]] = sizes[act.blind]
    return posts


def _actions(hand: PublicHand) -> Iterator[str]:
    player = {seat.seat: f"p{place}" for place, seat in enumerate(hand.seats, start=1)}
    for seat in hand.seats:
        yield f"d dh {player[seat.seat]} {''.join(hand.shown.get(seat.seat, ['??'] * hand.hole_cards))}"
    undealt = dict(hand.streets)
    for act in hand.record.actions:
        if act.act not in _ACTS or _is_protected(act):
            continue
        while act.street in undealt:
            yield f"d db {''.join(undealt.pop(next(iter(undealt))))}"
        yield f"{player[act.seat]} {_ACTS[act.act]}" + (f" {act.to}" if act.act in ("bet", "raise") else "")
    # Who is all-in shows before the rest of the board is dealt, as PHH wants it; our tables show at the end.
    yield from (f"{player[seat]} sm {''.join(cards)}" for seat, cards in hand.shown.items())
    yield from (f"d db {''.join(cards)}" for cards in undealt.values())


def _is_protected(act: Action) -> bool:
    """Stayed in as if all-in when the clock ran out, for which PHH has no word."""
    return act.act == "check" and act.all_in


_ACTS = {"fold": "f", "check": "cc", "call": "cc", "bet": "cbr", "raise": "cbr"}


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        # JSON's escapes are TOML's too, but for one control character that JSON leaves as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value)
