"""The list for seats: kept in order, seat changes first, every free seat offered to whoever is next (12; 6.b; 8.a).

Who may take a free seat: whom it was offered to, then the waiting list; before a draw, nobody (pt-217-2007 11, 12).
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal

from libs.contracts.conduct_commands import ConductReason
from libs.contracts.draw_commands import DrawReason
from libs.contracts.draw_events import DrawnSeat, SeatsDrawn
from libs.contracts.facts import taken
from libs.contracts.table_commands import TableReason as AtTable
from libs.contracts.waiting_list_commands import AskSeatChange, JoinWaitingList, LeaveWaitingList
from libs.contracts.waiting_list_commands import WaitingListReason as Reason
from libs.contracts.waiting_list_events import SeatChanged, SeatOffered, WaitingListJoined, WaitingListLeft
from libs.decider import Rejected
from libs.sealing.shuffle import Shuffle
from services.table.domain.table.handlers import of_stayer
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Sitter, Table, Waiting
from services.table.domain.table.story import AnyStory

REST_OFFERS = 5
"""Who let a kept seat go by waits for as long as so many offers last: else one could keep a seat from all others."""


def join_waiting_list(command: JoinWaitingList, story: AnyStory) -> Rejected | None:
    """Also how one registers for a table that has not begun (8.a; pt-811-2015 6.b)."""
    state, player = story.state, story.by
    if state.sitter_of(player) is not None or state.reserved_by(player) is not None:
        return rejected(AtTable.ALREADY_SEATED, story.rules)
    elsewhere = state.waiting.places.get(player, state.table)
    if elsewhere != state.table:
        return rejected(DrawReason.TABLE_ASSIGNED_BY_DRAW, story.rules, f"drawn to {elsewhere}")
    return _join(story, command, player, "entry")


@of_stayer
def ask_seat_change(command: AskSeatChange, story: AnyStory, sitter: Sitter) -> Rejected | None:
    if command.seat is not None and not 1 <= command.seat <= story.rules.seats:
        return rejected(AtTable.NO_SUCH_SEAT, story.rules)
    there = story.state.seats.get(command.seat)
    asked_back = story.state.waiting.entry_of(there.player) if there is not None else None
    if asked_back is not None and asked_back.kind == "seat_change" and asked_back.seat == sitter.seat:
        # Two who want each other's seat would swap (14.k); one may wait for it to become free.
        return rejected(ConductReason.SEAT_SWAP_NOT_ALLOWED, story.rules)
    return _join(story, command, sitter.player, "seat_change")


def _join(story: AnyStory, command: Any, player: str, kind: Literal["entry", "seat_change"]) -> Rejected | None:
    if story.state.waiting.entry_of(player) is not None:
        return rejected(Reason.ALREADY_WAITING, story.rules)
    if command.entry in story.state.used_ids:
        return rejected(Reason.ENTRY_USED, story.rules)
    lapsed = story.state.waiting.lapsed.get(player)
    if lapsed is not None and story.now < lapsed + REST_OFFERS * story.rules.timing.offer_ms:
        return rejected(Reason.OFFER_LAPSED, story.rules)
    story.tell(taken(WaitingListJoined, command, player=player, kind=kind))
    return None


def leave_waiting_list(command: LeaveWaitingList, story: AnyStory) -> Rejected | None:
    entry = story.state.waiting.entry_of(story.by)
    if entry is None:
        return rejected(Reason.NOT_WAITING, story.rules)
    tell_off(story, entry, "player")
    return None


def before_the_draw(state: Table) -> bool:
    """Whether seats wait for the lot that fills the table (pt-217-2007 11)."""
    return state.rules.entry.seats_by_draw and state.waiting.draws == 0


def why_not_seated(state: Table, player: str, seat: int | None) -> StrEnum | None:
    """Why a free seat may not be taken by this player: it is somebody else's turn, or the lot decides.

    Who has been here before has no right before others: that one only has to bring the stack (pt-217-2007 14.h).
    """
    rules, listed = state.rules, state.waiting
    if listed.places.get(player, state.table) != state.table:
        return DrawReason.TABLE_ASSIGNED_BY_DRAW
    entry = listed.entry_of(player)
    if rules.entry.registered_only and entry is None:
        return Reason.NOT_REGISTERED
    if before_the_draw(state):
        return Reason.SEATS_BY_DRAW
    if entry is not None and entry.offered is not None:
        return Reason.SEAT_OFFERED if seat not in (None, entry.offered) else None
    if seat is not None and seat in listed.offered_seats():
        return Reason.SEAT_OFFERED
    # For whom a seat is kept waits no more, and does not stand in the way of the others that are free.
    others = [each for each in _wishes_to_enter(state) if each.player != player]
    before = [each for each in others if entry is None or each.at < entry.at]
    return None if len(offerable(state)) > len(before) else Reason.WAIT_YOUR_TURN


def tell_off(story: AnyStory, entry: Waiting, reason: Literal["player", "seated", "moved", "lapsed", "closed"]) -> None:
    story.tell(WaitingListLeft(entry=entry.entry, player=entry.player, reason=reason))


def list_dues(state: Table) -> Sequence[int | None]:
    return [*(_lapse_due(entry) for entry in state.waiting.entries), _offers_due(state)]


def _lapse_due(entry: Waiting) -> int | None:
    return None if entry.until is None else entry.until + 1


def _offers_due(state: Table) -> int | None:
    """When free seats are to be offered: between rounds, as soon as there are both seats and wishes."""
    if state.status != "open" or state.in_round or before_the_draw(state):
        return None
    open_wishes = [each for each in state.waiting.entries if each.offered is None and _may_be_served(state, each)]
    free = offerable(state) if open_wishes else []
    return state.waiting.touched if any(_fits(each, free) for each in open_wishes) else None


def _may_be_served(state: Table, entry: Waiting) -> bool:
    """Who wished for another seat sits here still, where the journal does not yet tell that the wish went along."""
    return entry.kind == "entry" or state.sitter_of(entry.player) is not None


def end_offers(story: AnyStory) -> None:
    """Who did not take the offered seat in time is off the list."""
    for entry in story.state.waiting.entries:
        if story.is_due(_lapse_due(entry)):
            tell_off(story, entry, "lapsed")


def keep_list(story: AnyStory) -> bool:
    """On a wake: free seats are filled. True when lots were drawn: nothing else may draw."""
    if not story.is_due(_offers_due(story.state)):
        return False
    _move_sitters(story)
    return _offer(story)


def offerable(state: Table) -> list[int]:
    """Free, open, and not kept for anybody."""
    kept = state.waiting.offered_seats()
    return [seat for seat in state.free_seats if seat not in kept]


def _fits(entry: Waiting, free: list[int]) -> bool:
    return bool(free) if entry.seat is None else entry.seat in free


def _move_sitters(story: AnyStory) -> None:
    """12.a: who sits here and asked to change is served first, in the order of asking."""
    for entry in story.state.waiting.entries:
        free = offerable(story.state)
        sitter = story.state.sitter_of(entry.player)
        if entry.kind != "seat_change" or sitter is None or not _fits(entry, free):
            continue
        passed = {
            seat: story.game.blinds_passed(story.state, entry.player, sitter.seat, seat)
            for seat in (free if entry.seat is None else [entry.seat])
        }
        to_seat = min(passed, key=lambda seat: len(passed[seat]))  # of equals the first
        story.tell(taken(SeatChanged, sitter, from_seat=sitter.seat, to_seat=to_seat, passed=passed[to_seat]))
        tell_off(story, entry, "moved")


def _offer(story: AnyStory) -> bool:
    """12.b: called in the order of the list; lots decide among equals, and who of several gets which seat."""
    free, wishes = offerable(story.state), _wishes_to_enter(story.state)
    if not free or not wishes:
        return False
    if not _by_lot(wishes, free):
        offer_seat(story, wishes[0], free[0])
        return False
    if not isinstance(story.fresh, Shuffle):
        return False  # a lot without entropy is none; the next wake tries again
    called = _called(wishes, len(free), story.fresh)
    seats = [seat for seat in story.fresh.seat_order if seat in free]
    tell_drawn(story, list(zip(called, seats, strict=False)), wishes, "house")
    return True


def offers_by_lot(state: Table) -> bool:
    """Whether the next wake fills seats by lot, for which it needs a shuffle."""
    return _offers_due(state) is not None and _by_lot(_wishes_to_enter(state), offerable(state))


def _by_lot(wishes: list[Waiting], free: list[int]) -> bool:
    """Among those who asked in one millisecond, and for who of several gets which seat."""
    tied = len({each.at for each in wishes[: len(free) + 1]}) <= len(free)
    return len(wishes) > 1 and (tied or len(free) > 1)


def _wishes_to_enter(state: Table) -> list[Waiting]:
    return [each for each in state.waiting.entries if each.kind == "entry" and each.offered is None]


def tell_drawn(story: AnyStory, drawn: list[tuple[Waiting, int]], wishes: list[Waiting], by: str) -> None:
    """Who of the list was drawn to which seat; each is offered the seat. The others wait on, in their order."""
    assert isinstance(story.fresh, Shuffle)
    called = [entry for entry, _ in drawn]
    story.tell(
        SeatsDrawn(
            draw=story.state.waiting.draws + 1,
            seats=[DrawnSeat(entry.player, seat) for entry, seat in drawn],
            waiting=[each.player for each in wishes if each not in called],
            generator=story.fresh.generator,
            by=by,
        )
    )
    for entry, seat in drawn:
        offer_seat(story, entry, seat)


def _called(wishes: list[Waiting], seats: int, fresh: Shuffle) -> list[Waiting]:
    """The first of the list, as many as there are seats; those of one millisecond stand in an order by lot."""
    ordered: list[Waiting] = []
    for at in sorted({each.at for each in wishes}):
        tied = [each for each in wishes if each.at == at]
        by_lot = [tied[seat - 1] for seat in fresh.seat_order if seat <= len(tied)]
        ordered += [*by_lot, *tied[len(by_lot) :]]
    return ordered[:seats]


def offer_seat(story: AnyStory, entry: Waiting, seat: int) -> None:
    until = story.now + story.rules.timing.offer_ms
    story.tell(SeatOffered(entry=entry.entry, player=entry.player, seat=seat, until=until))
