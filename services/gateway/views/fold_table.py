"""One table's public events folded into its view. It takes any event that ever happened and does not argue."""

from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from libs.contracts import table_events as e
from libs.contracts.messages import Message
from services.gateway.views.table_view import Award, Decision, Hand, InHand, Seat, TableView


@dataclass(frozen=True, slots=True)
class At:
    """Where an event stands: its version and its time (ms)."""

    version: int
    time: int


def fold_table(view: TableView, event: Message | None, at: At) -> TableView:
    """The view after `event`; None is a fact of a type that this build does not know: only the version moves."""
    change = _CHANGES.get(type(event))
    changed = change(view, event, at) if change else view
    return replace(changed, version=at.version)


def _opened(view: TableView, event: e.TableOpened, _: At) -> TableView:
    return replace(
        view, name=event.name, configuration=event.configuration.model_dump(), rulebook_hash=event.rulebook_hash
    )


def _announced(view: TableView, event: e.ConfigurationAnnounced, _: At) -> TableView:
    return replace(view, announced=event.configuration.model_dump())


def _activated(view: TableView, event: e.ConfigurationActivated, _: At) -> TableView:
    chosen = event.configuration.model_dump()
    return replace(view, configuration=chosen, rulebook_hash=event.rulebook_hash, announced=None)


def _paused(view: TableView, event: e.TablePaused, _: At) -> TableView:
    return replace(view, status="paused", reason=event.reason)


def _resumed(view: TableView, _: e.TableResumed, __: At) -> TableView:
    return replace(view, status="open", reason=None)


def _suspended(view: TableView, _: e.TableSuspended, __: At) -> TableView:
    return replace(view, suspended=True)


def _closing(view: TableView, event: e.TableClosing, _: At) -> TableView:
    return replace(view, status="closing", reason=event.reason)


def _closed(view: TableView, _: e.TableClosed, __: At) -> TableView:
    return replace(view, status="closed")


def _reserved(view: TableView, event: e.SeatReserved, _: At) -> TableView:
    return _seat(view, Seat(event.seat, event.player, event.reservation, "reserved", 0, until=event.until))


def _seated(view: TableView, event: e.PlayerSeated, _: At) -> TableView:
    return _seat(view, Seat(event.seat, event.player, event.reservation, "playing", event.stack))


def _gone(view: TableView, event: e.SeatReleased | e.PlayerLeft, _: At) -> TableView:
    return replace(view, seats={number: seat for number, seat in view.seats.items() if number != event.seat})


def _topping_up(view: TableView, event: e.TopUpRequested, _: At) -> TableView:
    return _change(view, event.seat, topping_up=event.amount)


def _topped_up(view: TableView, event: e.TopUpAdded, _: At) -> TableView:
    return _change(view, event.seat, stack=event.stack, topping_up=0, notice=None)


def _top_up_failed(view: TableView, event: e.TopUpFailed, _: At) -> TableView:
    return _change(view, event.seat, topping_up=0)


def _sat_out(view: TableView, event: e.PlayerSatOut, _: At) -> TableView:
    return _change(view, event.seat, status="sitting_out", until=event.until)


def _sat_in(view: TableView, event: e.PlayerSatIn, _: At) -> TableView:
    return _change(view, event.seat, status="playing", until=None, notice=None)


def _invited(view: TableView, event: e.PlayerInvitedToLeave, _: At) -> TableView:
    return _change(view, event.seat, notice=f"invited: {event.reason}")


def _warned(view: TableView, event: e.PlayerWarned, _: At) -> TableView:
    return _change(view, event.seat, notice=f"warned: {event.reason}")


def _leaving(view: TableView, event: e.LeaveRequested, _: At) -> TableView:
    return _change(view, event.seat, leaving=True)


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
    return _change(_no_decision(view), event.seat, stack=event.stack)


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
    return _change(_no_decision(view), event.seat, stack=event.stack)


def _shown(view: TableView, event: e.CardsShown, _: At) -> TableView:
    cards, best = tuple(card.card for card in event.cards), (*event.hole_used, *event.board_used)
    return _in_hand(view, event.seat, shown=cards, category=event.category, best=best)


def _awarded(view: TableView, event: e.PotAwarded, _: At) -> TableView:
    if view.hand is not None:
        award = Award(event.pot, event.amount, tuple(event.winners), event.rake)
        view = replace(view, hand=replace(view.hand, awards=(*view.hand.awards, award), decision=None))
    for payment in event.payments:
        if payment.seat in view.seats:
            view = _change(view, payment.seat, stack=view.seats[payment.seat].stack + payment.net)
    return view


def _ended(view: TableView, event: e.HandEnded, _: At) -> TableView:
    for result in event.results:
        view = _change(view, result.seat, stack=result.stack)
    hand = replace(view.hand, over=True, decision=None) if view.hand else None
    return replace(view, hand=hand, hands_played=view.hands_played + 1)


def _voided(view: TableView, event: e.HandVoided, _: At) -> TableView:
    for refund in event.refunds:
        view = _change(view, refund.seat, stack=refund.stack)
    return replace(view, hand=replace(view.hand, over=True, void=True, decision=None) if view.hand else None)


def _seat(view: TableView, seat: Seat) -> TableView:
    return replace(view, seats={**view.seats, seat.seat: seat})


def _change(view: TableView, number: int, **changes: Any) -> TableView:
    held = view.seats.get(number)
    return view if held is None else _seat(view, replace(held, **changes))


def _in_hand(view: TableView, number: int, **changes: Any) -> TableView:
    held = view.hand.seats.get(number) if view.hand else None
    if view.hand is None or held is None:
        return view
    return replace(view, hand=replace(view.hand, seats={**view.hand.seats, number: replace(held, **changes)}))


def _no_decision(view: TableView) -> TableView:
    return replace(view, hand=replace(view.hand, decision=None)) if view.hand and view.hand.decision else view


_CHANGES: dict[type, Any] = {
    e.TableOpened: _opened,
    e.ConfigurationAnnounced: _announced,
    e.ConfigurationActivated: _activated,
    e.TablePaused: _paused,
    e.TableResumed: _resumed,
    e.TableSuspended: _suspended,
    e.TableClosing: _closing,
    e.TableClosed: _closed,
    e.SeatReserved: _reserved,
    e.SeatReleased: _gone,
    e.PlayerSeated: _seated,
    e.TopUpRequested: _topping_up,
    e.TopUpAdded: _topped_up,
    e.TopUpFailed: _top_up_failed,
    e.PlayerSatOut: _sat_out,
    e.PlayerSatIn: _sat_in,
    e.PlayerInvitedToLeave: _invited,
    e.PlayerWarned: _warned,
    e.LeaveRequested: _leaving,
    e.PlayerLeft: _gone,
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
