"""Taking a seat: reserve, confirm once the funds are reserved, or give it up (pt-811-2015 8, 9, 10, 11.a)."""

from typing import Literal

from libs.contracts.facts import taken
from libs.contracts.table_commands import ConfirmSeat, ReleaseSeat, TakeSeat
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import PlayerSeated, SeatReleased, SeatReserved
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Reserved
from services.table.domain.table.story import AnyStory
from services.table.domain.table.waiting_list import tell_off, why_not_seated


def take_seat(command: TakeSeat, story: AnyStory) -> Rejected | None:
    state, rules = story.state, story.rules
    player = story.by
    if state.sitter_of(player) is not None or state.reserved_by(player) is not None:
        return rejected(Reason.ALREADY_SEATED, rules)
    if command.reservation in state.used_ids:
        return rejected(Reason.RESERVATION_USED, rules)
    if command.seat is not None and not 1 <= command.seat <= rules.seats:
        return rejected(Reason.NO_SUCH_SEAT, rules)
    if command.seat is not None and command.seat > rules.played_seats:
        return rejected(Reason.SEAT_CLOSED, rules)
    free = state.free_seats
    if not free:
        return rejected(Reason.TABLE_FULL, rules)
    if command.seat is not None and command.seat not in free:
        return rejected(Reason.SEAT_TAKEN, rules)
    not_yet = why_not_seated(state, player, command.seat)
    if not_yet is not None:
        return rejected(not_yet, rules)
    refused: Rejected | None = story.game.refuse_amount(state, player, command.amount, story.now)
    if refused is not None:
        return refused

    listed = state.waiting.entry_of(player)
    kept = state.waiting.offered_seats()
    not_kept = next((seat for seat in free if seat not in kept), free[0])
    seat = command.seat or (listed.offered if listed is not None else None) or not_kept
    until = story.now + rules.timing.reservation_ms
    story.tell(taken(SeatReserved, command, rules, player=player, seat=seat, until=until))
    return None


def confirm_seat(command: ConfirmSeat, story: AnyStory) -> Rejected | None:
    reserved = story.state.reserved.get(command.reservation)
    if reserved is None:
        return rejected(Reason.NO_SUCH_RESERVATION, story.rules)
    commission, uncharged = story.rules.commission_on(reserved.amount)
    stack = reserved.amount - commission
    told = {"commission": commission, "stack": stack, "uncharged": uncharged}
    story.tell(taken(PlayerSeated, reserved, story.rules, **told))
    entry = story.state.waiting.entry_of(reserved.player)
    if entry is not None:
        tell_off(story, entry, "seated")
    story.game.seats_changed(story)
    return None


def lapse_due(reserved: Reserved) -> int:
    """First millisecond at which the reservation no longer holds."""
    return reserved.until + 1


def release_seat(command: ReleaseSeat, story: AnyStory) -> Rejected | None:
    reserved = story.state.reserved.get(command.reservation)
    if reserved is None or (story.role == "player" and story.by != reserved.player):
        return rejected(Reason.NO_SUCH_RESERVATION, story.rules)
    tell_released(story, reserved, command.reason)
    return None


def tell_released(
    story: AnyStory, reserved: Reserved, reason: Literal["lapsed", "reserve_refused", "cancelled"]
) -> None:
    story.tell(taken(SeatReleased, reserved, currency=story.rules.currency, reason=reason))
