"""Hands and rounds as they go on record: for players' recall, for the auditor's histories, for exports.

pt-811-2015 65, 72; pt-803-2015-no-draw 33, 37; pt-812-2015-baccarat 29, 31. No card that was not shown is in one.
"""

from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from libs.contracts import baccarat_events as baccarat
from libs.contracts import banked_rounds as b
from libs.contracts import no_draw_poker_events as no_draw
from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.contracts.any_configuration import AnyConfiguration
from libs.contracts.facts import Chips, Fact, HandEvent, Moment, Part, Position, plain, taken
from libs.contracts.poker_configuration import PokerConfiguration


class Action(Part, kw_only=True):
    """One act. `version` is its event's; `street` stands for hands, `area` for rounds against the house."""

    version: int
    at: Moment
    seat: int
    player: str
    act: Literal[
        "post", "fold", "check", "call", "bet", "raise", "uncalled_returned", "stake", "withdraw", "continue"
    ]  # fmt: skip
    blind: p.Blind | None = None
    """What was posted."""
    actor: p.Actor = "player"
    reason: str | None = None
    """Why the house acted: `timeout`, `left` …"""
    street: str | None = None
    area: str | None = None
    amount: Chips = 0
    """What the act moved."""
    to: Chips = 0
    """What lies there afterwards: in the betting round, or on the area."""
    stack: Chips | None = None
    all_in: bool = False


class ProvenCard(t.DeckCard):
    """A shown card and what ties it to `deck_root` (`verify_card` of `libs/sealing/merkle.py`)."""

    owner: str
    """`board`, `dealer`, `ponto`, `banca`, the number of a seat; `table`: everybody's."""
    place: str
    """The street, `corrected`; `hand`, `up`; `first`, `second`, `third`; `open`."""


class PlayedSeat(msgspec.Struct, frozen=True):
    """One player in the hand; the amounts are None while it runs, and zero in a void hand, but for `refunded`."""

    seat: int
    player: str
    reservation: str
    stack_before: Chips
    stack_after: Chips | None = None
    staked: Chips | None = None
    won: Chips | None = None
    rake: Chips | None = None
    refunded: Chips | None = None
    positions: list[Position] = []
    cards: list[str] = []
    """Empty unless shown."""
    category: str | None = None
    hole_used: list[str] = []
    board_used: list[str] = []


class Pot(Part):
    pot: str
    amount: Chips
    eligible: list[int]
    winners: list[int]
    rake: Chips
    basis: p.Basis
    payments: list[p.Payment]


class _Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="record"):
    """What both have. `version` is that of the last event in it. Amounts are minor units of `currency`."""

    replay: Literal[True] = True
    """Nothing here is being played (GAM-13)."""
    table: str
    table_name: str
    version: int
    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: str
    deck_root: str | None = None
    burned: list[Position] = []
    outcome: Literal["running", "ended", "void", "lapsed"] = "running"
    started_at: Moment
    ended_at: Moment | None = None
    void_cause: str | None = None
    void_by: str | None = None
    actions: tuple[Action, ...] = ()
    cards: tuple[ProvenCard, ...] = ()
    """In the order in which they were shown."""
    seats: tuple[Any, ...] = ()

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(seat.player for seat in self.seats)


class HandRecord(_Record, frozen=True, kw_only=True, tag="hand"):
    """A hand of poker. `seats` stand in the order in which they are dealt to; `small_blind`, `big_blind` are seats."""

    hand: int
    button: int
    small_blind: int
    big_blind: int
    lead: int | None = None
    deck_leaves: int
    """Of the tree behind `deck_root`."""
    stakes: Chips
    """The big blind, or what stands for it."""
    street: str = "preflop"
    board: tuple[str, ...] = ()
    seats: tuple[PlayedSeat, ...] = ()
    pots: tuple[Pot, ...] = ()
    rake: Chips = 0
    exemption: str | None = None

    @property
    def number(self) -> int:
        return self.hand

    @property
    def played(self) -> bool:
        """Over, and counted."""
        return self.outcome == "ended"


class StakedSeat(msgspec.Struct, frozen=True):
    """One player in the round. `details` is what only this game tells of it: outcome, category."""

    seat: int
    player: str
    reservation: str
    stakes: dict[str, Chips] = {}
    """What lies on each area."""
    staked: Chips | None = None
    credited: Chips | None = None
    commission: Chips | None = None
    net: Chips | None = None
    refunded: Chips | None = None
    stack_after: Chips | None = None
    positions: list[Position] = []
    cards: list[str] = []
    """Empty unless shown."""
    bets: list[b.BetSettled] = []
    decision: Literal["fold", "continue"] | None = None
    details: dict[str, Any] | None = None


