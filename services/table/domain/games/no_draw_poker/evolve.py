"""How the events of a round change what is remembered."""

from msgspec.structs import replace

from libs.contracts import no_draw_poker_events as e
from libs.contracts.facts import GameEvent
from services.table.domain.games.banked import evolve as banked
from services.table.domain.games.no_draw_poker.state import NoDrawTable, Round, Stakes


def evolve_round(state: NoDrawTable, event: GameEvent) -> NoDrawTable:
    match event:
        case e.AntesOpened(round=number, at=at, until=until):
            return banked.opened(state, Round(number=number, opened_at=at, until=until, alive_at=at))
        case e.AntesLapsed():
            return banked.lapsed(state, event)
        case e.RoundSettled():
            return banked.settled(state, event)
        case e.RoundVoided():
            return banked.voided(state, event)
        case e.AntePlaced() | e.AnteWithdrawn():
            return banked.stake_moved(state, event, Stakes)
        case e.SecondBetPlaced():
            return _decided(banked.stake_moved(state, event, Stakes), event.seat, "continue")
        case e.HandSurrendered():
            return _decided(_with(state, alive_at=event.at), event.seat, "fold")
        case e.AntesExtended():
            return _with(state, alive_at=event.at, until=event.until)
        case e.AntesClosed():
            return _with(state, alive_at=event.at, phase="closed", until=None)
        case e.RoundDealt(deals=deals):
            stakes = dict(state.running.stakes)
            stakes |= {deal.seat: replace(stakes[deal.seat], hand=tuple(deal.positions)) for deal in deals}
            return _with(state, alive_at=event.at, stakes=stakes, dealer=tuple(event.dealer))
        case e.HandsAwaited():
            return _with(state, alive_at=event.at, phase="deciding", until=event.until, warned=False)
        case e.HandsWarned():
            return _with(state, alive_at=event.at, until=event.until, warned=True)
        case e.DealerShown() | e.RoundHandShown():
            return _with(state, alive_at=event.at)
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of this game")


def _with(state: NoDrawTable, **changes: object) -> NoDrawTable:
    return replace(state, round=replace(state.running, **changes))


def _decided(state: NoDrawTable, seat: int, decision: str) -> NoDrawTable:
    stakes = state.running.stakes
    return _with(state, stakes={**stakes, seat: replace(stakes[seat], decision=decision)})
