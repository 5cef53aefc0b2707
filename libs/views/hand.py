"""A hand of poker as its public events tell it: on the table while it runs, and on record for good.

pt-811-2015 65, 72. One fold serves the gateway's views and recall, the client, the auditor's histories and exports. No
card that was not shown stands in it.
"""

from collections.abc import Collection
from typing import Any

import msgspec
from msgspec.structs import replace

from libs.contracts import live_events as live
from libs.contracts import poker_events as p
from libs.contracts.facts import Chips, HandEvent, Part, taken
from libs.views.recorded import Action, Recorded, RecordedSeat, change, faces, shown, voided


class Decision(msgspec.Struct, frozen=True):
    """Whose turn it is; `turn` is what an act may name, `legal` what the table offers."""

    seat: int
    player: str
    turn: int
    street: str
    legal: p.LegalActs
    until: int
    bank_until: int


class InHand(RecordedSeat, frozen=True, kw_only=True):
    """A seat in the hand: `bet` lies before it in this round, `staked` in the whole hand (less what was returned).

    In a void hand all amounts are zero but `refunded` and the stacks.
    """

    stack_before: Chips
    bet: Chips = 0
    staked: Chips = 0
    dead: Chips = 0
    """Of `staked` what is no claim: missed blinds, an ante for everybody (pt-217-2007 90)."""
    folded: bool = False
    all_in: bool = False
    category: str | None = None
    hole_used: list[str] = []
    """With `board_used` the five cards of the combination, at showdown (pt-811-2015 61)."""
    board_used: list[str] = []
    won: Chips | None = None
    rake: Chips | None = None


class Award(Part):
    pot: str
    amount: Chips
    eligible: list[int]
    winners: list[int]
    rake: Chips
    basis: p.Basis
    payments: list[p.Payment]


class Incident(msgspec.Struct, frozen=True):
    """An error on record in the hand, and what followed (pt-217-2007 69 to 71); `state` is the hand's afterwards."""

    incident: int
    code: str
    outcome: str
    seats: list[int]
    cards: tuple[str, ...]
    state: str


class Dispute(msgspec.Struct, frozen=True):
    """A player's about the hand, and the house's decision, its reason and who took it; null while it is open (8.c)."""

    dispute: int
    seat: int
    player: str
    text: str
    decision: str | None = None
    reason: str | None = None
    decided_by: str | None = None


class Hand(Recorded, frozen=True, kw_only=True, tag="hand"):
    """The hand stays on the table until the next one starts. `small_blind`, `big_blind` are seats.

    `seats` stand in the order in which they are dealt to.
    """

    hand: int
    button: int
    small_blind: int
    big_blind: int
    lead: int | None = None
    """The lead seat with its marker, where there is one (pt-217-2007 29)."""
    deck_leaves: int
    """Of the tree behind `deck_root`."""
    stakes: Chips
    """The big blind, or what stands for it."""
    street: str = "preflop"
    board: tuple[str, ...] = ()
    seats: tuple[InHand, ...] = ()
    decision: Decision | None = None
    awaits: str | None = None
    """What a live hand waits for of its dealer: cards, or the delivery of the pot."""
    awards: tuple[Award, ...] = ()
    rake: Chips = 0
    exemption: str | None = None
    incidents: tuple[Incident, ...] = ()
    disputes: tuple[Dispute, ...] = ()

    @property
    def number(self) -> int:
        return self.hand

    @property
    def over(self) -> bool:
        """Paid out, or void."""
        return self.outcome != "running"

    @property
    def played(self) -> bool:
        """Over: paid out, or void and given back, which who was in it is to see as well."""
        return self.over

    def seat(self, number: int) -> InHand | None:
        """Who was dealt in at this seat."""
        return next((seat for seat in self.seats if seat.seat == number), None)


def fold_hand(
    hand: Hand | None,
    event: HandEvent,
    version: int,
    table_name: str,
    stakes: Chips,
    offline: Collection[int] = (),
) -> Hand | None:
    """The hand after `event`, which is the table's event number `version`; a new one takes the table's name and stakes.

    None before the first hand. `offline`: seats whose player has lost the connection.
    """
    if isinstance(event, p.HandStarted):
        seats = tuple(taken(InHand, seat, stack_before=seat.stack) for seat in event.seats)
        common = {"table_name": table_name, "stakes": stakes, "version": version, "started_at": event.at}
        return taken(Hand, event, seats=seats, **common)
    changes = _played(hand, event, version, offline) if hand is not None else {}
    return replace(hand, version=version, **changes) if hand is not None and changes else hand