class RoundRecord(_Record, frozen=True, kw_only=True, tag="round"):
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


Record = HandRecord | RoundRecord


class Recorder(msgspec.Struct, frozen=True):
    """What is on record at one table: its running or last hand or round, and what those take from its opening."""

    name: str = ""
    game: str = ""
    stakes: Chips = 0
    shoe_root: str | None = None
    record: Record | None = None


def fold_recorder(recorder: Recorder, event: Fact | None, version: int) -> Recorder:
    """The recorder after `event`, which is the table's event number `version`."""
    match event:
        case t.TableOpened():
            return _configured(replace(recorder, name=event.name), event.configuration)
        case t.ConfigurationActivated():
            return _configured(recorder, event.configuration)
        case baccarat.ShoeStarted():
            return replace(recorder, shoe_root=event.deck_root)
        case p.HandStarted():
            return replace(recorder, record=_hand_started(recorder, event, version))
        case b.BankedRoundOpened():
            common = {"table_name": recorder.name, "game": recorder.game, "version": version, "started_at": event.at}
            record = taken(RoundRecord, event, seats=(), deck_root=recorder.shoe_root, **common)
            return replace(recorder, record=record)
        case HandEvent() if isinstance(recorder.record, HandRecord):
            changes = _of_hand(recorder.record, event, version)
        case b.BankedRoundEvent() if isinstance(recorder.record, RoundRecord):
            changes = _of_round(recorder.record, event, version)
        case _:
            return recorder
    if not changes:
        return recorder
    return replace(recorder, record=replace(recorder.record, version=version, **changes))


def _configured(recorder: Recorder, chosen: AnyConfiguration) -> Recorder:
    stakes = chosen.betting.big_blind if isinstance(chosen, PokerConfiguration) else 0
    return replace(recorder, game=chosen.game, stakes=stakes)


def _hand_started(recorder: Recorder, event: p.HandStarted, version: int) -> HandRecord:
    common = {"table_name": recorder.name, "stakes": recorder.stakes, "version": version, "started_at": event.at}
    seats = tuple(taken(PlayedSeat, seat, stack_before=seat.stack) for seat in event.seats)
    return taken(HandRecord, event, seats=seats, **common)


def _of_hand(record: HandRecord, event: HandEvent, version: int) -> dict[str, Any]:
    match event:
        case p.BetPlaced() | p.PlayerFolded() | p.PlayerChecked() | p.BlindPosted() | p.UncalledBetReturned():
            return {"actions": (*record.actions, _acted(record, event, version))}
        case p.HoleCardsDealt():
            return {"seats": _change(record.seats, {deal.seat: {"positions": deal.positions} for deal in event.deals})}
        case p.StreetDealt():
            board = (*record.board, *(card.card for card in event.cards))
            burned = [*record.burned, *event.burned]
            return {"street": event.street, "board": board, "burned": burned} | _show(
                record, event.cards, "board", event.street
            )
        case p.DealCorrected() if event.cards:
            return {"board": tuple(card.card for card in event.cards)} | _show(
                record, event.cards, "board", "corrected"
            )
        case p.CardsShown():
            used = {"category": event.category, "hole_used": event.hole_used, "board_used": event.board_used}
            seats = _change(record.seats, {event.seat: {"cards": list(_faces(event.cards)), **used}})
            return {"seats": seats} | _show(record, event.cards, str(event.seat), "hand")
        case p.PotAwarded():
            return {"pots": (*record.pots, taken(Pot, event))}
        case p.HandEnded():
            seats = _change(record.seats, {result.seat: _result(result) for result in event.results})
            over = {"outcome": "ended", "ended_at": event.at}
            return {"seats": seats, "rake": event.rake, "exemption": event.exemption, **over}
        case p.HandVoided():
            nothing = {"staked": 0, "won": 0, "rake": 0, "refunded": 0}
            seats = tuple(replace(seat, stack_after=seat.stack_before, **nothing) for seat in record.seats)
            back = {each.seat: {"stack_after": each.stack, "refunded": each.amount} for each in event.refunds}
            return {"seats": _change(seats, back)} | _void(event)
        case _:
            return {}


