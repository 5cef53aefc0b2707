"""Errors of dealer and players as a worked hand records them: reported, decided, and compared with what they did."""

from collections.abc import Callable

from libs.cards.card import parse
from libs.contracts.live_commands import DecideIncident, DeliverPot, RecordIncident
from libs.contracts.live_events import IncidentRecorded
from libs.contracts.poker_events import BetPlaced, PlayerFolded
from services.cli.replaying.casino.desk import DEALER, SUPERVISOR, Desk
from services.cli.replaying.casino.line_by_line import LineByLine, running
from services.cli.replaying.casino.record import Incident
from services.table.domain.games.live_poker.state import live_of


def replay_incident(replay: LineByLine, desk: Desk, line: Incident) -> None:
    handler = _HANDLERS.get(line.code)
    if handler is None:
        replay.compare(line, "incident", line.code, "unknown")
        return
    handler(replay, desk, line)


def _report(replay: LineByLine, desk: Desk, line: Incident) -> None:
    number = replay.state.hands
    desk.ask(
        DEALER,
        RecordIncident(
            hand=number,
            code=line.code,
            seat=line.seat,
            cards=line.exposed,
            act=line.action,
            to=line.to,
            placed=line.placed,
        ),
    )


def _recorded(replay: LineByLine, line: Incident) -> IncidentRecorded | None:
    event = replay.next_incident()
    if not isinstance(event, IncidentRecorded):
        replay.compare(line, "event", "IncidentRecorded", type(event).__name__)
        return None
    replay.compare(line, "code", line.code, event.code)
    return event


def _turned_in_dealing(replay: LineByLine, desk: Desk, line: Incident) -> None:
    """70.c, 69.g: recorded by the scan itself."""
    desk.deal_until(line.card_no)
    event = _recorded(replay, line)
    if event is not None:
        replay.compare(
            line, "seat and card", (line.seat, [line.card]), (event.seats[0], [c.card for c in event.exposed])
        )


def _exposed_early(replay: LineByLine, desk: Desk, line: Incident) -> None:
    desk.take(line.exposed)
    _report(replay, desk, line)
    event = _recorded(replay, line)
    if event is None:
        return
    replay.compare(line, "exposed", line.exposed, [card.card for card in event.exposed])
    replay.compare(line, "call only", sorted(line.call_only_seats), sorted(event.restricted))
    replay.compare(line, "cards left", line.stub_left, live_of(replay.seen).stub)


def _absent(replay: LineByLine, desk: Desk, line: Incident) -> None:
    _report(replay, desk, line)
    _recorded(replay, line)
    event = replay.next()
    got = (event.seat, event.reason) if isinstance(event, PlayerFolded) else type(event).__name__
    replay.compare(line, "cards taken", (line.seat, "withdrawn"), got)


def _no_burn(replay: LineByLine, desk: Desk, line: Incident) -> None:
    assert line.card is not None
    desk.scan(line.card, "board")
    event = _recorded(replay, line)
    if event is None:
        return
    hand = running(replay.seen)
    assert hand.deck is not None
    replay.compare(line, "is the burn", [hand.deck.cards.index(parse(line.card))], event.burned)
    replay.compare(line, "cards left", line.stub_left, live_of(replay.seen).stub)


def _wrong_winner(replay: LineByLine, desk: Desk, line: Incident) -> None:
    """70.a: the dealer names a winner, the cards another."""
    desk.ask(DEALER, DeliverPot(hand=replay.state.hands, winner=line.announced_winner))
    event = _recorded(replay, line)
    if event is not None:
        replay.compare(line, "winner", [line.announced_winner, line.corrected_winner], event.seats)


def _underpaid(replay: LineByLine, desk: Desk, line: Incident) -> None:
    hand = running(replay.state)
    assert line.seat is not None
    assert line.placed is not None
    due = hand.bet - hand.players[line.seat].in_round
    replay.compare(line, "due and missing", (line.due, line.missing), (due, due - line.placed))
    _report(replay, desk, line)
    event = _recorded(replay, line)
    if event is not None:
        replay.compare(line, "placed", line.placed, event.amount)
    chips = replay.next()
    replay.compare(line, "chips stay", line.placed, chips.amount if isinstance(chips, BetPlaced) else None)


def _unannounced(replay: LineByLine, desk: Desk, line: Incident) -> None:
    _report(replay, desk, line)
    event = _recorded(replay, line)
    if event is not None:
        expected = (line.treated_as, line.kept, line.returned)
        replay.compare(line, "kept and returned", expected, (event.outcome, event.amount, event.returned))


def _out_of_turn(replay: LineByLine, desk: Desk, line: Incident) -> None:
    turn = running(replay.state).turn
    replay.compare(line, "turn", line.turn_was_seat, turn.seat if turn is not None else None)
    _report(replay, desk, line)
    event = _recorded(replay, line)
    held = event.held if event is not None else None
    expected = (line.seat, line.action, line.to, line.chips_held)
    replay.compare(line, "held", expected, (held.seat, held.act, held.to, held.chips) if held is not None else None)


def _passed_over(replay: LineByLine, desk: Desk, line: Incident) -> None:
    _report(replay, desk, line)
    event = _recorded(replay, line)
    if event is None:
        return
    desk.ask(
        SUPERVISOR,
        DecideIncident(hand=replay.state.hands, incident=event.incident, decision="in_favour", reason="at once"),
    )
    replay.catch_up()
    replay.compare(line, "decided by", line.decided_by, SUPERVISOR.id)
    turn = running(replay.state).turn
    replay.compare(line, "turn", line.seat, turn.seat if turn is not None else None)


_HANDLERS: dict[str, Callable[[LineByLine, Desk, Incident], None]] = {
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