def _played(hand: Hand, event: HandEvent, version: int, offline: Collection[int]) -> dict[str, Any]:
    """What the event changes. Nobody's decision is awaited after an act: the next event says whose."""
    match event:
        case p.DecisionAwaited():
            return {"decision": taken(Decision, event, turn=version)}
        case p.BetPlaced() | p.BlindPosted() | p.UncalledBetReturned() | p.PlayerFolded() | p.PlayerChecked():
            acted = {"actions": (*hand.actions, _action(hand, event, version, offline)), "decision": None}
            return acted | _change(hand, event.seat, _staked(hand.seat(event.seat), event))
        case p.HoleCardsDealt():
            positions = {deal.seat: {"positions": deal.positions} for deal in event.deals}
            return {"seats": change(hand.seats, positions), "decision": None}
        case p.StreetDealt():
            seats = tuple(replace(seat, bet=0) for seat in hand.seats)
            board, burned = (*hand.board, *faces(event.cards)), [*hand.burned, *event.burned]
            dealt = {"street": event.street, "board": board, "burned": burned, "seats": seats, "decision": None}
            return dealt | shown(hand, event.cards, "board", event.street)
        case p.DealCorrected():
            seats = change(hand.seats, {deal.seat: {"positions": deal.positions} for deal in event.deals})
            board = faces(event.cards) or hand.board
            return {"seats": seats, "board": board} | shown(hand, event.cards, "board", "corrected")
        case p.CardsShown():
            used = {"category": event.category, "hole_used": event.hole_used, "board_used": event.board_used}
            seat = _change(hand, event.seat, {"cards": list(faces(event.cards)), **used})
            return seat | {"decision": None} | shown(hand, event.cards, str(event.seat), "hand")
        case p.PotAwarded():
            return {"awards": (*hand.awards, taken(Award, event)), "decision": None}
        case p.HandEnded():
            results = {result.seat: _result(result) for result in event.results}
            over = {"outcome": "ended", "ended_at": event.at, "decision": None}
            return over | {"seats": change(hand.seats, results), "rake": event.rake, "exemption": event.exemption}
        case p.HandVoided():
            nothing = {"staked": 0, "won": 0, "rake": 0, "refunded": 0}
            seats = tuple(replace(seat, stack_after=seat.stack_before, **nothing) for seat in hand.seats)
            back = {each.seat: {"stack_after": each.stack, "refunded": each.amount} for each in event.refunds}
            return {"seats": change(seats, back), "decision": None} | voided(event)
        case live.CardsAwaited():
            return {"awaits": event.what, "decision": None}
        case live.IncidentRecorded():
            incident = taken(Incident, event, cards=faces(event.exposed), state=event.state_after)
            asked = event.held is not None and hand.decision is not None and hand.decision.seat == event.held.seat
            decision = hand.decision if asked or not event.choices else None  # whose act it is may say so in person
            return {"incidents": (*hand.incidents, incident), "decision": decision}
        case p.DisputeOpened() if event.hand == hand.hand:
            return {"disputes": (*hand.disputes, taken(Dispute, event))}
        case p.DisputeResolved() if event.hand == hand.hand:
            decided = {"decision": event.decision, "reason": event.reason, "decided_by": event.decided_by}
            same = event.dispute
            return {"disputes": tuple(replace(d, **decided) if d.dispute == same else d for d in hand.disputes)}
        case _:
            return {}


def _change(hand: Hand, number: int, changes: dict[str, Any]) -> dict[str, Any]:
    return {"seats": change(hand.seats, {number: changes})}


_Act = p.BetPlaced | p.BlindPosted | p.UncalledBetReturned | p.PlayerFolded | p.PlayerChecked
_ACTS = {p.BlindPosted: "post", p.PlayerFolded: "fold", p.PlayerChecked: "check"}


def _action(hand: Hand, event: _Act, version: int, offline: Collection[int]) -> Action:
    more: dict[str, Any] = {"act": _ACTS[type(event)]} if type(event) in _ACTS else {}
    if isinstance(event, p.BlindPosted) and event.compulsory:
        more["actor"] = "house"
    if isinstance(event, p.PlayerFolded) and event.reason == "timeout" and event.seat in offline:
        more["offline"] = True
    if isinstance(event, p.PlayerFolded | p.PlayerChecked | p.BetPlaced) and event.entered_by:
        more["dealer"] = event.entered_by
    if isinstance(event, p.UncalledBetReturned):
        more = {"act": "uncalled_returned", "actor": "house"}
    return taken(Action, event, version=version, street=hand.street, **more)


def _staked(held: InHand | None, event: _Act) -> dict[str, Any]:
    """What the act does to the chips of its seat."""
    match event:
        case _ if held is None:
            return {}
        case p.PlayerFolded():
            return {"folded": True}
        case p.PlayerChecked():
            return {"all_in": event.all_in}
        case p.UncalledBetReturned():
            return {"bet": max(0, held.bet - event.amount), "staked": held.staked - event.amount}
        case p.BetPlaced() | p.BlindPosted():
            dead = event.amount if isinstance(event, p.BlindPosted) and event.blind in p.DEAD_BLINDS else 0
            bet, staked = max(held.bet, event.to), held.staked + event.amount
            return {"bet": bet, "staked": staked, "dead": held.dead + dead, "all_in": event.all_in}
        case _:
            return {}


def _result(result: p.SeatResult) -> dict[str, Any]:
    return {"stack_after": result.stack, "staked": result.staked, "won": result.won, "rake": result.rake}


def pots(hand: Hand) -> list[dict[str, Any]]:
    """Main and side pots as they would stand if the hand were called down now (pt-811-2015 4.e).

    Every level at which a player is all in closes a pot; folded chips stay in the pots that they had reached.
    """
    alive = [seat for seat in hand.seats if not seat.folded]
    claims = {seat.seat: seat.staked - seat.dead for seat in hand.seats}
    caps = sorted({claims[seat.seat] for seat in alive if seat.all_in} | {max(claims.values(), default=0)})
    layers: list[dict[str, Any]] = []
    floor, dead = 0, sum(seat.dead for seat in hand.seats)
    for cap in caps:
        amount = dead + sum(min(claim, cap) - min(claim, floor) for claim in claims.values())
        eligible = [seat.seat for seat in alive if claims[seat.seat] > floor]
        if layers and not eligible:
            layers[-1]["amount"] += amount  # put in by hands that were annulled: it stays (pt-217-2007 71.b)
        elif amount > 0:
            layers.append({"pot": f"side_{len(layers)}" if layers else "main", "amount": amount, "eligible": eligible})
        floor, dead = cap, 0
    return layers
