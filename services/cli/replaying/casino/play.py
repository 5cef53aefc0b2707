"""A worked hand of casino poker through the real rules: each line, and the state after it, as it comes."""

from collections.abc import Callable
from typing import Any

from libs.cards.card import name_of, names_of
from libs.contracts.facts import TableEvent
from libs.contracts.live_commands import DeliverPot, PassTurn, RecordPost
from libs.contracts.live_events import IncidentRecorded, StubReshuffled
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import Act
from libs.contracts.poker_events import (
    BetPlaced,
    BlindPosted,
    CardsShown,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    PlayerChecked,
    PlayerFolded,
    PotAwarded,
    StreetDealt,
    UncalledBetReturned,
)
from libs.decider import Rejected
from services.cli.replaying.casino.desk import DEALER, DECKS, Desk, is_live, passes
from services.cli.replaying.casino.ending import compare_expected, compare_five
from services.cli.replaying.casino.incidents import replay_incident
from services.cli.replaying.casino.line_by_line import HAS_A_LINE, LineByLine, running
from services.cli.replaying.casino.record import (
    Action,
    Attempt,
    Award,
    BoardTurned,
    Burn,
    CasinoHand,
    DealHole,
    HandVoid,
    Incident,
    Line,
    Post,
    ReshuffleLine,
    Show,
    UncalledReturned,
)
from services.cli.replaying.casino.setting import deck_of, table_before
from services.cli.replaying.play import Outcome
from services.table.domain.games.live_poker.limiting import held_of
from services.table.domain.games.live_poker.state import live_of

_STEP_MS = 1_000
_BLINDS = {"idle_big_blind_live": "idle", "missed_blinds_dead": "missed"}
REASONS = {
    "OVER_POT_MAX": "above_max",
    "RAISE_CAP_REACHED": "raise_cap",
    "CALL_ONLY_AFTER_EXPOSURE": "call_only_after_exposure",
    "OUT_OF_TURN_LOCKED": "out_of_turn_locked",
    "SKIPPED_PLAYER_CALL_ONLY": "skipped_player_call_only",
}
"""The file suggests names of refusals; these are ours."""


def replay_casino(hand: CasinoHand) -> Outcome:
    """Plays the hand to its end; what is paid, shown and left is compared at last."""
    fresh = deck_of(hand)
    live = is_live(hand)
    replay = LineByLine(hand, table_before(hand, DECKS if live else ""), fresh)
    desk = Desk(replay, names_of(fresh.deck.cards))
    if live:
        desk.open()
    else:
        replay.wake()
    started = next((event for event in replay.told if isinstance(event, HandStarted)), None)
    replay.outcome.compare("lead seat", hand.lead_seat, started.lead if started is not None else None)
    for line in hand.events:
        _PLAYS[type(line)](replay, desk, line)
        _compare_state(replay, line)
    left = [type(event).__name__ for event in replay.pending if isinstance(event, HAS_A_LINE)]
    replay.outcome.compare("events without a line in the record", [], left)
    replay.outcome.events = len(replay.told)
    compare_expected(hand, replay.told, replay.state, replay.outcome.compare)
    if isinstance(last := hand.events[-1], HandVoid):
        replay.compare(last, "next lead seat", last.next_lead_seat, desk.next_lead())
    return replay.outcome


def _compare_state(replay: LineByLine, line: Line) -> None:
    """Stack and pot as they are after the line's event; chips that wait for their turn are in neither (71.f)."""
    seat = getattr(line, "seat", None)
    hand = replay.seen.hand
    if line.stack_after is not None and seat is not None:
        held = held_of(replay.seen, seat) if hand is not None and is_live(replay.hand) else None
        waiting = held.chips if held is not None and held.act in ("bet", "raise") else 0
        replay.compare(line, "stack after", line.stack_after, replay.seen.seats[seat].stack - waiting)
    if line.pot_after is not None:
        replay.compare(line, "pot after", line.pot_after, hand.pot if hand is not None else None)


def _post(replay: LineByLine, desk: Desk, line: Post) -> None:
    if line.late:
        desk.ask(DEALER, RecordPost(hand=replay.state.hands, seat=line.seat))
    event = replay.next()
    if not isinstance(event, BlindPosted):
        replay.compare(line, "event", "BlindPosted", type(event).__name__)
        return
    blind = _BLINDS.get(line.post, line.post)
    replay.compare(line, "post", (line.seat, blind, line.amount), (event.seat, event.blind, event.amount))
    if line.counts_as_bet is not None:
        replay.compare(line, "counts as bet", line.counts_as_bet, event.to > 0)


