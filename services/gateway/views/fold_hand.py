"""A hand of poker in the table's view."""

from typing import Any

from msgspec.structs import replace

from libs.contracts import poker_events as p
from libs.contracts.facts import plain
from services.gateway.views.changing import At, change_seat
from services.gateway.views.table_view import Award, Decision, Hand, InHand, TableView


def _button(view: TableView, event: p.ButtonDrawn, _: At) -> TableView:
    return replace(view, button=event.seat)


def _hand_started(view: TableView, event: p.HandStarted, at: At) -> TableView:
    hand = Hand(
        hand=event.hand,
        button=event.button,
        small_blind=event.small_blind,
        big_blind=event.big_blind,
        deck_root=event.deck_root,
        started=at.time,
        street="preflop",
        board=(),
        lead=event.lead,
        seats={seat.seat: InHand(seat.seat, seat.player) for seat in event.seats},
    )
    seats = dict(view.seats)
    for dealt in event.seats:
        if dealt.seat in seats:
            seats[dealt.seat] = replace(seats[dealt.seat], stack=dealt.stack)
    return replace(view, hand=hand, button=event.button, seats=seats, suspended=False)


def _dealt(view: TableView, event: p.HoleCardsDealt, _: At) -> TableView:
    for deal in event.deals:
        view = _in_hand(view, deal.seat, dealt=True)
    return view


_DEAD = ("big_blind_ante", "missed")
"""Posts for everybody's pot that count for nothing else."""


def _chips_in(view: TableView, event: p.BlindPosted | p.BetPlaced, _: At) -> TableView:
    held = view.hand.seats.get(event.seat) if view.hand else None
    staked, bet, dead = (held.staked, held.bet, held.dead) if held else (0, 0, 0)
    if getattr(event, "blind", None) in _DEAD:
        dead += event.amount
    change = {"bet": max(bet, event.to), "staked": staked + event.amount, "dead": dead, "all_in": event.all_in}
    view = _in_hand(view, event.seat, **change)
    return change_seat(_no_decision(view), event.seat, stack=event.stack)


def _awaited(view: TableView, event: p.DecisionAwaited, at: At) -> TableView:
    if view.hand is None:
        return view
    decision = Decision(
        seat=event.seat,
        player=event.player,
        turn=at.version,
        street=event.street,
        legal=plain(event.legal),
        until=event.until,
        bank_until=event.bank_until,
    )
    return replace(view, hand=replace(view.hand, decision=decision))


def _folded(view: TableView, event: p.PlayerFolded, _: At) -> TableView:
    return _in_hand(_no_decision(view), event.seat, folded=True)


def _checked(view: TableView, _: p.PlayerChecked, __: At) -> TableView:
    return _no_decision(view)


def _street(view: TableView, event: p.StreetDealt, _: At) -> TableView:
    if view.hand is None:
        return view
    seats = {number: replace(seat, bet=0) for number, seat in view.hand.seats.items()}
    board = view.hand.board + tuple(card.card for card in event.cards)
    return replace(view, hand=replace(view.hand, street=event.street, board=board, seats=seats, decision=None))


def _returned(view: TableView, event: p.UncalledBetReturned, _: At) -> TableView:
    held = view.hand.seats.get(event.seat) if view.hand else None
    if held is not None:
        left = max(0, held.bet - event.amount)
        view = _in_hand(view, event.seat, bet=left, staked=held.staked - event.amount)
    return change_seat(_no_decision(view), event.seat, stack=event.stack)


def _shown(view: TableView, event: p.CardsShown, _: At) -> TableView:
    cards, best = tuple(card.card for card in event.cards), (*event.hole_used, *event.board_used)
    return _in_hand(view, event.seat, shown=cards, category=event.category, best=best)


def _awarded(view: TableView, event: p.PotAwarded, _: At) -> TableView:
    if view.hand is not None:
        award = Award(event.pot, event.amount, tuple(event.winners), event.rake)
        view = replace(view, hand=replace(view.hand, awards=(*view.hand.awards, award), decision=None))
    for payment in event.payments:
        if payment.seat in view.seats:
            view = change_seat(view, payment.seat, stack=view.seats[payment.seat].stack + payment.net)
    return view


def _ended(view: TableView, event: p.HandEnded, _: At) -> TableView:
    for result in event.results:
        view = change_seat(view, result.seat, stack=result.stack)
    hand = replace(view.hand, over=True, decision=None) if view.hand else None
    return replace(view, hand=hand, hands_played=view.hands_played + 1)


def _voided(view: TableView, event: p.HandVoided, _: At) -> TableView:
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
    p.ButtonDrawn: _button,
    p.HandStarted: _hand_started,
    p.HoleCardsDealt: _dealt,
    p.BlindPosted: _chips_in,
    p.DecisionAwaited: _awaited,
    p.PlayerFolded: _folded,
    p.PlayerChecked: _checked,
    p.BetPlaced: _chips_in,
    p.StreetDealt: _street,
    p.UncalledBetReturned: _returned,
    p.CardsShown: _shown,
    p.PotAwarded: _awarded,
    p.HandEnded: _ended,
    p.HandVoided: _voided,
}
