"""How the events of a round change what is remembered."""

from msgspec.structs import replace

from libs.contracts.facts import GameEvent
from libs.contracts.no_draw_poker_events import (
    AntePlaced,
    AntesClosed,
    AntesExtended,
    AntesLapsed,
    AntesOpened,
    AnteWithdrawn,
    DealerShown,
    HandsAwaited,
    HandSurrendered,
    HandsWarned,
    RoundDealt,
    RoundHandShown,
    RoundSettled,
    RoundVoided,
    SecondBetPlaced,
)
from services.table.domain.games.banked import IdleSitter, after_round, has_bet
from services.table.domain.games.no_draw_poker.state import NoDrawTable, Round, Stakes


def evolve_round(state: NoDrawTable, event: GameEvent) -> NoDrawTable:
    match event:
        case AntesOpened():
            opened = Round(number=event.round, opened_at=event.at, until=event.until, alive_at=event.at)
            return replace(state, round=opened, last_round=event.round, lapsed_at=None)
        case AntesLapsed():
            return replace(state, round=None, lapsed_at=event.at, ended_at=event.at)
        case RoundSettled():
            return _settled(state, event)
        case RoundVoided():
            return _voided(state, event)
        case _:
            going_on = _in_round(state, event)
            return replace(going_on, round=replace(running(going_on), alive_at=event.at))


def _in_round(state: NoDrawTable, event: GameEvent) -> NoDrawTable:
    match event:
        case AntesExtended():
            return _with(state, until=event.until)
        case AntePlaced() | AnteWithdrawn():
            return _ante_moved(state, event)
        case AntesClosed():
            return _with(state, phase="closed", until=None)
        case RoundDealt():
            return _dealt(state, event)
        case HandsAwaited():
            return _with(state, phase="deciding", until=event.until, warned=False)
        case HandsWarned():
            return _with(state, until=event.until, warned=True)
        case SecondBetPlaced():
            stakes = replace(running(state).stakes[event.seat], bet=event.total, decision="continue")
            return _stacked(_staked(state, stakes), event.seat, event.stack)
        case HandSurrendered():
            return _staked(state, replace(running(state).stakes[event.seat], decision="fold"))
        case DealerShown() | RoundHandShown():
            return state
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of this game")


def running(state: NoDrawTable) -> Round:
    assert state.round is not None, "events of a round come while it runs"
    return state.round


def _with(state: NoDrawTable, **changes: object) -> NoDrawTable:
    return replace(state, round=replace(running(state), **changes))


def _staked(state: NoDrawTable, stakes: Stakes) -> NoDrawTable:
    return _with(state, stakes={**running(state).stakes, stakes.seat: stakes})


def _stacked(state: NoDrawTable, seat: int, stack: int) -> NoDrawTable:
    return replace(state, seats={**state.seats, seat: replace(state.seats[seat], stack=stack)})


def _ante_moved(state: NoDrawTable, event: AntePlaced | AnteWithdrawn) -> NoDrawTable:
    sitter = replace(state.seats[event.seat], stack=event.stack)
    if isinstance(event, AntePlaced):
        sitter = has_bet(sitter, event.at)
    state = replace(state, seats={**state.seats, event.seat: sitter})
    stakes = {seat: other for seat, other in running(state).stakes.items() if seat != event.seat}
    if event.total:
        stakes[event.seat] = Stakes(
            seat=event.seat, player=event.player, reservation=event.reservation, ante=event.total
        )
    return _with(state, stakes=stakes)


def _dealt(state: NoDrawTable, event: RoundDealt) -> NoDrawTable:
    stakes = dict(running(state).stakes)
    for deal in event.deals:
        stakes[deal.seat] = replace(stakes[deal.seat], hand=tuple(deal.positions))
    return _with(state, stakes=stakes, dealer=tuple(event.dealer))


def _settled(state: NoDrawTable, event: RoundSettled) -> NoDrawTable:
    before = running(state)
    seats: dict[int, IdleSitter] = dict(state.seats)
    for result in event.results:
        if state.still_seated(before.stakes[result.seat]):
            seats[result.seat] = replace(seats[result.seat], stack=result.stack)
    bettors = [seat for seat, stakes in before.stakes.items() if state.still_seated(stakes)]
    seats = after_round(seats, bettors, before.opened_at, event.at)
    return replace(state, round=None, seats=seats, bank=event.bank, ended_at=event.at)


def _voided(state: NoDrawTable, event: RoundVoided) -> NoDrawTable:
    before = running(state)
    seats: dict[int, IdleSitter] = dict(state.seats)
    owed = 0
    for refund in event.refunds:
        if state.still_seated(before.stakes[refund.seat]):
            seats[refund.seat] = replace(seats[refund.seat], stack=refund.stack, skipped=0, active_at=event.at)
        else:
            owed += refund.amount
    books = replace(state.books, owed=state.books.owed + owed)
    return replace(state, round=None, seats=seats, books=books, ended_at=event.at)