def _deal_hole(replay: LineByLine, desk: Desk, line: DealHole) -> None:
    if is_live(replay.hand):
        desk.deal_until()
    event = replay.next_but_incidents()
    if not isinstance(event, HoleCardsDealt):
        replay.compare(line, "event", "HoleCardsDealt", type(event).__name__)
        return
    replay.compare(line, "order of dealing", line.order, [deal.seat for deal in event.deals])
    if not is_live(replay.hand):
        laps = passes(line, len(line.order))
        replay.compare(line, "one card a pass", laps, [deal.positions for deal in event.deals])
    deck = running(replay.seen).deck
    assert deck is not None
    for player in replay.hand.players:
        dealt = [name_of(deck.cards[at]) for deal in event.deals if deal.seat == player.seat for at in deal.positions]
        if player.hole:
            replay.compare(line, f"seat {player.seat} holds", player.hole, dealt)


def _action(replay: LineByLine, desk: Desk, line: Action) -> None:
    if line.skipping is not None:
        desk.ask(DEALER, PassTurn(hand=replay.state.hands, seat=line.skipping))
    hand = replay.state.hand
    turn = hand.turn if hand is not None else None
    replay.compare(line, "turn", line.seat, turn.seat if turn is not None else None)
    replay.compare(line, "round", line.round, hand.street if hand is not None else None)
    replay.now += _STEP_MS
    refused = _act(replay, line.seat, line.action, line.to if line.action in ("bet", "raise") else None)
    if refused is not None:
        replay.compare(line, line.action, "accepted", refused.reason)
        return
    _compare_act(replay, line, replay.next())


def _act(replay: LineByLine, seat: int, act: Any, to: int | None) -> Rejected | None:
    sitter = replay.state.seats.get(seat)
    player = Principal("player", sitter.player if sitter is not None else "nobody")
    return replay.send(player, Act(hand=replay.state.hands, seat=seat, act=act, to=to))


def _compare_act(replay: LineByLine, line: Action, event: TableEvent | None) -> None:
    if isinstance(event, PlayerFolded | PlayerChecked):
        act = "fold" if isinstance(event, PlayerFolded) else "check"
        replay.compare(line, "act", (line.seat, line.action, line.adds), (event.seat, act, 0))
    elif isinstance(event, BetPlaced):
        expected = (line.seat, line.action, line.adds, line.to, line.all_in)
        replay.compare(line, "act", expected, (event.seat, event.act, event.amount, event.to, event.all_in))
        if line.raise_no is not None:
            replay.compare(line, "raise number", line.raise_no, running(replay.seen).raises)
    else:
        replay.compare(line, "event", line.action, type(event).__name__)


def _attempt(replay: LineByLine, desk: Desk, line: Attempt) -> None:
    before = replay.state
    refused = _act(replay, line.seat, line.action, line.to)
    reason = refused.reason if refused is not None else None
    replay.compare(line, "refusal", REASONS.get(line.reason, line.reason), reason)
    replay.compare(line, "changes nothing", True, replay.state is before)
    hand = running(before)
    if line.maximum_to is not None:
        replay.compare(line, "maximum", line.maximum_to, hand.turn.legal.max_to if hand.turn is not None else None)
    if line.players_in_play is not None:
        replay.compare(line, "players in play", line.players_in_play, len(hand.alive))
    replay.outcome.refusals += 1


def _burn(replay: LineByLine, desk: Desk, line: Burn) -> None:
    if is_live(replay.hand):
        _burn_by_hand(replay, desk, line)
        return
    event = replay.peek()
    if not isinstance(event, StreetDealt):
        replay.compare(line, "event", "StreetDealt", type(event).__name__)
        return
    deck = running(replay.seen).deck
    assert deck is not None
    replay.compare(line, "burnt", [line.card], [name_of(deck.cards[at]) for at in event.burned])
    replay.compare(line, "cards left", line.stub_left, len(deck.cards) - max(event.burned, default=-1) - 1)


