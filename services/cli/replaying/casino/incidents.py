"""Errors of dealer and players as a worked hand records them: reported, decided, and told in the record's words."""

from collections.abc import Callable

from libs.contracts.live_commands import DecideIncident, DeliverPot, RecordIncident
from libs.contracts.live_events import IncidentRecorded
from libs.contracts.poker_events import BetPlaced, CardsShown, PlayerFolded
from services.cli.replaying.casino.desk import DEALER, SUPERVISOR, Desk, category_in_words
from services.cli.replaying.casino.record import Incident
from services.cli.replaying.record import Claims


def replay_incident(desk: Desk, line: Incident) -> Claims:
    """What the table made of it."""
    return {"event": "incident", "seat": line.seat, **_HANDLERS[line.code](desk, line)}


def _reported(desk: Desk, line: Incident) -> IncidentRecorded:
    report = RecordIncident(
        hand=desk.number,
        code=line.code,
        seat=line.seat,
        cards=line.exposed,
        act=line.action,
        to=line.to,
        placed=line.placed,
    )
    desk.ask(DEALER, report)
    return desk.expect(IncidentRecorded)


def _turned_in_dealing(desk: Desk, line: Incident) -> Claims:
    """70.c, 69.g: recorded by the scan itself."""
    desk.deal_until(line.card_no)
    event = desk.expect(IncidentRecorded)
    if not event.exposed:
        return {"code": event.code}
    card = event.exposed[0].card
    return {"code": event.code, "seat": event.seats[0], "card": card, "card_no": desk.pack.index(card) + 1}


def _exposed_early(desk: Desk, line: Incident) -> Claims:
    desk.take(line.exposed)
    event = _reported(desk, line)
    restricted, said = set(event.restricted), line.call_only_seats
    call_only = said if set(said) == restricted else sorted(restricted)
    return {"code": event.code, "exposed": [card.card for card in event.exposed], "call_only_seats": call_only}


def _absent(desk: Desk, line: Incident) -> Claims:
    code = _reported(desk, line).code
    event = desk.expect(PlayerFolded)
    return {"code": code, "seat": event.seat if event.reason == "withdrawn" else event.reason}


def _no_burn(desk: Desk, line: Incident) -> Claims:
    assert line.card is not None, "told of this incident"
    desk.scan(line.card, "board")
    event = desk.expect(IncidentRecorded)
    return {"code": event.code, "card": "".join(desk.names(event.burned))}


def _wrong_winner(desk: Desk, line: Incident) -> Claims:
    """70.a: the dealer names a winner, the cards another."""
    desk.ask(DEALER, DeliverPot(hand=desk.number, winner=line.announced_winner))
    event = desk.expect(IncidentRecorded)
    announced, corrected = event.seats
    shown = {event.seat: category_in_words(event.category) for event in desk.all(CardsShown)}
    said = {"announced_winner": announced, "announced": shown.get(announced)}
    return {"code": event.code, **said, "corrected_winner": corrected}


def _underpaid(desk: Desk, line: Incident) -> Claims:
    hand = desk.table_hand
    player = hand.players.get(line.seat or 0)
    due = hand.bet - (player.in_round if player is not None else 0)
    event = _reported(desk, line)
    stays = desk.expect(BetPlaced).amount
    placed = event.amount if event.amount == stays else [event.amount, stays]
    return {"code": event.code, "placed": placed, "due": due, "missing": due - stays}


def _unannounced(desk: Desk, line: Incident) -> Claims:
    event = _reported(desk, line)
    placed = event.amount + event.returned
    return {
        "code": event.code,
        "placed": placed,
        "treated_as": event.outcome,
        "kept": event.amount,
        "returned": event.returned,
    }


def _out_of_turn(desk: Desk, line: Incident) -> Claims:
    turn = desk.table_hand.turn
    event = _reported(desk, line)
    if (held := event.held) is None:
        return {"code": event.code}
    said = {"seat": held.seat, "action": held.act, "to": held.to, "chips_held": held.chips}
    return {"code": event.code, **said, "turn_was_seat": turn.seat if turn is not None else None}


def _passed_over(desk: Desk, line: Incident) -> Claims:
    event = _reported(desk, line)
    decision = DecideIncident(hand=desk.number, incident=event.incident, decision="in_favour", reason="at once")
    desk.ask(SUPERVISOR, decision)
    desk.catch_up()
    turn = desk.running.turn
    return {"code": event.code, "decided_by": SUPERVISOR.id, "seat": turn.seat if turn is not None else None}


_HANDLERS: dict[str, Callable[[Desk, Incident], Claims]] = {
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
