"""A round of no-draw poker in the table's view."""

from typing import Any

from msgspec.structs import replace

from libs.contracts import no_draw_poker_events as e
from libs.contracts.facts import plain
from services.gateway.views.calls import NO_MORE_BETS
from services.gateway.views.changing import At, change_seat, change_stack, in_round
from services.gateway.views.no_draw_view import Dealer, NoDrawRound, SeatInRound
from services.gateway.views.table_view import TableView


def _opened(view: TableView, event: e.AntesOpened, at: At) -> TableView:
    seats = {seat.seat: SeatInRound(seat.seat, seat.player) for seat in event.seats}
    return replace(view, round=NoDrawRound(event.round, at.time, event.currency, until=event.until, seats=seats))


def _extended(view: TableView, event: e.AntesExtended, _: At) -> TableView:
    return _round(view, until=event.until)


def _lapsed(view: TableView, _: e.AntesLapsed, __: At) -> TableView:
    return _round(view, phase="lapsed", call=NO_MORE_BETS, until=None)


def _ante(view: TableView, event: e.AntePlaced, _: At) -> TableView:
    view = _seat(view, event.seat, event.player, ante=event.total, short_of=event.short_of)
    return change_seat(view, event.seat, stack=event.stack)


def _withdrawn(view: TableView, event: e.AnteWithdrawn, _: At) -> TableView:
    view = _seat(view, event.seat, event.player, ante=event.total)
    return change_seat(view, event.seat, stack=event.stack)


def _closed(view: TableView, _: e.AntesClosed, __: At) -> TableView:
    return _round(view, phase="dealing", call=NO_MORE_BETS, until=None)


def _dealt(view: TableView, event: e.RoundDealt, _: At) -> TableView:
    return _round(view, deck_root=event.deck_root, dealer=Dealer(up=event.dealer_up.card))


def _awaited(view: TableView, event: e.HandsAwaited, _: At) -> TableView:
    for choice in event.choices:
        view = _seat(view, choice.seat, choice.player, decides=True, short_of=choice.short_of)
    return _round(view, phase="deciding", until=event.until)


def _warned(view: TableView, event: e.HandsWarned, _: At) -> TableView:
    return _round(view, phase="extra_time", until=event.until)


def _continued(view: TableView, event: e.SecondBetPlaced, _: At) -> TableView:
    view = _seat(view, event.seat, event.player, bet=event.total, decides=False, decision="continue", cause="player")
    return change_seat(view, event.seat, stack=event.stack)


def _surrendered(view: TableView, event: e.HandSurrendered, _: At) -> TableView:
    return _seat(view, event.seat, event.player, decides=False, decision="fold", cause=event.cause)


def _dealer(view: TableView, event: e.DealerShown, _: At) -> TableView:
    up = view.round.dealer.up if isinstance(view.round, NoDrawRound) else None
    cards = tuple(card.card for card in event.cards)
    dealer = Dealer(up=up, cards=cards, category=event.category, plays=event.plays)
    return _round(view, phase="showdown", until=None, dealer=dealer)


def _shown(view: TableView, event: e.RoundHandShown, _: At) -> TableView:
    cards = tuple(card.card for card in event.cards)
    return _seat(view, event.seat, event.player, shown=cards, category=event.category)


def _settled(view: TableView, event: e.RoundSettled, _: At) -> TableView:
    for result in event.results:
        view = _seat(view, result.seat, result.player, result=plain(result), decides=False)
        view = change_stack(view, result.reservation, result.seat, result.stack)
    return replace(_round(view, phase="over", until=None), hands_played=view.hands_played + 1)


def _voided(view: TableView, event: e.RoundVoided, _: At) -> TableView:
    for refund in event.refunds:
        view = _seat(view, refund.seat, refund.player, result={"refunded": refund.amount}, decides=False)
        view = change_stack(view, refund.reservation, refund.seat, refund.stack)
    return _round(view, phase="void", until=None)


def _round(view: TableView, **changes: Any) -> TableView:
    return replace(view, round=replace(view.round, **changes)) if isinstance(view.round, NoDrawRound) else view


def _seat(view: TableView, number: int, player: str, **changes: Any) -> TableView:
    if not isinstance(view.round, NoDrawRound):
        return view
    held = in_round(view.round.seats, number, player, SeatInRound)
    return _round(view, seats={**view.round.seats, number: replace(held, **changes)})


NO_DRAW_CHANGES: dict[type, Any] = {
    e.AntesOpened: _opened,
    e.AntesExtended: _extended,
    e.AntesLapsed: _lapsed,
    e.AntePlaced: _ante,
    e.AnteWithdrawn: _withdrawn,
    e.AntesClosed: _closed,
    e.RoundDealt: _dealt,
    e.HandsAwaited: _awaited,
    e.HandsWarned: _warned,
    e.SecondBetPlaced: _continued,
    e.HandSurrendered: _surrendered,
    e.DealerShown: _dealer,
    e.RoundHandShown: _shown,
    e.RoundSettled: _settled,
    e.RoundVoided: _voided,
}