def _burn_by_hand(replay: LineByLine, desk: Desk, line: Burn) -> None:
    """A card that was turned over in dealing is the burn already (70.c)."""
    if not line.source:
        desk.scan(line.card, "burn")
    replay.catch_up()
    hand = running(replay.seen)
    assert hand.deck is not None
    live = live_of(replay.seen)
    replay.compare(line, "burnt", [line.card], [name_of(hand.deck.cards[at]) for at in live.burnt])
    replay.compare(line, "cards left", line.stub_left, live.stub)


def _board(replay: LineByLine, desk: Desk, line: BoardTurned) -> None:
    live = is_live(replay.hand)
    if live:
        desk.turn(line)
    event = replay.next()
    if not isinstance(event, StreetDealt):
        replay.compare(line, "event", "StreetDealt", type(event).__name__)
        return
    replay.compare(line, "street", line.street, event.street)
    replay.compare(line, "cards", line.cards, [card.card for card in event.cards])
    replay.compare(line, "burnt before", line.burned_before, bool(event.burned))
    hand = running(replay.seen)
    assert hand.deck is not None
    replay.compare(line, "board", line.board, [name_of(hand.deck.cards[at]) for at in hand.board])
    left = live_of(replay.seen).stub if live else len(hand.deck.cards) - hand.next_position
    replay.compare(line, "cards left", line.stub_left, left)


def _reshuffle(replay: LineByLine, desk: Desk, line: ReshuffleLine) -> None:
    event = replay.next()
    if not isinstance(event, StubReshuffled):
        replay.compare(line, "event", "StubReshuffled", type(event).__name__)
        return
    deck = running(replay.seen).deck
    assert deck is not None
    returned = [name_of(deck.cards[at]) for at in event.returned]
    replay.compare(line, "returned and left", (line.returned, line.stub_left), (returned, event.stub))
    desk.reshuffle(line)


def _incident(replay: LineByLine, desk: Desk, line: Incident) -> None:
    replay_incident(replay, desk, line)


def _void(replay: LineByLine, desk: Desk, line: HandVoid) -> None:
    event = replay.next()
    if not isinstance(event, HandVoided):
        replay.compare(line, "event", "HandVoided", type(event).__name__)
        return
    replay.compare(line, "refunds", line.refunds, {each.seat: each.amount for each in event.refunds if each.amount})
    cause = [told for told in replay.told if isinstance(told, IncidentRecorded)][-1]
    replay.compare(line, "state before", line.state_before, cause.state_before)


def _show(replay: LineByLine, desk: Desk, line: Show) -> None:
    event = replay.next()
    if not isinstance(event, CardsShown):
        replay.compare(line, "event", "CardsShown", type(event).__name__)
        return
    replay.compare(line, "shows", line.seat, event.seat)
    replay.compare(line, "cards", line.cards, [card.card for card in event.cards])
    compare_five(line, event, lambda what, expected, got: replay.compare(line, what, expected, got))


def _uncalled(replay: LineByLine, desk: Desk, line: UncalledReturned) -> None:
    event = replay.next()
    got = (event.seat, event.amount) if isinstance(event, UncalledBetReturned) else type(event).__name__
    replay.compare(line, "uncalled", (line.seat, line.amount), got)


def _award(replay: LineByLine, desk: Desk, line: Award) -> None:
    if not replay.payments:
        if replay.peek() is None and is_live(replay.hand):
            desk.ask(DEALER, DeliverPot(hand=replay.state.hands))
        event = replay.next()
        if not isinstance(event, PotAwarded):
            replay.compare(line, "event", "PotAwarded", type(event).__name__)
            return
        replay.payments = [(event.pot, payment) for payment in event.payments]
    pot, paid = replay.payments.pop(0)
    expected = (line.pot.replace("-", "_"), line.seat, line.gross, line.rake, line.net)
    replay.compare(line, "payment", expected, (pot, paid.seat, paid.gross, paid.rake, paid.net))


_PLAYS: dict[type[Line], Callable[[LineByLine, Desk, Any], None]] = {
    Post: _post,
    DealHole: _deal_hole,
    Action: _action,
    Attempt: _attempt,
    Burn: _burn,
    BoardTurned: _board,
    ReshuffleLine: _reshuffle,
    Incident: _incident,
    Show: _show,
    UncalledReturned: _uncalled,
    Award: _award,
    HandVoid: _void,
}
