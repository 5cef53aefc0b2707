"""The list for seats: kept in order, seat changes first, every free seat offered to whoever is next (12; 6.b; 8.a)."""

from libs.contracts.floor_commands import AskSeatChange, JoinWaitingList, LeaveWaitingList
from libs.contracts.floor_commands import FloorReason as Reason
from libs.contracts.floor_events import DrawnSeat, SeatChanged, SeatOffered, SeatsDrawn, WaitingListJoined
from libs.contracts.table_commands import TableReason as AtTable
from libs.decider import Rejected
from libs.sealing.shuffle import Shuffle
from services.table.domain.table.floor.drawing import in_turn
from services.table.domain.table.floor.queue import before_the_draw, tell_off
from services.table.domain.table.floor.state import Waiting
from services.table.domain.table.rejections import rejected
from services.table.domain.table.seating import free_seats
from services.table.domain.table.state import Table
from services.table.domain.table.story import AnyStory


def join_waiting_list(command: JoinWaitingList, story: AnyStory) -> Rejected | None:
    """Also how one registers for a table that has not begun (8.a; pt-811-2015 6.b)."""
    state, player = story.state, story.by
    if state.sitter_of(player) is not None or state.reserved_by(player) is not None:
        return rejected(AtTable.ALREADY_SEATED, story.rules)
    elsewhere = state.floor.places.get(player, state.table)
    if elsewhere != state.table:
        return rejected(Reason.TABLE_ASSIGNED_BY_DRAW, story.rules, f"drawn to {elsewhere}")
    return _join(story, command.entry, player, "entry", None)


def ask_seat_change(command: AskSeatChange, story: AnyStory) -> Rejected | None:
    sitter = story.state.sitter_of(story.by)
    if sitter is None:
        return rejected(AtTable.NOT_SEATED, story.rules)
    if sitter.leaving is not None:
        return rejected(AtTable.LEAVING, story.rules)
    if command.seat is not None and not 1 <= command.seat <= story.rules.seats:
        return rejected(AtTable.NO_SUCH_SEAT, story.rules)
    taken = next((s for s in story.state.seats.values() if s.seat == command.seat), None)
    if taken is not None and command.seat is not None and _asked_back(story.state, taken.player, sitter.seat):
        # Two who want each other's seat would swap (14.k); one may wait for it to become free.
        return rejected(Reason.SEAT_SWAP_NOT_ALLOWED, story.rules)
    return _join(story, command.entry, sitter.player, "seat_change", command.seat)


def _asked_back(state: Table, player: str, seat: int) -> bool:
    entry = state.floor.entry_of(player)
    return entry is not None and entry.kind == "seat_change" and entry.seat == seat


def _join(story: AnyStory, entry: str, player: str, kind: str, seat: int | None) -> Rejected | None:
    floor = story.state.floor
    if floor.entry_of(player) is not None:
        return rejected(Reason.ALREADY_WAITING, story.rules)
    if entry in story.state.used_ids:
        return rejected(Reason.ENTRY_USED, story.rules)
    story.tell(
        WaitingListJoined(entry=entry, player=player, kind=kind, seat=seat)  # type: ignore[arg-type]
    )
    return None


def leave_waiting_list(command: LeaveWaitingList, story: AnyStory) -> Rejected | None:
    entry = story.state.floor.entry_of(story.by)
    if entry is None:
        return rejected(Reason.NOT_WAITING, story.rules)
    tell_off(story, entry, "player")
    return None


def offers_due(state: Table) -> int | None:
    """When free seats are to be offered: between rounds, as soon as there are both seats and wishes."""
    if state.status != "open" or state.in_round or before_the_draw(state):
        return None
    return state.floor.touched if _matches(state) else None


def offer_lapse_due(entry: Waiting) -> int | None:
    return None if entry.until is None else entry.until + 1


def keep_lists(story: AnyStory) -> bool:
    """On a wake: offers that lapsed end, then seats are filled. True when lots were drawn: nothing else may draw."""
    for entry in story.state.floor.waiting:
        due = offer_lapse_due(entry)
        if due is not None and due <= story.now:
            tell_off(story, entry, "lapsed")
    due = offers_due(story.state)
    if due is None or due > story.now:
        return False
    _move_sitters(story)
    return _offer(story)


def _matches(state: Table) -> bool:
    open_wishes = [each for each in state.floor.waiting if each.offered is None]
    free = offerable(state) if open_wishes else []
    return any(_fits(each, free) for each in open_wishes)


def offerable(state: Table) -> list[int]:
    """Free, open, and not kept for anybody."""
    kept = state.floor.offered_seats()
    return [seat for seat in free_seats(state) if seat not in kept]


def _fits(entry: Waiting, free: list[int]) -> bool:
    return bool(free) if entry.seat is None else entry.seat in free


def _move_sitters(story: AnyStory) -> None:
    """12.a: who sits here and asked to change is served first, in the order of asking."""
    for entry in story.state.floor.waiting:
        free = offerable(story.state)
        sitter = story.state.sitter_of(entry.player)
        if entry.kind != "seat_change" or sitter is None or not _fits(entry, free):
            continue
        story.tell(
            SeatChanged(
                player=sitter.player,
                reservation=sitter.reservation,
                from_seat=sitter.seat,
                to_seat=entry.seat if entry.seat is not None else free[0],
            )
        )
        tell_off(story, entry, "moved")


def _offer(story: AnyStory) -> bool:
    """12.b: called in the order of the list; lots decide among equals, and who of several gets which seat."""
    free = offerable(story.state)
    open_wishes = [each for each in story.state.floor.waiting if each.kind == "entry" and each.offered is None]
    if not free or not open_wishes:
        return False
    tied = len({each.at for each in open_wishes[: len(free) + 1]}) <= len(free) and len(open_wishes) > 1
    several = len(free) > 1 and len(open_wishes) > 1
    if not (tied or several):
        _tell_offered(story, open_wishes[0], free[0])
        return False
    if not isinstance(story.fresh, Shuffle):
        return False  # a lot without entropy is none; the next wake tries again
    called = _called(open_wishes, len(free), story.fresh)
    seats = [seat for seat in story.fresh.seat_order if seat in free]
    pairs = list(zip(called, seats, strict=False))
    story.tell(
        SeatsDrawn(
            draw=story.state.floor.draws + 1,
            seats=[DrawnSeat(entry.player, seat) for entry, seat in pairs],
            waiting=[each.player for each in open_wishes if each not in called],
            generator=story.fresh.generator,
            by="house",
        )
    )
    for entry, seat in pairs:
        _tell_offered(story, entry, seat)
    return True


def _called(wishes: list[Waiting], seats: int, fresh: Shuffle) -> list[Waiting]:
    """The first of the list, as many as there are seats; those of one millisecond stand in an order by lot."""
    by_player = {each.player: each for each in wishes}
    ordered: list[Waiting] = []
    for at in sorted({each.at for each in wishes}):
        tied = [each.player for each in wishes if each.at == at]
        ordered += [by_player[player] for player in in_turn(tied, fresh)]
    return ordered[:seats]


def _tell_offered(story: AnyStory, entry: Waiting, seat: int) -> None:
    story.tell(
        SeatOffered(
            entry=entry.entry,
            player=entry.player,
            seat=seat,
            until=story.now + story.rules.timing.offer_ms,
        )
    )
