"""How the events of shoes and coups change what is remembered."""

from typing import Any

from msgspec.structs import replace

from libs.contracts.baccarat_events import (
    BettingClosed,
    CoupDealt,
    CoupLapsed,
    CoupOpened,
    CoupSettled,
    CoupVoided,
    CutCardReached,
    ShoeStarted,
    SideShown,
    StakePlaced,
    StakeWithdrawn,
    ThirdCardDealt,
)
from libs.contracts.facts import GameEvent, TableEvent
from libs.contracts.table_events import TableClosed
from services.table.domain.games.baccarat.state import BaccaratTable, Coup, ShoeInUse, Stakes
from services.table.domain.games.banked import IdleSitter, after_round, has_bet


def evolve_baccarat(state: BaccaratTable, event: GameEvent) -> BaccaratTable:
    match event:
        case StakePlaced() | StakeWithdrawn():
            return _stake_moved(state, event)
        case ShoeStarted():
            return _shoe_started(state, event)
        case CoupOpened():
            opened = Coup(
                number=event.round, rules=state.rules, opened_at=event.at, until=event.until, alive_at=event.at
            )
            return replace(state, coup=opened, last_round=event.round, lapsed_at=None)
        case CoupLapsed():
            return replace(state, coup=None, lapsed_at=event.at, ended_at=event.at)
        case CoupDealt():
            used = max(*event.ponto, *event.banca) + 1
            return replace(state, shoe=replace(in_use(state), next_position=used))
        case ThirdCardDealt():
            return replace(state, shoe=replace(in_use(state), next_position=event.card.position + 1))
        case CoupSettled():
            return _settled(state, event)
        case CoupVoided():
            return _voided(state, event)
        case BettingClosed() | SideShown() | CutCardReached():
            return state
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of this game")


def follow(state: BaccaratTable, event: TableEvent) -> BaccaratTable:
    """A closed table has neither shoe nor coup: what was not dealt is never dealt."""
    return replace(state, coup=None, shoe=None) if isinstance(event, TableClosed) else state


def running(state: BaccaratTable) -> Coup:
    assert state.coup is not None, "events of a coup come while it is open"
    return state.coup


def in_use(state: BaccaratTable) -> ShoeInUse:
    assert state.shoe is not None, "coups are dealt from a shoe"
    return state.shoe


def _shoe_started(state: BaccaratTable, event: ShoeStarted) -> BaccaratTable:
    shoe = ShoeInUse(
        number=event.shoe,
        decks=event.decks,
        cards=event.cards,
        cut=event.cut,
        next_position=len(event.burned),
    )
    return replace(state, shoe=shoe, shoes=event.shoe)


def _stake_moved(state: BaccaratTable, event: StakePlaced | StakeWithdrawn) -> BaccaratTable:
    coup = running(state)
    known = coup.stakes.get(event.seat)
    on: dict[Any, int] = {**(known.on if known is not None else {}), event.area: event.total}
    on = {chance: total for chance, total in on.items() if total}
    stakes = {seat: other for seat, other in coup.stakes.items() if seat != event.seat}
    if on:
        stakes[event.seat] = Stakes(seat=event.seat, player=event.player, reservation=event.reservation, on=on)
    sitter = replace(state.seats[event.seat], stack=event.stack)
    if isinstance(event, StakePlaced):
        sitter = has_bet(sitter, event.at)
    coup = replace(coup, stakes=stakes, alive_at=event.at)
    return replace(state, coup=coup, seats={**state.seats, event.seat: sitter})


def _settled(state: BaccaratTable, event: CoupSettled) -> BaccaratTable:
    before, shoe = running(state), in_use(state)
    seats: dict[int, IdleSitter] = dict(state.seats)
    for result in event.results:
        seats[result.seat] = replace(seats[result.seat], stack=result.stack)
    return replace(
        state,
        coup=None,
        shoe=replace(shoe, winners=(*shoe.winners, event.winner)),
        seats=after_round(seats, list(before.stakes), before.opened_at, event.at),
        bank=event.bank,
        ended_at=event.at,
    )


def _voided(state: BaccaratTable, event: CoupVoided) -> BaccaratTable:
    seats: dict[int, IdleSitter] = dict(state.seats)
    for refund in event.refunds:
        seats[refund.seat] = replace(seats[refund.seat], stack=refund.stack, skipped=0, active_at=event.at)
    return replace(state, coup=None, seats=seats, ended_at=event.at)
