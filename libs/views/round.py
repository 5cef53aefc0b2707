"""A round against the house as it goes on record, whichever the game.

pt-803-2015-no-draw 33, 37; pt-812-2015-baccarat 29, 31. No card that was not shown is in it.
"""

from typing import Any, Literal

from msgspec.structs import replace

from libs.contracts import baccarat_events as baccarat
from libs.contracts import banked_rounds as b
from libs.contracts import no_draw_poker_events as no_draw
from libs.contracts.facts import Chips, plain, taken
from libs.views.recorded import Action, Recorded, RecordedSeat, change, faces, shown, voided


class StakedSeat(RecordedSeat, frozen=True, kw_only=True):
    """One player in the round. `details` is what only this game tells of it: outcome, category."""

    stakes: dict[str, Chips] = {}
    """What lies on each area."""
    credited: Chips | None = None
    commission: Chips | None = None
    net: Chips | None = None
    bets: list[b.BetSettled] = []
    decision: Literal["fold", "continue"] | None = None
    details: dict[str, Any] | None = None


class RoundRecord(Recorded, frozen=True, kw_only=True, tag="round"):
    """A round against the house, or a coup; `seats` are those that have something at stake, by number.

    `house` is what the bank won or, below zero, lost; `details` what the game tells of the result: scores, winner,
    places on the roads.
    """

    game: str
    round: int
    shoe: int | None = None
    house: Chips | None = None
    bank: Chips | None = None
    details: dict[str, Any] | None = None
    seats: tuple[StakedSeat, ...] = ()

    @property
    def number(self) -> int:
        return self.round

    @property
    def played(self) -> bool:
        """Over, and not for want of stakes."""
        return self.outcome in ("ended", "void")


def record_round(record: RoundRecord, event: b.BankedRoundEvent, version: int) -> RoundRecord:
    """The record after `event`, which is the table's event number `version`."""
    changes = _of_round(record, event, version)
    return replace(record, version=version, **changes) if changes else record


def _of_round(record: RoundRecord, event: b.BankedRoundEvent, version: int) -> dict[str, Any]:
    match event:
        case b.BankedStakeMoved():
            return _staked(record, event, version)
        case no_draw.HandSurrendered():
            act = taken(Action, event, version=version, act="fold", reason=event.cause)
            return {
                "actions": (*record.actions, act),
                "seats": change(record.seats, {event.seat: {"decision": "fold"}}),
            }
        case no_draw.RoundDealt():
            seats = change(record.seats, {deal.seat: {"positions": deal.positions} for deal in event.deals})
            dealt = {"deck_root": event.deck_root, "burned": event.burned, "seats": seats}
            return dealt | shown(record, [event.dealer_up], "dealer", "up")
        case no_draw.DealerShown():
            details = {"dealer": {"category": event.category, "plays": event.plays}}
            seen = {card.position for card in record.cards}  # the open one among the five
            unseen = [card for card in event.cards if card.position not in seen]
            return {"details": details} | shown(record, unseen, "dealer", "hand")
        case no_draw.RoundHandShown():
            seats = change(record.seats, {event.seat: {"cards": list(faces(event.cards))}})
            return {"seats": seats} | shown(record, event.cards, str(event.seat), "hand")
        case baccarat.SideShown():
            return shown(record, event.cards, event.side, "first", "second")
        case baccarat.ThirdCardDealt():
            return shown(record, [event.card], event.side, event.place)
        case b.BankedDeckDealt():  # of a game that is not named above, as the next
            return {"deck_root": event.deck_root}
        case b.BankedCardsShown():
            return shown(record, event.cards, "table", "open")
        case b.BankedRoundSettled():
            details = {**(record.details or {}), **plain(event, *_OF_EVERY_ROUND)}
            seats = change(record.seats, {result.seat: _settled(result) for result in event.results})
            over = {"outcome": "ended", "ended_at": event.at, "house": event.house, "bank": event.bank}
            return {"seats": seats, "details": details, **over}
        case b.BankedRoundVoided():
            nothing = {"staked": 0, "credited": 0, "net": 0}
            back = {
                each.seat: {"refunded": each.amount, "stack_after": each.stack, **nothing} for each in event.refunds
            }
            return {"seats": change(record.seats, back)} | voided(event)
        case b.BankedRoundLapsed():
            return {"outcome": "lapsed", "ended_at": event.at}
        case _:
            return {}


_OF_EVERY_ROUND = ("at", "table", "round", "rulebook", "currency", "results", "house", "bank")


def _staked(record: RoundRecord, event: b.BankedStakeMoved, version: int) -> dict[str, Any]:
    """Who took every stake back may go while bets are open; what lies there then is the next sitter's."""
    act = "stake" if isinstance(event, b.BankedStakePlaced) else "withdraw"
    decision = "continue" if isinstance(event, no_draw.SecondBetPlaced) else None
    action = taken(Action, event, version=version, act=decision or act, to=event.total)
    others = [seat for seat in record.seats if seat.seat != event.seat]
    held = next((seat for seat in record.seats if seat.seat == event.seat), taken(StakedSeat, event))
    lies = {area: amount for area, amount in {**held.stakes, event.area: event.total}.items() if amount}
    seats = [*others, replace(held, stakes=lies, decision=decision)] if lies else others
    return {"actions": (*record.actions, action), "seats": tuple(sorted(seats, key=lambda seat: seat.seat))}


def _settled(result: b.SeatSettled) -> dict[str, Any]:
    own = plain(result, *b.SeatSettled.__struct_fields__)
    amounts = {"staked": result.staked, "credited": result.credited, "commission": result.commission}
    return {**amounts, "net": result.net, "stack_after": result.stack, "bets": result.bets, "details": own}
