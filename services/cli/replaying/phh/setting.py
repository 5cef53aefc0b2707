"""The table on which a PHH hand was played: rulebook, seats, stacks; or why the house does not deal it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from libs.contracts.messages import Principal
from libs.contracts.table_commands import ConfirmSeat, OpenTable, SitIn, TakeSeat
from libs.money.rates import part_of
from libs.sealing.shuffle import MAX_SEATS
from services.cli.replaying.phh.notation import Amount, Exact, Hand
from services.cli.replaying.play import told
from services.cli.replaying.record import NotARecord
from services.table.domain.games.poker.state import PokerTable
from services.table.rulebooks.library import RULEBOOKS

_FORMS: dict[str, tuple[str, str]] = {
    "NT": ("common-holdem", "no_limit"),
    "FT": ("common-holdem", "limit_raise_count"),
    "PO": ("common-omaha", "pot_limit"),
}
"""PHH's code to rulebook and structure."""
NAMES = {
    "NT": "no-limit Texas hold'em",
    "FT": "fixed-limit Texas hold'em",
    "PO": "pot-limit Omaha",
    "NS": "no-limit short-deck hold'em",
    "FO/8": "fixed-limit Omaha high-low",
    "F7S": "fixed-limit seven-card stud",
    "F7S/8": "fixed-limit seven-card stud high-low",
    "FR": "fixed-limit razz",
    "N2L1D": "no-limit 2-7 single draw",
    "F2L3D": "fixed-limit 2-7 triple draw",
    "FB": "fixed-limit badugi",
    "NO": "no-limit Omaha (our code)",
    "FO": "fixed-limit Omaha (our code)",
    "HO": "half-pot-limit Omaha (our code)",
    "PT": "pot-limit Texas hold'em (our code)",
    "HT": "half-pot-limit Texas hold'em (our code)",
}


class NotDealt(Exception):
    """A game or a form of posting that the house does not have; the text says which."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything that stands before the first card; two hands with the same setting share a table."""

    rulebook: str
    configuration: tuple[tuple[str, Any], ...]
    seats: tuple[int, ...]
    """Seat of `p1`, `p2` …"""
    stacks: tuple[int, ...]
    button: int
    small_blind: int
    big_blind: int
    entries: tuple[int, ...]
    """Seats that freely post a big blind to be dealt in."""
    missed: tuple[int, ...] = ()
    """Of each seat, what it owes for blinds that passed (pt-217-2007 90)."""
    idle: tuple[int, ...] = ()
    """Seats that have put in nothing for so long that a live blind is due (89)."""


def check_variant(variant: Any) -> None:
    """NotDealt for a game that the house does not have, before anything else of the record is looked at."""
    if variant not in _FORMS:
        raise NotDealt(NAMES.get(variant, f"variant {str(variant)[:20]}"))


def setting_of(hand: Hand) -> Setting:
    noted = hand.noted
    stacks = hand.units(noted.starting_stacks)
    if noted.exact is not None:
        return _own(noted.exact, hand, tuple(noted.seats or ()), stacks)
    if len(stacks) > MAX_SEATS:
        raise NotDealt(f"a table of {len(stacks)}")
    if 0 in stacks:
        raise NotDealt("a player without chips")
    # Others number their seats as they like, from 0 or against the clock; only the order of the players counts.
    seats = tuple(range(1, len(stacks) + 1))
    rulebook, structure = _form(hand)
    last = len(seats) - 1
    small_blind, big_blind, straddle, coming_in = _blinds(hand)
    small, big = (last, 0) if last == 1 else (0, 1)
    configuration = {
        "structure": structure,
        "seats": max(seats),
        "small_blind": small_blind,
        "big_blind": big_blind,
        "straddle": straddle,
        **_antes(hand, big),
    }
    # Records do not say whether and what was burned: the board is dealt straight on.
    settled = _settled({**configuration, "burn_before_board": False}, stacks)
    entries = tuple(seats[place] for place in coming_in)
    if last in coming_in:
        raise NotDealt("a post on the button")  # it moves among those in play, and a newcomer is not
    return Setting(rulebook, settled, seats, stacks, seats[last], seats[small], seats[big], entries)


def _own(exact: Exact, hand: Hand, seats: tuple[int, ...], stacks: tuple[int, ...]) -> Setting:
    """An export of the house says under which rules it was played."""
    rulebook = RULEBOOKS.get(exact.rulebook)
    if rulebook is None:
        raise NotDealt(f"rulebook {exact.rulebook}")
    if len(set(seats)) != len(stacks) or not {exact.button, exact.small_blind, exact.big_blind} <= set(seats):
        raise NotARecord(f"{hand.name}: seats, stacks and blinds do not go together")
    kept = {name: value for name, value in exact.configuration.items() if name in rulebook.fields}
    if kept.get("dealer") == "live":
        raise NotDealt("a hand dealt by hand")  # its scans and incidents are no part of PHH
    big = kept["big_blind"]
    posted = hand.units(hand.noted.blinds_or_straddles)
    forced = (exact.small_blind, exact.big_blind)
    idle = tuple(seat for seat, post in zip(seats, exact.idle, strict=False) if post)
    others = (*forced, *idle)
    entries = tuple(s for s, post in zip(seats, posted, strict=True) if post == big and s not in others)
    settled = _settled({"mode": "continuous", **kept}, stacks)
    places = (exact.button, *forced)
    return Setting(exact.rulebook, settled, seats, stacks, *places, entries, tuple(exact.missed), idle)


