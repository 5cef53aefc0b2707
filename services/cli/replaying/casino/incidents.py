"""Errors of dealer and players as a worked hand records them: reported, decided, and told in the record's words."""

from collections.abc import Callable

from libs.cards.card import parse
from libs.contracts.live_commands import DecideIncident, DeliverPot, RecordIncident
from libs.contracts.live_events import IncidentRecorded
from libs.contracts.poker_events import BetPlaced, PlayerFolded
from services.cli.replaying.casino.desk import DEALER, SUPERVISOR, Desk
from services.cli.replaying.casino.record import Event
from services.cli.replaying.record import Claims


def replay_incident(desk: Desk, line: Event) -> Claims:
    """What the table made of it; a code that nobody knows is answered by nothing."""
    handler = _HANDLERS.get(line.code)
    return {"event": "incident", **handler(desk, line)} if handler is not None else {}


def _reported(desk: Desk, line: Event) -> IncidentRecorded:
    act = line.action if line.action in ("bet", "raise") else None
    report = RecordIncident(
        hand=desk.number, code=line.code, seat=line.seat, cards=line.exposed, act=act, to=line.to, placed=line.placed
    )
    desk.ask(DEALER, report)
    return desk.expect(IncidentRecorded)


def _turned_in_dealing(desk: Desk, line: Event) -> Claims:
    """70.c, 69.g: recorded by the scan itself."""
    desk.deal_until(line.card_no)
    event = desk.expect(IncidentRecorded)
    return {"code": event.code, "seat": event.seats[0], "card": event.exposed[0].card, "card_no": line.card_no}


def _exposed_early(desk: Desk, line: Event) -> Claims:
    desk.take(line.exposed)
    event = _reported(desk, line)
    restricted = set(event.restricted)
    said: list[int] = line.claims.get("call_only_seats", [])
    call_only = said if set(said) == restricted else sorted(restricted)
    return {"code": event.code, "exposed": [card.card for card in event.exposed], "call_only_seats": call_only}


def _absent(desk: Desk, line: Event) -> Claims:
    code = _reported(desk, line).code
    event = desk.expect(PlayerFolded)
    return {"code": code, "seat": event.seat if event.reason == "withdrawn" else event.reason}


def _no_burn(desk: Desk, line: Event) -> Claims:
    assert line.card is not None
    desk.scan(line.card, "board")
    event = desk.expect(IncidentRecorded)
    deck = desk.running.deck
    assert deck is not None
    is_the_burn = event.burned == [deck.cards.index(parse(line.card))]
    return {"code": event.code, "card": line.card if is_the_burn else desk.names(event.burned)}


def _wrong_winner(desk: Desk, line: Event) -> Claims:
    """70.a: the dealer names a winner, the cards another."""
    desk.ask(DEALER, DeliverPot(hand=desk.number, winner=line.announced_winner))
    event = desk.expect(IncidentRecorded)
    announced, corrected = event.seats
    return {"code": event.code, "announced_winner": announced, "corrected_winner": corrected}


def _underpaid(desk: Desk, line: Event) -> Claims:
    hand = desk.state.hand
    assert hand is not None
    assert line.seat is not None
    assert line.placed is not None
    due = hand.bet - hand.players[line.seat].in_round
    event = _reported(desk, line)
    stays = desk.expect(BetPlaced).amount
    placed = event.amount if event.amount == stays else [event.amount, stays]
    return {"code": event.code, "seat": line.seat, "placed": placed, "due": due, "missing": due - line.placed}


def _unannounced(desk: Desk, line: Event) -> Claims:
    event = _reported(desk, line)
    said = {"code": event.code, "seat": line.seat, "placed": line.placed}
    return {**said, "treated_as": event.outcome, "kept": event.amount, "returned": event.returned}


def _out_of_turn(desk: Desk, line: Event) -> Claims:
    hand = desk.state.hand
    turn = hand.turn.seat if hand is not None and hand.turn is not None else None
    event = _reported(desk, line)
    if (held := event.held) is None:
        return {"code": event.code}
    said = {"seat": held.seat, "action": held.act, "to": held.to, "chips_held": held.chips}
    return {"code": event.code, **said, "turn_was_seat": turn}


def _passed_over(desk: Desk, line: Event) -> Claims:
    event = _reported(desk, line)
    decision = DecideIncident(hand=desk.number, incident=event.incident, decision="in_favour", reason="at once")
    desk.ask(SUPERVISOR, decision)
    desk.catch_up()
    turn = desk.running.turn
    return {"code": event.code, "decided_by": SUPERVISOR.id, "seat": turn.seat if turn is not None else None}


_HANDLERS: dict[str, Callable[[Desk, Event], Claims]] = {
    "DE-69g": _turned_in_dealing,
    "DE-70a": _wrong_winner,
    "DE-70b": _absent,
    "DE-70c": _turned_in_dealing,
    "DE-70d": _exposed_early,
    "DE-70e": _exposed_early,
    "DE-70f": _exposed_early,
    "DE-70g": _no_burn,
    "PE-71c": _underpaid,
    "PE-71d": _unannounced,
    "PE-71f": _out_of_turn,
    "PE-71i": _passed_over,
}
