"""The table on which a PHH hand was played: rulebook, seats, stacks; or why the house does not deal it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from libs.contracts.messages import Principal
from libs.contracts.table_commands import ConfirmSeat, OpenTable, SitIn, TakeSeat
from libs.money.rates import BASIS_POINTS
from libs.rulebooks.library import RULEBOOKS
from libs.rulebooks.poker import PokerRulebook
from libs.sealing.shuffle import MAX_SEATS
from services.cli.replaying.phh.forced import Forced, forced_of
from services.cli.replaying.phh.notation import Exact, Hand, NotDealt
from services.cli.replaying.play import told
from services.cli.replaying.record import NotARecord
from services.table.domain.games.poker.order import lies_between
from services.table.domain.games.poker.state import PokerTable

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
    entries: tuple[int, ...] = ()
    """Seats that freely post a big blind to be dealt in."""
    late: tuple[int, ...] = ()
    """Seats that post one for a big blind that passed."""
    missed: tuple[int, ...] = ()
    """Of each seat, what it owes dead for blinds that passed (pt-217-2007 90)."""
    idle: tuple[int, ...] = ()
    """Seats that have put in nothing for so long that a live blind is due (89)."""


def check_variant(variant: Any) -> None:
    """NotDealt for a game that the house does not have, before anything else of the record is looked at."""
    if not isinstance(variant, str) or variant not in _FORMS:
        raise NotDealt(NAMES.get(str(variant), f"variant {str(variant)[:20]}"))


def setting_of(hand: Hand) -> Setting:
    """NotDealt for what the house has not; NotARecord for what does not go together."""
    noted = hand.noted
    stacks = hand.units(noted.starting_stacks)
    if 0 in stacks:
        raise NotDealt("a player without chips")
    if noted.exact is not None:
        return _own(noted.exact, hand, tuple(noted.seats or ()), stacks)
    if len(stacks) > MAX_SEATS:
        raise NotDealt(f"a table of {len(stacks)}")
    forced = forced_of(hand, stacks)
    rulebook, structure = _form(hand, forced)
    # Others number their seats as they like, from 0 or against the clock; only the order of the players counts.
    seats = tuple(range(1, len(stacks) + 1))
    configuration = {
        "structure": structure,
        "seats": len(seats),
        "small_blind": forced.small,
        "big_blind": forced.big,
        "single_blind": forced.small_place == forced.big_place,
        "straddle": forced.straddle,
        "ante": forced.ante,
        "big_blind_ante": forced.big_blind_ante,
        # Records do not say whether and what was burned: the board is dealt straight on.
        "burn_before_board": False,
        # They do not say either what their room had on offer.
        "unanswerable_raise": True,
    }
    if forced.late or any(forced.dead):
        configuration |= {"entering": "missed_blinds", "missed_big_blind": "live"}
    places = (seats[-1], seats[forced.small_place], seats[forced.big_place])
    late = tuple(seats[place] for place in forced.late)
    return Setting(rulebook, _settled(configuration, stacks), seats, stacks, *places, late=late, missed=forced.dead)


def _own(exact: Exact, hand: Hand, seats: tuple[int, ...], stacks: tuple[int, ...]) -> Setting:
    """An export of the house says under which rules it was played."""
    rulebook = RULEBOOKS.get(exact.rulebook)
    if not isinstance(rulebook, PokerRulebook) or rulebook.variant == "sintetico":
        raise NotDealt(f"rulebook {exact.rulebook[:40]}")
    kept = {name: value for name, value in exact.configuration.items() if name in rulebook.fields}
    if kept.get("dealer") == "live":
        raise NotDealt("a hand dealt by hand")  # its scans and incidents are no part of PHH
    places, posted = (exact.button, exact.small_blind, exact.big_blind), hand.units(hand.noted.blinds_or_straddles)
    if len(set(seats)) != len(stacks) or not set(places) <= set(seats):
        raise NotARecord("_croupier: seats, button and blinds do not go together")
    for name, of_each in (("missed", exact.missed), ("idle", exact.idle)):
        if of_each and len(of_each) != len(stacks):
            raise NotARecord(f"_croupier: {name} has {len(of_each)} values for {len(stacks)} players")
    idle = tuple(seat for seat, post in zip(seats, exact.idle, strict=False) if post)
    big = kept.get("big_blind")
    others = {exact.big_blind, *idle, *([exact.small_blind] if kept.get("small_blind") == big else [])}
    # Of two players the format tells the blinds the other way round, and no other posts.
    placed = zip(seats, posted, strict=False) if len(seats) > 2 else ()
    posts = tuple(seat for seat, post in placed if post == big and seat not in others)
    entries, late = ((), posts) if kept.get("entering") == "missed_blinds" else (posts, ())
    settled = _settled({"mode": "continuous", **kept}, stacks)
    return Setting(exact.rulebook, settled, seats, stacks, *places, entries, late, tuple(exact.missed), idle)


REPLACED = ("mode", "buy_in_min", "buy_in_max", "top_up_to", "between_hands_ms")
"""What a replay has of its own."""


def _settled(configuration: dict[str, Any], stacks: tuple[int, ...]) -> tuple[tuple[str, Any], ...]:
    """Buy-in bounds made to fit the stacks, and no waiting."""
    commission_bp = configuration.get("rake_bp") if configuration.get("rake_mode") == "buy_in" else 0
    if not isinstance(commission_bp, int) or not 0 <= commission_bp < BASIS_POINTS:
        raise NotARecord("_croupier: configuration: rake_bp is no part of a buy-in")
    least, most = _gross(min(stacks), commission_bp), _gross(max(stacks), commission_bp)
    bounds = {"buy_in_min": least, "buy_in_max": most, "top_up_to": most}
    return tuple(sorted({**configuration, **bounds, "between_hands_ms": 0}.items()))


def _form(hand: Hand, forced: Forced) -> tuple[str, str]:
    noted = hand.noted
    bets = hand.units([noted.small_bet, noted.big_bet])
    if noted.variant == "FT" and bets != (forced.big, 2 * forced.big):
        raise NotDealt("fixed-limit bets that are not one and two big blinds")
    if noted.variant != "FT" and hand.units([noted.min_bet]) != (forced.big,):
        raise NotDealt("a minimum bet that is not the big blind")
    return _FORMS[noted.variant]


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
    paid = [seat for seat, owed in zip(setting.seats, setting.missed, strict=False) if owed and seat in setting.entries]
    return replace(state, seats={**state.seats, **{seat: replace(state.seats[seat], owes_small=True) for seat in paid}})


def _as_left(state: PokerTable, setting: Setting) -> PokerTable:
    """As the hand before left it: a button or a lead that comes to its place next, and blinds owed."""
    rules, in_play = state.rules.betting, sorted(state.seats)
    if setting.button not in in_play:
        raise NotDealt("a post on the button")  # it moves among those in play, and who waits for the blind is not
    if any(lies_between(seat, setting.button, setting.small_blind) for seat in setting.entries):
        raise NotDealt("a post between button and small blind")
    seats = dict(state.seats)
    for seat, owed in zip(setting.seats, setting.missed, strict=False):
        if seat in setting.late and seat == setting.small_blind:
            # Who has just sat down has the small blind due there off the big one, and nobody else has.
            seats[seat] = replace(seats[seat], newcomer=not owed)
            owed -= min(owed, rules.small_blind)
        if owed and seat in seats:
            owes_small = owed in (rules.small_blind, rules.small_blind + rules.big_blind)
            seats[seat] = replace(seats[seat], owes_small=owes_small, owes_big=owed > rules.small_blind)
    for seat in setting.late:
        seats[seat] = replace(seats[seat], owes_big=True)
    for seat in setting.idle:
        seats[seat] = replace(seats[seat], idle=rules.idle_hands)
    left = replace(state, seats=seats, running=True)
    if state.rules.dealing.positions == "lead":
        return replace(left, hands=1, button=setting.button)
    return replace(left, button=in_play[in_play.index(setting.button) - 1])


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
    return (stack - 1) * BASIS_POINTS // (BASIS_POINTS - commission_bp) + 1
