"""A hand of poker in the table's view."""

from typing import Any

from msgspec.structs import replace

from libs.contracts import table_events as e
from services.gateway.views.changing import At, change_seat
from services.gateway.views.table_view import Award, Decision, Hand, InHand, TableView


def _button(view: TableView, event: e.ButtonDrawn, _: At) -> TableView:
    return replace(view, button=event.seat)


def _hand_started(view: TableView, event: e.HandStarted, at: At) -> TableView:
    hand = Hand(
        hand=event.hand,
        button=event.button,
        small_blind=event.small_blind,
        big_blind=event.big_blind,
        deck_root=event.deck_root,
        started=at.time,
        street="preflop",
        board=(),
        seats={seat.seat: InHand(seat.seat, seat.player) for seat in event.seats},
    )
    seats = dict(view.seats)
    for dealt in event.seats:
        if dealt.seat in seats:
            seats[dealt.seat] = replace(seats[dealt.seat], stack=dealt.stack)
    return replace(view, hand=hand, button=event.button, seats=seats, suspended=False)


def _dealt(view: TableView, event: e.HoleCardsDealt, _: At) -> TableView:
    for deal in event.deals:
        view = _in_hand(view, deal.seat, dealt=True)
    return view


def _chips_in(view: TableView, event: e.BlindPosted | e.BetPlaced, _: At) -> TableView:
    held = view.hand.seats.get(event.seat) if view.hand else None
    staked = (held.staked if held else 0) + event.amount
    view = _in_hand(view, event.seat, bet=event.to, staked=staked, all_in=event.all_in)
    return change_seat(_no_decision(view), event.seat, stack=event.stack)


def _awaited(view: TableView, event: e.DecisionAwaited, at: At) -> TableView:
    if view.hand is None:
        return view
    decision = Decision(
        seat=event.seat,
        player=event.player,
        turn=at.version,
        street=event.street,
        legal=event.legal.model_dump(),
        until=event.until,
        bank_until=event.bank_until,
    )
    return replace(view, hand=replace(view.hand, decision=decision))


def _folded(view: TableView, event: e.PlayerFolded, _: At) -> TableView:
    return _in_hand(_no_decision(view), event.seat, folded=True)


def _checked(view: TableView, _: e.PlayerChecked, __: At) -> TableView:
    return _no_decision(view)


def _street(view: TableView, event: e.StreetDealt, _: At) -> TableView:
    if view.hand is None:
        return view
    seats = {number: replace(seat, bet=0) for number, seat in view.hand.seats.items()}
    board = view.hand.board + tuple(card.card for card in event.cards)
    return replace(view, hand=replace(view.hand, street=event.street, board=board, seats=seats, decision=None))


def _returned(view: TableView, event: e.UncalledBetReturned, _: At) -> TableView:
    held = view.hand.seats.get(event.seat) if view.hand else None
    if held is not None:
        left = max(0, held.bet - event.amount)
        view = _in_hand(view, event.seat, bet=left, staked=held.staked - event.amount)
    return change_seat(_no_decision(view), event.seat, stack=event.stack)


def _shown(view: TableView, event: e.CardsShown, _: At) -> TableView:
    cards, best = tuple(card.card for card in event.cards), (*event.hole_used, *event.board_used)
    return _in_hand(view, event.seat, shown=cards, category=event.category, best=best)


def _awarded(view: TableView, event: e.PotAwarded, _: At) -> TableView:
    if view.hand is not None:
        award = Award(event.pot, event.amount, tuple(event.winners), event.rake)
        view = replace(view, hand=replace(view.hand, awards=(*view.hand.awards, award), decision=None))
    for payment in event.payments:
        if payment.seat in view.seats:
            view = change_seat(view, payment.seat, stack=view.seats[payment.seat].stack + payment.net)
    return view


def _ended(view: TableView, event: e.HandEnded, _: At) -> TableView:
    for result in event.results:
        view = change_seat(view, result.seat, stack=result.stack)
    hand = replace(view.hand, over=True, decision=None) if view.hand else None
    return replace(view, hand=hand, hands_played=view.hands_played + 1)


def _voided(view: TableView, event: e.HandVoided, _: At) -> TableView:
    for refund in event.refunds:
        view = change_seat(view, refund.seat, stack=refund.stack)
    return replace(view, hand=replace(view.hand, over=True, void=True, decision=None) if view.hand else None)


def _in_hand(view: TableView, number: int, **changes: Any) -> TableView:
    held = view.hand.seats.get(number) if view.hand else None
    if view.hand is None or held is None:
        return view
    return replace(view, hand=replace(view.hand, seats={**view.hand.seats, number: replace(held, **changes)}))


def _no_decision(view: TableView) -> TableView:
    return replace(view, hand=replace(view.hand, decision=None)) if view.hand and view.hand.decision else view


HAND_CHANGES: dict[type, Any] = {
    e.ButtonDrawn: _button,
    e.HandStarted: _hand_started,
    e.HoleCardsDealt: _dealt,
    e.BlindPosted: _chips_in,
    e.DecisionAwaited: _awaited,
    e.PlayerFolded: _folded,
    e.PlayerChecked: _checked,
    e.BetPlaced: _chips_in,
    e.StreetDealt: _street,
    e.UncalledBetReturned: _returned,
    e.CardsShown: _shown,
    e.PotAwarded: _awarded,
    e.HandEnded: _ended,
    e.HandVoided: _voided,
}
