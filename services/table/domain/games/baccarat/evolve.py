"""How the events of shoes and coups change what is remembered."""

from msgspec.structs import replace

from libs.contracts import baccarat_events as e
from libs.contracts.facts import GameEvent, TableEvent
from libs.contracts.table_events import TableClosed
from services.table.domain.games.baccarat.state import BaccaratTable, Coup, ShoeInUse
from services.table.domain.games.banked import evolve as banked
from services.table.domain.games.banked.state import Stakes


def evolve_baccarat(state: BaccaratTable, event: GameEvent) -> BaccaratTable:
    match event:
        case e.StakePlaced() | e.StakeWithdrawn():
            return banked.stake_moved(state, event, Stakes)
        case e.ShoeStarted(shoe=number, decks=decks, cards=cards, cut=cut, burned=burned):
            shoe = ShoeInUse(number=number, decks=decks, cards=cards, cut=cut, next_position=len(burned))
            return replace(state, shoe=shoe, shoes=number)
        case e.CoupOpened(round=number, at=at, until=until):
            return banked.opened(state, Coup(number=number, rules=state.rules, opened_at=at, until=until, alive_at=at))
        case e.CoupLapsed():
            return banked.lapsed(state, event)
        case e.CoupDealt():
            return _used(state, max(*event.ponto, *event.banca))
        case e.ThirdCardDealt():
            return _used(state, event.card.position)
        case e.CoupSettled():
            shoe = replace(state.in_use, winners=(*state.in_use.winners, event.winner))
            return replace(banked.settled(state, event), shoe=shoe)
        case e.CoupVoided():
            return banked.voided(state, event)
        case e.BettingClosed() | e.SideShown() | e.CutCardReached():
            return state
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of this game")


def _used(state: BaccaratTable, position: int) -> BaccaratTable:
    """All cards of the shoe up to this one are dealt."""
    return replace(state, shoe=replace(state.in_use, next_position=position + 1))


def follow(state: BaccaratTable, event: TableEvent) -> BaccaratTable:
    """A closed table has neither shoe nor coup: what was not dealt is never dealt."""
    return replace(state, round=None, shoe=None) if isinstance(event, TableClosed) else state
