"""Shoes and coups of baccarat in the table's view."""

from typing import Any

from msgspec.structs import replace

from libs.contracts import baccarat_events as e
from libs.contracts.facts import plain
from services.gateway.views.baccarat_view import Coup, Mark, SeatAtCoup, Shoe
from services.gateway.views.calls import NO_MORE_BETS
from services.gateway.views.changing import At, change_seat, change_stack, in_round
from services.gateway.views.table_view import TableView


def _shoe_started(view: TableView, event: e.ShoeStarted, _: At) -> TableView:
    return replace(view, shoe=Shoe(event.shoe, event.decks, event.cards, event.cut, event.deck_root))


def _opened(view: TableView, event: e.CoupOpened, at: At) -> TableView:
    coup = Coup(
        round=event.round,
        shoe=event.shoe,
        started=at.time,
        currency=event.currency,
        commission_mode=event.commission_mode,
        min_bet=event.min_bet,
        until=event.until,
        seats={seat.seat: SeatAtCoup(seat.seat, seat.player) for seat in event.seats},
    )
    return replace(view, round=coup)


def _lapsed(view: TableView, _: e.CoupLapsed, __: At) -> TableView:
    return _coup(view, phase="lapsed", call=NO_MORE_BETS, until=None)


def _staked(view: TableView, event: e.StakePlaced | e.StakeWithdrawn, _: At) -> TableView:
    if not isinstance(view.round, Coup):
        return view
    held = in_round(view.round.seats, event.seat, event.player, SeatAtCoup)
    stakes = {**held.stakes, event.area: event.total}
    totals = {**view.round.totals}
    totals[event.area] = totals.get(event.area, 0) + event.total - held.stakes.get(event.area, 0)
    view = _seat(view, event.seat, event.player, stakes={area: lies for area, lies in stakes.items() if lies})
    return change_seat(_coup(view, totals=totals), event.seat, stack=event.stack)


def _closed(view: TableView, event: e.BettingClosed, _: At) -> TableView:
    totals = {str(chance): total for chance, total in event.totals.items()}
    return _coup(view, phase="dealing", call=NO_MORE_BETS, until=None, totals=totals)


def _side(view: TableView, event: e.SideShown, _: At) -> TableView:
    initial = tuple(card.card for card in event.cards)
    return _of_side(view, event.side, initial=initial, score=event.score, natural=event.natural)


def _third(view: TableView, event: e.ThirdCardDealt, _: At) -> TableView:
    return _of_side(view, event.side, third=event.card.card, score=event.score)


def _cut(view: TableView, _: e.CutCardReached, __: At) -> TableView:
    return replace(view, shoe=replace(view.shoe, cut_card_reached=True)) if view.shoe else view


def _settled(view: TableView, event: e.CoupSettled, _: At) -> TableView:
    for result in event.results:
        view = _seat(view, result.seat, result.player, result=plain(result))
        view = change_stack(view, result.reservation, result.seat, result.stack)
    if view.shoe is not None:
        mark = Mark(
            round=event.round,
            winner=event.winner,
            natural=event.natural,
            ponto_pair=event.ponto_pair,
            banca_pair=event.banca_pair,
            bead=plain(event.bead, "ties"),
            big=plain(event.big),
        )
        view = replace(view, shoe=replace(view.shoe, marks=(*view.shoe.marks, mark), cards_left=event.cards_left))
    view = _coup(view, phase="over", until=None, winner=event.winner)
    return replace(view, hands_played=view.hands_played + 1)


def _voided(view: TableView, event: e.CoupVoided, _: At) -> TableView:
    for refund in event.refunds:
        view = _seat(view, refund.seat, refund.player, result={"refunded": refund.amount})
        view = change_stack(view, refund.reservation, refund.seat, refund.stack)
    return _coup(view, phase="void", until=None)


def _coup(view: TableView, **changes: Any) -> TableView:
    return replace(view, round=replace(view.round, **changes)) if isinstance(view.round, Coup) else view


def _of_side(view: TableView, side: str, **changes: Any) -> TableView:
    if not isinstance(view.round, Coup):
        return view
    return _coup(view, **{side: replace(view.round.ponto if side == "ponto" else view.round.banca, **changes)})


def _seat(view: TableView, number: int, player: str, **changes: Any) -> TableView:
    if not isinstance(view.round, Coup):
        return view
    held = in_round(view.round.seats, number, player, SeatAtCoup)
    return _coup(view, seats={**view.round.seats, number: replace(held, **changes)})


BACCARAT_CHANGES: dict[type, Any] = {
    e.ShoeStarted: _shoe_started,
    e.CoupOpened: _opened,
    e.CoupLapsed: _lapsed,
    e.StakePlaced: _staked,
    e.StakeWithdrawn: _staked,
    e.BettingClosed: _closed,
    e.SideShown: _side,
    e.ThirdCardDealt: _third,
    e.CutCardReached: _cut,
    e.CoupSettled: _settled,
    e.CoupVoided: _voided,
}