def _settled(configuration: dict[str, Any], stacks: tuple[int, ...]) -> tuple[tuple[str, Any], ...]:
    """Buy-in bounds made to fit the stacks, and no waiting."""
    commission_bp = configuration["rake_bp"] if configuration.get("rake_mode") == "buy_in" else 0
    least, most = _gross(min(stacks), commission_bp), _gross(max(stacks), commission_bp)
    bounds = {"buy_in_min": least, "buy_in_max": most, "top_up_to": most}
    return tuple(sorted({**configuration, **bounds, "between_hands_ms": 0}.items()))


def _form(hand: Hand) -> tuple[str, str]:
    noted = hand.noted
    big = noted.blinds_or_straddles[1] if len(noted.blinds_or_straddles) > 1 else 0
    if noted.variant == "FT" and (noted.small_bet, noted.big_bet) != (big, 2 * big):
        raise NotDealt("fixed-limit bets that are not one and two big blinds")
    if noted.variant != "FT" and noted.min_bet != big:
        raise NotDealt("a minimum bet that is not the big blind")
    return _FORMS[noted.variant]


def _blinds(hand: Hand) -> tuple[int, int, int, tuple[int, ...]]:
    """Small and big blind, straddle, and the places of those who post to come in."""
    posts = hand.units(hand.noted.blinds_or_straddles)
    if len(posts) != len(hand.noted.starting_stacks) or not 0 < posts[0] <= posts[1]:
        raise NotDealt("blinds other than a small and a big one")
    small, big, *others = posts
    straddle = others[0] if others and others[0] > big else 0
    entries = tuple(place for place, post in enumerate(posts) if place > 1 and post == big)
    rest = [post for post in others[1 if straddle else 0 :] if post not in (0, big)]
    if rest or 0 < straddle < 2 * big:
        raise NotDealt("posts other than blinds, one straddle and big blinds to come in")
    return small, big, straddle, entries


def _antes(hand: Hand, big_blind: int) -> dict[str, int]:
    antes: list[Amount] = list(hand.noted.antes)
    units = hand.units(antes)
    if not any(units):
        return {}
    others = {ante for place, ante in enumerate(units) if place != big_blind}
    if len(set(units)) == 1:
        short = min(hand.units(hand.noted.starting_stacks)) < units[0]
        if short and not hand.noted.ante_trimming_status:
            raise NotDealt("an ante that is dead money, from somebody who has less")
        return {"ante": units[0]}
    if others == {0}:
        return {"big_blind_ante": units[big_blind]}
    raise NotDealt("antes other than one from everybody or one from the big blind")


@lru_cache(maxsize=256)
def table_for(setting: Setting) -> PokerTable:
    """Opened and seated by commands, once for all hands with this setting; the button is put one place behind."""
    opening = OpenTable(name="Recorded hand", rulebook=setting.rulebook, configuration=dict(setting.configuration))
    state = told(PokerTable(table="replay"), Principal("staff", "replay"), opening)
    seated = dict(zip(setting.seats, setting.stacks, strict=True))
    for seat in (seat for seat in setting.seats if seat not in setting.entries):
        state = _seat(state, seat, seated[seat])
    state = _as_left(state, setting)
    for seat in setting.entries:
        state = _seat(state, seat, seated[seat])
        state = told(state, Principal("player", f"s{seat}"), SitIn(post_big_blind=True))
    return state


def _as_left(state: PokerTable, setting: Setting) -> PokerTable:
    """As the hand before left it: a button or a lead that comes to its place next, and blinds owed."""
    in_play = sorted(state.seats)
    if state.rules.dealing.positions == "button":
        return replace(state, running=True, button=in_play[in_play.index(setting.button) - 1])
    seats = dict(state.seats)
    for seat, owed in zip(setting.seats, setting.missed, strict=False):
        small, both = state.rules.betting.small_blind, state.rules.betting.small_blind + state.rules.betting.big_blind
        seats[seat] = replace(seats[seat], owes_small=owed in (small, both), owes_big=owed > small)
    for seat in setting.idle:
        seats[seat] = replace(seats[seat], idle=state.rules.betting.idle_hands)
    return replace(state, seats=seats, running=True, hands=1, button=setting.button)


def _seat(state: PokerTable, seat: int, stack: int) -> PokerTable:
    take = TakeSeat(
        reservation=f"sitting-{seat}",
        seat=seat,
        amount=_gross(stack, 0 if state.rules.rakes_pots else state.rules.rake.bp),
    )
    state = told(state, Principal("player", f"s{seat}"), take)
    return told(state, Principal("policy", "replay"), ConfirmSeat(reservation=take.reservation))


def _gross(stack: int, commission_bp: int) -> int:
    """The buy-in that leaves this stack where the house takes its commission at the door (pt-811-2015 17.b)."""
    amount = stack
    while (left := amount - part_of(amount, commission_bp)) < stack:
        amount += stack - left
    return amount
