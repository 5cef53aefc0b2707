"""Whoever sits elsewhere at the same table escapes no blind: by a change of seat, or by leaving and coming back.

pt-217-2007 12.a, 80, 90; pt-811-2015 21.
"""

from typing import Literal

from msgspec.structs import replace

from libs.contracts.poker_events import HandStarted
from libs.contracts.waiting_list_events import SeatChanged
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.order import clockwise_after, lies_between
from services.table.domain.games.poker.passing import blind_of, just_passed
from services.table.domain.games.poker.readiness import in_play_of, ready_seats
from services.table.domain.games.poker.state import Hand, PokerSitter, PokerTable
from services.table.domain.table.state import Departure

LATELY_MS = 3_600_000
"""Who left since is no newcomer, also where any stack may come back."""


def blinds_passed(state: PokerTable, player: str, from_seat: int, to_seat: int) -> list[Literal["small", "big"]]:
    """Those that come to `from_seat` before they come to `to_seat`. Nearer to the big blind nobody gains anything.

    Where a table starts or resumes with a draw, everybody is dealt in (pt-811-2015 46); a lead goes on from where it
    was (pt-217-2007 24).
    """
    lead = state.rules.dealing.positions == "lead"
    others = _others(state, player)
    if not others or not (state.hands if lead else state.running) or _takes_marker(state, others, from_seat, to_seat):
        return []
    before, after = (_hands_to_big(state, others, seat) for seat in (from_seat, to_seat))
    if after in (0, before):
        return []  # the big blind is next, or comes as soon as it would have
    if before == len(others) and not state.rules.betting.single_blind:
        return ["small"]
    return ["small", "big"] if after > before else []


def _others(state: PokerTable, player: str) -> list[int]:
    return [seat for seat in ready_seats(state) if state.seats[seat].player != player]


def _takes_marker(state: PokerTable, others: list[int], from_seat: int, to_seat: int) -> bool:
    """Button or lead stood before that player, and nobody sits between the two seats: it goes along."""
    return state.button == from_seat and _place(state, others, to_seat) == 0


def _hands_to_big(state: PokerTable, others: list[int], seat: int) -> int:
    """0: it is next. Who can't have button, lead or small blind yet is passed over for them (21, 80)."""
    big = _place_of_big(state, len(others) + 1)
    order: list[int] = []
    passed_over: list[int] = []
    for each in _in_order(state, [*others, seat]):
        late = len(order) < big and each != seat and _waits(state, each)
        (passed_over if late else order).append(each)
    return ([*order, *passed_over].index(seat) - big) % (len(others) + 1)


def _waits(state: PokerTable, seat: int) -> bool:
    if state.rules.dealing.positions == "lead":
        return state.seats[seat].newcomer
    return state.seats[seat].waiting or just_passed(state, seat)


def _place(state: PokerTable, others: list[int], seat: int) -> int:
    """How many of the others the button or lead comes to before that seat."""
    return _in_order(state, [*others, seat]).index(seat)


def _in_order(state: PokerTable, seats: list[int]) -> list[int]:
    """As the button or lead comes to them. A seat that is named twice was left to another one who sits there now."""
    again = state.button_stays and not (state.rules.dealing.positions == "lead" and state.rules.dealing.void_moves_lead)
    marker = state.button - again
    return sorted(seats, key=lambda seat: (seat <= marker, seat))


def _place_of_big(state: PokerTable, number: int) -> int:
    betting = state.rules.betting
    heads_up = number == 2 and betting.heads_up_blinds == "button_small"
    return 1 if state.rules.dealing.positions == "lead" or betting.single_blind or heads_up else 2


def moved(state: PokerTable, event: SeatChanged) -> PokerTable:
    """Past a blind: comes in as who was away does. A lead is not taken either (pt-217-2007 80)."""
    if not event.passed:
        along = _takes_marker(state, _others(state, event.player), event.from_seat, event.to_seat)
        if not along:
            return state
        still = lies_between(event.to_seat, event.from_seat, state.big_blind)
        return replace(state, button=event.to_seat, big_blind=state.big_blind if still else 0)
    sitter = state.seats[event.to_seat]
    if sitter.waiting and state.rules.entry.entering == "with_big_blind":
        return _with(state, replace(sitter, owes_small=sitter.owes_small or "big" in event.passed))
    if sitter.waiting or (sitter.newcomer and not (sitter.owes_small or sitter.owes_big)):
        return state  # was not dealt in either at the old seat
    if state.rules.dealing.positions == "lead":
        blinds = event.passed if state.rules.betting.blinds else ()
        owes = {"owes_small": sitter.owes_small or "small" in blinds, "owes_big": sitter.owes_big or "big" in blinds}
        return _with(state, replace(sitter, newcomer=True, **owes))
    in_play = [seat for seat in in_play_of(state, ready_seats(state)) if seat != event.to_seat]
    if len(in_play) == 1:
        # Without the one who moved there is no game to wait for: so the next big blind comes to that one.
        small_first = state.rules.betting.heads_up_blinds == "button_small" or state.rules.betting.single_blind
        button = event.to_seat if small_first else in_play[0]
        return replace(state, button=button, button_stays=False, big_blind=0)
    return _with(state, replace(sitter, waiting=True, moved=True, posts=False))


