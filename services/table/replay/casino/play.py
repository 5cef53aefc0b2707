"""A worked hand of casino poker through the real rules: each line, and the state after it, as it comes."""

from collections.abc import Callable
from typing import Any

from libs.cards.card import name_of
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.poker.commands import Act
from services.table.domain.games.poker.events import (
    BetPlaced,
    BlindPosted,
    CardsShown,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    Payment,
    PlayerChecked,
    PlayerFolded,
    PotAwarded,
    StreetDealt,
    UncalledBetReturned,
)
from services.table.domain.games.poker.state import Hand, PokerTable
from services.table.domain.table.commands import WakeTable
from services.table.domain.table.evolve import evolve
from services.table.domain.table.happenings import TableEvent
from services.table.replay.casino.ending import compare_expected, compare_five
from services.table.replay.casino.record import (
    Action,
    Attempt,
    Award,
    BoardTurned,
    Burn,
    CasinoHand,
    DealHole,
    Line,
    Post,
    Show,
    UncalledReturned,
)
from services.table.replay.casino.setting import deck_of, rulebook_of, table_before
from services.table.replay.play import Outcome, Replay

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
_HAS_A_LINE = (
    BlindPosted, HoleCardsDealt, BetPlaced, PlayerFolded, PlayerChecked, StreetDealt, CardsShown, UncalledBetReturned,
    PotAwarded, HandVoided,
)  # fmt: skip


class LineByLine(Replay):
    """Beside the table as it is, the table as it was right after the event of the line in hand."""

    def __init__(self, hand: CasinoHand, state: PokerTable, fresh: Shuffle) -> None:
        super().__init__(state, Outcome(hand.id, hand.title, rulebook_of(hand)))
        self.hand = hand
        self.fresh = fresh
        self.seen: PokerTable = state
        self.payments: list[tuple[str, Payment]] = []

    def next(self) -> TableEvent | None:
        """The next event that the record has a line for; `seen` is the table after it."""
        while self.pending:
            event = self.pending.popleft()
            self.seen = evolve(self.seen, event)
            if isinstance(event, _HAS_A_LINE):
                return event
        return None

    def peek(self) -> TableEvent | None:
        return next((event for event in self.pending if isinstance(event, _HAS_A_LINE)), None)

    def compare(self, line: Line, what: str, expected: Any, got: Any) -> None:
        self.outcome.compare(f"seq {line.seq} {what}", expected, got)

    def wake(self) -> None:
        self.send(WakeTable(principal_kind="timer", principal_id="replay", due=self.now), self.fresh)


def replay_casino(hand: CasinoHand) -> Outcome:
    """Plays the hand to its end; what is paid, shown and left is compared at last."""
    replay = LineByLine(hand, table_before(hand), deck_of(hand))
    replay.wake()
    started = next((event for event in replay.told if isinstance(event, HandStarted)), None)
    replay.outcome.compare("lead seat", hand.lead_seat, started.lead if started is not None else None)
    for line in hand.events:
        _PLAYS[type(line)](replay, line)
        _compare_state(replay, line)
    left = [type(event).__name__ for event in replay.pending if isinstance(event, _HAS_A_LINE)]
    replay.outcome.compare("events without a line in the record", [], left)
    replay.outcome.events = len(replay.told)
    compare_expected(hand, replay.told, replay.state, replay.outcome.compare)
    return replay.outcome


def _compare_state(replay: LineByLine, line: Line) -> None:
    """Stack, pot and cards left as they are after the line's event."""
    seat = getattr(line, "seat", None)
    if line.stack_after is not None and seat is not None:
        sitter = replay.seen.seats.get(seat)
        replay.compare(line, "stack after", line.stack_after, sitter.stack if sitter is not None else None)
    hand = replay.seen.hand
    if line.pot_after is not None:
        replay.compare(line, "pot after", line.pot_after, hand.pot if hand is not None else None)


def _post(replay: LineByLine, line: Post) -> None:
    event = replay.next()
    if not isinstance(event, BlindPosted):
        replay.compare(line, "event", "BlindPosted", type(event).__name__)
        return
    blind = _BLINDS.get(line.post, line.post)
    replay.compare(line, "post", (line.seat, blind, line.amount), (event.seat, event.blind, event.amount))
    if line.counts_as_bet is not None:
        replay.compare(line, "counts as bet", line.counts_as_bet, event.to > 0)


def _deal_hole(replay: LineByLine, line: DealHole) -> None:
    event = replay.next()
    if not isinstance(event, HoleCardsDealt):
        replay.compare(line, "event", "HoleCardsDealt", type(event).__name__)
        return
    replay.compare(line, "order of dealing", line.order, [deal.seat for deal in event.deals])
    laps = [[lap * len(line.order) + place for lap in range(line.passes)] for place in range(len(line.order))]
    replay.compare(line, "one card a pass", laps, [deal.positions for deal in event.deals])
    deck = _running(replay.seen).deck
    assert deck is not None
    for player in replay.hand.players:
        dealt = [name_of(deck.cards[at]) for deal in event.deals if deal.seat == player.seat for at in deal.positions]
        if player.hole:
            replay.compare(line, f"seat {player.seat} holds", player.hole, dealt)


