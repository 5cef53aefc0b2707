"""A hand of poker as everybody at the table sees it. No unseen card stands in it."""

from typing import Any

import msgspec
from msgspec.structs import replace

from libs.contracts import live_events as live
from libs.contracts import poker_events as p
from libs.contracts.facts import HandEvent, taken


class Decision(msgspec.Struct, frozen=True):
    """Whose turn it is; `turn` is what an act may name, `legal` what the table offers."""

    seat: int
    player: str
    turn: int
    street: str
    legal: p.LegalActs
    until: int
    bank_until: int


class InHand(msgspec.Struct, frozen=True):
    """A seat in the hand: `bet` lies before it in this round, `staked` in the whole hand (less what was returned)."""

    seat: int
    player: str
    bet: int = 0
    staked: int = 0
    folded: bool = False
    all_in: bool = False
    dealt: bool = False
    shown: tuple[str, ...] = ()
    category: str | None = None
    dead: int = 0
    """Of `staked` what is no claim: missed blinds, an ante for everybody (pt-217-2007 90)."""
    best: tuple[str, ...] = ()
    """At showdown: the name of the combination and its five cards (pt-811-2015 61)."""


class Award(msgspec.Struct, frozen=True):
    pot: str
    amount: int
    winners: tuple[int, ...]
    rake: int


class Incident(msgspec.Struct, frozen=True):
    """An error on record in the hand, and what followed (pt-217-2007 69 to 71); `state` is the hand's afterwards."""

    incident: int
    code: str
    outcome: str
    seats: list[int]
    cards: tuple[str, ...]
    state: str


class Hand(msgspec.Struct, frozen=True):
    """The hand on the table; it stays until the next one starts, `over` once it is paid out or void."""

    hand: int
    button: int
    small_blind: int
    big_blind: int
    deck_root: str
    deck_leaves: int
    started: int
    seats: dict[int, InHand]
    street: str = "preflop"
    board: tuple[str, ...] = ()
    lead: int | None = None
    """The lead seat with its marker, where there is one (pt-217-2007 29)."""
    decision: Decision | None = None
    awards: tuple[Award, ...] = ()
    over: bool = False
    void: bool = False
    awaits: str | None = None
    """What a live hand waits for of its dealer: cards, or the delivery of the pot."""
    incidents: tuple[Incident, ...] = ()


def fold_hand(hand: Hand | None, event: HandEvent, version: int) -> Hand | None:
    """The hand on the table after `event`, which is the table's event number `version`."""
    if isinstance(event, p.HandStarted):
        seats = {seat.seat: InHand(seat.seat, seat.player) for seat in event.seats}
        return taken(Hand, event, started=event.at, seats=seats)
    if hand is None:
        return None
    match event:
        case p.DecisionAwaited():
            return replace(hand, decision=taken(Decision, event, turn=version))
        case p.BetPlaced() | p.BlindPosted():
            return _chips_in(hand, event)
        case p.PlayerChecked():
            return replace(hand, decision=None)
        case p.PlayerFolded():
            return _seat(hand, event.seat, folded=True)
        case p.StreetDealt():
            board = hand.board + tuple(card.card for card in event.cards)
            seats = {number: replace(seat, bet=0) for number, seat in hand.seats.items()}
            return replace(hand, street=event.street, board=board, seats=seats, decision=None)
        case p.HoleCardsDealt():
            for deal in event.deals:
                hand = _seat(hand, deal.seat, dealt=True)
            return hand
        case p.UncalledBetReturned() if held := hand.seats.get(event.seat):
            left = max(0, held.bet - event.amount)
            return _seat(hand, event.seat, bet=left, staked=held.staked - event.amount)
        case p.CardsShown():
            cards, best = tuple(card.card for card in event.cards), (*event.hole_used, *event.board_used)
            return _seat(hand, event.seat, shown=cards, category=event.category, best=best)
        case p.PotAwarded():
            award = Award(event.pot, event.amount, tuple(event.winners), event.rake)
            return replace(hand, awards=(*hand.awards, award), decision=None)
        case p.HandEnded() | p.HandVoided():
            return replace(hand, over=True, void=isinstance(event, p.HandVoided), decision=None)
        case p.DealCorrected() if event.cards:
            return replace(hand, board=tuple(card.card for card in event.cards))
        case live.CardsAwaited():
            return replace(hand, awaits=event.what, decision=None)
        case live.IncidentRecorded():
            exposed = tuple(card.card for card in event.exposed)
            incident = taken(Incident, event, cards=exposed, state=event.state_after)
            decision = None if event.choices else hand.decision
            return replace(hand, incidents=(*hand.incidents, incident), decision=decision)
        case _:
            return hand


def _chips_in(hand: Hand, event: p.BetPlaced | p.BlindPosted) -> Hand:
    held = hand.seats.get(event.seat)
    if held is None:
        return hand
    dead = event.amount if isinstance(event, p.BlindPosted) and event.blind in p.DEAD_BLINDS else 0
    bet, staked = max(held.bet, event.to), held.staked + event.amount
    return _seat(hand, event.seat, bet=bet, staked=staked, dead=held.dead + dead, all_in=event.all_in)


def _seat(hand: Hand, number: int, **changes: Any) -> Hand:
    """The hand with a seat changed. Nobody's decision is awaited then: the next event says whose."""
    held = hand.seats.get(number)
    return replace(hand, seats={**hand.seats, number: replace(held, **changes)} if held else hand.seats, decision=None)


def pots(hand: Hand) -> list[dict[str, Any]]:
    """Main and side pots as they would stand if the hand were called down now (pt-811-2015 4.e).

    Every level at which a player is all in closes a pot; folded chips stay in the pots that they had reached.
    """
    alive = [seat for seat in hand.seats.values() if not seat.folded]
    claims = {seat.seat: seat.staked - seat.dead for seat in hand.seats.values()}
    caps = sorted({claims[seat.seat] for seat in alive if seat.all_in} | {max(claims.values(), default=0)})
    layers: list[dict[str, Any]] = []
    floor, dead = 0, sum(seat.dead for seat in hand.seats.values())
    for cap in caps:
        amount = dead + sum(min(claim, cap) - min(claim, floor) for claim in claims.values())
        eligible = [seat.seat for seat in alive if claims[seat.seat] > floor]
        if amount > 0:
            layers.append({"pot": f"side_{len(layers)}" if layers else "main", "amount": amount, "eligible": eligible})
        floor, dead = cap, 0
    return layers