_ACTS = {p.BlindPosted: "post", p.PlayerFolded: "fold", p.PlayerChecked: "check"}


def _acted(record: HandRecord, event: HandEvent, version: int) -> Action:
    more: dict[str, Any] = {"act": _ACTS[type(event)]} if type(event) in _ACTS else {}
    if isinstance(event, p.BlindPosted) and event.compulsory:
        more["actor"] = "house"
    if isinstance(event, p.UncalledBetReturned):
        more = {"act": "uncalled_returned", "actor": "house"}
    return taken(Action, event, version=version, street=record.street, **more)


def _result(result: p.SeatResult) -> dict[str, Any]:
    return {"stack_after": result.stack, "staked": result.staked, "won": result.won, "rake": result.rake}


def _of_round(record: RoundRecord, event: b.BankedRoundEvent, version: int) -> dict[str, Any]:
    match event:
        case b.BankedStakeMoved():
            return _staked(record, event, version)
        case no_draw.HandSurrendered():
            act = taken(Action, event, version=version, act="fold", reason=event.cause)
            return {
                "actions": (*record.actions, act),
                "seats": _change(record.seats, {event.seat: {"decision": "fold"}}),
            }
        case no_draw.RoundDealt():
            seats = _change(record.seats, {deal.seat: {"positions": deal.positions} for deal in event.deals})
            dealt = {"deck_root": event.deck_root, "burned": event.burned, "seats": seats}
            return dealt | _show(record, [event.dealer_up], "dealer", "up")
        case no_draw.DealerShown():
            details = {"dealer": {"category": event.category, "plays": event.plays}}
            return {"details": details} | _show(record, event.cards, "dealer", "hand")
        case no_draw.RoundHandShown():
            seats = _change(record.seats, {event.seat: {"cards": list(_faces(event.cards))}})
            return {"seats": seats} | _show(record, event.cards, str(event.seat), "hand")
        case baccarat.SideShown():
            return _show(record, event.cards, event.side, "first", "second")
        case baccarat.ThirdCardDealt():
            return _show(record, [event.card], event.side, event.place)
        case b.BankedDeckDealt():  # of a game that is not named above, as the next
            return {"deck_root": event.deck_root}
        case b.BankedCardsShown():
            return _show(record, event.cards, "table", "open")
        case b.BankedRoundSettled():
            details = {**(record.details or {}), **plain(event, *_OF_EVERY_ROUND)}
            seats = _change(record.seats, {result.seat: _settled(result) for result in event.results})
            over = {"outcome": "ended", "ended_at": event.at, "house": event.house, "bank": event.bank}
            return {"seats": seats, "details": details, **over}
        case b.BankedRoundVoided():
            nothing = {"staked": 0, "credited": 0, "net": 0}
            back = {
                each.seat: {"refunded": each.amount, "stack_after": each.stack, **nothing} for each in event.refunds
            }
            return {"seats": _change(record.seats, back)} | _void(event)
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


def _void(event: p.HandVoided | b.BankedRoundVoided) -> dict[str, Any]:
    return {"outcome": "void", "ended_at": event.at, "void_cause": event.cause, "void_by": event.by}


def _show(record: Record, cards: list[t.DeckCard], owner: str, *places: str) -> dict[str, Any]:
    """The cards beside those shown before; all at one place, or each at its own."""
    at = places if len(places) > 1 else places * len(cards)
    fresh = (taken(ProvenCard, card, owner=owner, place=place) for card, place in zip(cards, at, strict=False))
    return {"cards": (*record.cards, *fresh)}


def _faces(cards: list[t.DeckCard]) -> tuple[str, ...]:
    return tuple(card.card for card in cards)


SeatT = TypeVar("SeatT", PlayedSeat, StakedSeat)


def _change(seats: tuple[SeatT, ...], changes: dict[int, dict[str, Any]]) -> tuple[SeatT, ...]:
    return tuple(replace(seat, **changes[seat.seat]) if seat.seat in changes else seat for seat in seats)


def recalled_by(record: Record, player: str, own: tuple[str, ...]) -> dict[str, Any]:
    """The record for one of its players; `own` is all of theirs, the cards that nobody else saw included."""
    document: dict[str, Any] = msgspec.to_builtins(record)
    mine = next(seat for seat in document["seats"] if seat["player"] == player)
    return {**document, "own": {**mine, "cards": list(own)}}