def _action(replay: LineByLine, line: Action) -> None:
    hand = replay.state.hand
    turn = hand.turn if hand is not None else None
    replay.compare(line, "turn", line.seat, turn.seat if turn is not None else None)
    replay.compare(line, "round", line.round, hand.street if hand is not None else None)
    replay.now += _STEP_MS
    refused = replay.send(_act(replay, line.seat, line.action, line.to if line.action in ("bet", "raise") else None))
    if refused is not None:
        replay.compare(line, line.action, "accepted", refused.reason)
        return
    _compare_act(replay, line, replay.next())


def _act(replay: LineByLine, seat: int, act: Any, to: int | None) -> Act:
    sitter = replay.state.seats.get(seat)
    player = sitter.player if sitter is not None else "nobody"
    number = replay.state.hands
    return Act(principal_kind="player", principal_id=player, hand=number, seat=seat, act=act, to=to)


def _compare_act(replay: LineByLine, line: Action, event: TableEvent | None) -> None:
    if isinstance(event, PlayerFolded | PlayerChecked):
        act = "fold" if isinstance(event, PlayerFolded) else "check"
        replay.compare(line, "act", (line.seat, line.action, line.adds), (event.seat, act, 0))
    elif isinstance(event, BetPlaced):
        expected = (line.seat, line.action, line.adds, line.to, line.all_in)
        replay.compare(line, "act", expected, (event.seat, event.act, event.amount, event.to, event.all_in))
        if line.raise_no is not None:
            replay.compare(line, "raise number", line.raise_no, _running(replay.seen).raises)
    else:
        replay.compare(line, "event", line.action, type(event).__name__)


def _attempt(replay: LineByLine, line: Attempt) -> None:
    before = replay.state
    refused = replay.send(_act(replay, line.seat, line.action, line.to))
    reason = refused.reason if refused is not None else None
    replay.compare(line, "refusal", REASONS.get(line.reason, line.reason), reason)
    replay.compare(line, "changes nothing", True, replay.state is before)
    hand = _running(before)
    if line.maximum_to is not None:
        replay.compare(line, "maximum", line.maximum_to, hand.turn.legal.max_to if hand.turn is not None else None)
    if line.players_in_play is not None:
        replay.compare(line, "players in play", line.players_in_play, len(hand.alive))
    replay.outcome.refusals += 1


def _burn(replay: LineByLine, line: Burn) -> None:
    event = replay.peek()
    if not isinstance(event, StreetDealt):
        replay.compare(line, "event", "StreetDealt", type(event).__name__)
        return
    deck = _running(replay.seen).deck
    assert deck is not None
    replay.compare(line, "burnt", [line.card], [name_of(deck.cards[at]) for at in event.burned])
    replay.compare(line, "cards left", line.stub_left, len(deck.cards) - max(event.burned, default=-1) - 1)


def _board(replay: LineByLine, line: BoardTurned) -> None:
    event = replay.next()
    if not isinstance(event, StreetDealt):
        replay.compare(line, "event", "StreetDealt", type(event).__name__)
        return
    replay.compare(line, "street", line.street, event.street)
    replay.compare(line, "cards", line.cards, [card.card for card in event.cards])
    replay.compare(line, "burnt before", line.burned_before, bool(event.burned))
    hand = _running(replay.seen)
    assert hand.deck is not None
    replay.compare(line, "board", line.board, [name_of(hand.deck.cards[at]) for at in hand.board])
    replay.compare(line, "cards left", line.stub_left, len(hand.deck.cards) - hand.next_position)


def _show(replay: LineByLine, line: Show) -> None:
    event = replay.next()
    if not isinstance(event, CardsShown):
        replay.compare(line, "event", "CardsShown", type(event).__name__)
        return
    replay.compare(line, "shows", line.seat, event.seat)
    replay.compare(line, "cards", line.cards, [card.card for card in event.cards])
    compare_five(line, event, lambda what, expected, got: replay.compare(line, what, expected, got))


def _uncalled(replay: LineByLine, line: UncalledReturned) -> None:
    event = replay.next()
    got = (event.seat, event.amount) if isinstance(event, UncalledBetReturned) else type(event).__name__
    replay.compare(line, "uncalled", (line.seat, line.amount), got)


def _award(replay: LineByLine, line: Award) -> None:
    if not replay.payments:
        event = replay.next()
        if not isinstance(event, PotAwarded):
            replay.compare(line, "event", "PotAwarded", type(event).__name__)
            return
        replay.payments = [(event.pot, payment) for payment in event.payments]
    pot, paid = replay.payments.pop(0)
    expected = (line.pot.replace("-", "_"), line.seat, line.gross, line.rake, line.net)
    replay.compare(line, "payment", expected, (pot, paid.seat, paid.gross, paid.rake, paid.net))


def _running(state: PokerTable) -> Hand:
    assert state.hand is not None, "lines of a hand come while it runs"
    return state.hand


_PLAYS: dict[type[Line], Callable[[LineByLine, Any], None]] = {
    Post: _post,
    DealHole: _deal_hole,
    Action: _action,
    Attempt: _attempt,
    Burn: _burn,
    BoardTurned: _board,
    Show: _show,
    UncalledReturned: _uncalled,
    Award: _award,
}
