"""How the events that all games against the house have in common change what is remembered."""

from typing import Any, TypeVar

from msgspec.structs import replace

from libs.contracts import banked_rounds as e
from services.table.domain.games.banked.state import BankedTable, IdleSitter, Stakes

TableT = TypeVar("TableT", bound=BankedTable)


def running(state: BankedTable) -> Any:
    """The round that runs, of the game's own kind."""
    assert state.round is not None, "events of a round come while it runs"
    return state.round


def opened(state: TableT, playing: Any) -> TableT:
    return replace(state, round=playing, last_round=playing.number, lapsed_at=None)


def lapsed(state: TableT, event: e.BankedRoundLapsed) -> TableT:
    return replace(state, round=None, lapsed_at=event.at, ended_at=event.at)


def stake_moved(state: TableT, event: e.BankedStakeMoved, kind: type[Stakes]) -> TableT:
    playing = running(state)
    known = playing.stakes.get(event.seat)
    if known is None:
        known = kind(seat=event.seat, player=event.player, reservation=event.reservation)
    on = {area: total for area, total in {**known.on, event.area: event.total}.items() if total}
    stakes = {seat: other for seat, other in playing.stakes.items() if seat != event.seat}
    if on:
        stakes[event.seat] = replace(known, on=on)
    sitter = replace(state.seats[event.seat], stack=event.stack)
    if isinstance(event, e.BankedStakePlaced):  # a warning for betting nothing is off
        kept = sitter.notice if sitter.notice is not None and sitter.notice.reason != "idle" else None
        before = sitter.active_at if sitter.active_before is None else sitter.active_before
        sitter = replace(sitter, active_at=event.at, notice=kept, active_before=before, withdrawn=False)
    elif not on:
        sitter = replace(sitter, withdrawn=True)
    return replace(state.with_sitter(sitter), round=replace(playing, stakes=stakes, alive_at=event.at))


def settled(state: TableT, event: e.BankedRoundSettled) -> TableT:
    """Skipped rounds count from 0 again for who bet, one more for who could and did not."""
    before, seats = running(state), dict(state.seats)
    for result in event.results:
        if state.still_seated(before.stakes[result.seat]):
            seats[result.seat] = _bet(seats[result.seat], result.stack)
    for seat, sitter in seats.items():
        stakes = before.stakes.get(seat)
        if stakes is not None and state.still_seated(stakes):
            seats[seat] = replace(sitter, skipped=0, active_at=event.at)
        elif sitter.seated_at <= before.opened_at:
            seats[seat] = replace(sitter, skipped=sitter.skipped + 1)
    return replace(state, round=None, seats=seats, bank=event.bank, ended_at=event.at)


def _bet(sitter: IdleSitter, stack: int) -> IdleSitter:
    return replace(sitter, stack=stack, active_before=None, lifted_at=None, withdrawn=False)


def voided(state: TableT, event: e.BankedRoundVoided) -> TableT:
    """The refund of who has left since follows by `RefundSent`."""
    before, owed = running(state), 0
    seats: dict[int, IdleSitter] = dict(state.seats)
    for refund in event.refunds:
        if state.still_seated(before.stakes[refund.seat]):
            sitter = _bet(seats[refund.seat], refund.stack)
            seats[refund.seat] = replace(sitter, skipped=0, active_at=event.at)
        else:
            owed += refund.amount
    books = replace(state.books, owed=state.books.owed + owed)
    return replace(state, round=None, seats=seats, books=books, ended_at=event.at)