def came_back(state: PokerTable, sitter: PokerSitter, at: int) -> PokerSitter:
    """Who left a moment ago is no newcomer: waits for the big blind, or owes what went past."""
    left = state.departures.get(sitter.player)
    if left is None or at - left.at > max(state.rules.timing.reentry_ms, LATELY_MS) or not left.seat:
        return sitter
    passed = blinds_passed(state, sitter.player, left.seat, sitter.seat)
    if state.rules.dealing.positions == "button":
        at_once = sitter.newcomer or left.moved or bool(passed)
        price = left.owes_small and not sitter.newcomer
        sitter = replace(sitter, newcomer=False, owes_small=price, owes_big=False, due_big=left.due_big)
        return replace(sitter, waiting=state.running, moved=state.running and at_once)
    blinds = passed if state.rules.betting.blinds else ()
    owes = {"owes_small": left.owes_small or "small" in blinds, "owes_big": left.owes_big or "big" in blinds}
    return replace(sitter, newcomer=bool(passed), **owes)


def departed(state: PokerTable, sitter: PokerSitter, at: int) -> Departure:
    """What is owed was paid with the cards of the hand that runs, but for a blind that is missing in it."""
    hand = state.hand
    dealt = hand.players.get(sitter.seat) if hand is not None else None
    if dealt is not None and dealt.reservation == sitter.reservation:
        missing = state.unposted_of(sitter.seat)
        owes = {"owes_small": "small" in missing, "owes_big": "big" in missing}
        return Departure(sitter.stack, at, sitter.protected, seat=sitter.seat, **owes)
    if hand is not None:
        sitter = owing(sitter, hand, state.rules)
    owes = {"owes_small": sitter.owes_small, "owes_big": sitter.owes_big}
    kept = {"moved": sitter.moved, "due_big": sitter.due_big}
    return Departure(sitter.stack, at, sitter.protected, seat=sitter.seat, **owes, **kept)


def owing(sitter: PokerSitter, hand: Hand, rules: PokerConfiguration) -> PokerSitter:
    """Once that hand is over, without the sitter. Where one waits for the big blind, any that passed puts up the price
    of coming in before, by a small one."""
    passed = [missed.blind for missed in hand.missed if missed.seat == sitter.seat]
    if not passed:
        return sitter
    if rules.entry.entering == "with_big_blind":
        return replace(sitter, owes_small=True)
    return replace(
        sitter, owes_small=sitter.owes_small or "small" in passed, owes_big=sitter.owes_big or "big" in passed
    )


def passed_the_gone(state: PokerTable, event: HandStarted) -> dict[str, Departure]:
    """Blinds go past the seat of who has left the table for a while as past one who rests (pt-217-2007 30, 90)."""
    if not state.departures or not state.rules.betting.blinds or state.rules.tournament:
        return state.departures
    if event.lead is None:
        return {player: _passed(state, left, event.button) for player, left in state.departures.items()}
    small = _way(state.button, event.lead) if state.hands else set()
    big = _way(event.lead, event.big_blind)
    return {
        player: replace(
            left, owes_small=left.owes_small or left.seat in small, owes_big=left.owes_big or left.seat in big
        )
        for player, left in state.departures.items()
    }


def _passed(state: PokerTable, left: Departure, button: int) -> Departure:
    passes = left.seat and not left.owes_small and blind_of(state, left.seat, button) is not None
    return replace(left, owes_small=True, due_big=False) if passes else replace(left, due_big=False)


def _way(start: int, end: int) -> set[int]:
    """Seats after the one up to the other, clockwise; none where the marker stays."""
    if start == end:
        return set()
    way = clockwise_after(range(1, max(start, end, 11) + 1), start)
    return set(way[: way.index(end) + 1])


def _with(state: PokerTable, sitter: PokerSitter) -> PokerTable:
    return replace(state, seats={**state.seats, sitter.seat: sitter})
