"""One recorded hand through the real rules: every offer, refusal and event is compared as it comes."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from libs.contracts.commands import TableCommand
from libs.contracts.facts import TableEvent
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import Act
from libs.contracts.poker_events import (
    BetPlaced,
    BlindPosted,
    DecisionAwaited,
    HandStarted,
    HoleCardsDealt,
    PlayerChecked,
    PlayerFolded,
    StreetDealt,
    UncalledBetReturned,
)
from libs.contracts.table_commands import LeaveTable, WakeTable
from libs.decider import Given, Rejected
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.ending import compare_ending
from services.cli.replaying.record import Action, NotARecord, Record, WorkedHand
from services.cli.replaying.setting import shuffle_for, table_before
from services.table.domain.games.game import Fresh
from services.table.domain.table.decide import decide

_STEP_MS = 1_000
_HAS_A_LINE = (BlindPosted, BetPlaced, PlayerFolded, PlayerChecked, StreetDealt)


@dataclass(slots=True)
class Outcome:
    """What the replay of one hand found; no differences means that the record and the rules agree."""

    id: str
    title: str
    ruleset: str
    differences: list[str] = field(default_factory=list)
    legal_ranges: int = 0
    refusals: int = 0
    events: int = 0
    variant: str = ""
    """PHH's code of the game; empty for worked hands."""
    scale: int = 1
    """What the record's amounts were multiplied by to be whole."""
    not_dealt: str | None = None
    """Why the house does not deal this hand."""

    @property
    def agrees(self) -> bool:
        return not self.differences and self.not_dealt is None

    def compare(self, what: str, expected: Any, got: Any) -> None:
        if expected != got:
            self.differences.append(f"{what}: expected {expected}, got {got}")


TIMER = Principal("timer", "replay")


class Replay:
    """The state of one replay: the table, the clock, and the events not yet accounted for."""

    def __init__(self, state: Any, outcome: Outcome) -> None:
        self.state = state
        """The table of the game that is replayed."""
        self.outcome = outcome
        self.now = 0
        self.told: list[TableEvent] = []
        self.pending: deque[TableEvent] = deque()
        self.afters: deque[Any] = deque()
        """The table after each of `pending`."""

    def send(self, by: Principal, command: TableCommand, fresh: Fresh | None = None) -> Rejected | None:
        answer = decide(self.state, command, Given(self.now, fresh, by))
        if isinstance(answer, Rejected):
            return answer
        self.told += answer.events
        self.pending += answer.events
        self.afters += answer.states
        self.state = answer.states[-1] if answer.states else self.state
        return None

    def next(self) -> TableEvent | None:
        """The next event that the record has a line for."""
        skipped = (HandStarted, HoleCardsDealt, DecisionAwaited, UncalledBetReturned)
        while self.pending and isinstance(self.pending[0], skipped):
            self.pending.popleft()
        return self.pending.popleft() if self.pending else None


def replay_hand(record: Record, hand: WorkedHand) -> Outcome:
    """Plays the hand and the start of the next one (for its button)."""
    ruleset = record.rulesets.get(hand.ruleset)
    if ruleset is None:
        raise NotARecord(f"{hand.id}: no rule set {hand.ruleset}")
    outcome = Outcome(hand.id, hand.title, hand.ruleset)
    replay = Replay(table_before(hand, ruleset), outcome)
    fresh = shuffle_for(hand, ruleset)
    replay.send(TIMER, _wake(replay), fresh)
    _compare_start(replay, hand)
    for action in hand.actions:
        _play(replay, action)
    left_over = [type(event).__name__ for event in replay.pending if isinstance(event, _HAS_A_LINE)]
    outcome.compare("events without a line in the record", [], left_over)
    outcome.events = len(replay.told)
    compare_ending(hand, replay.told, replay.state, outcome.compare)
    _compare_next_button(replay, hand, fresh)
    return outcome


def _wake(replay: Replay) -> WakeTable:
    return WakeTable(due=replay.now)


def _compare_start(replay: Replay, hand: WorkedHand) -> None:
    started = next((event for event in replay.told if isinstance(event, HandStarted)), None)
    if started is None:
        replay.outcome.differences.append("the hand does not start")
        return
    replay.outcome.compare("button", hand.positions.button, started.button)
    replay.outcome.compare("small blind", hand.positions.small_blind, started.small_blind)
    replay.outcome.compare("big blind", hand.positions.big_blind, started.big_blind)
    stacks = {seat.seat: seat.stack for seat in started.seats}
    replay.outcome.compare("stacks", {player.seat: player.stack for player in hand.players}, stacks)


def _play(replay: Replay, action: Action) -> None:
    where = f"seq {action.seq}"
    if action.act == "rejected":
        _attempt(replay, action, where)
        return
    if action.act not in ("post_sb", "post_bb", "deal_board"):
        _compare_offer(replay, action, where)
        refused = _decide_for(replay, action)
        if refused is not None:
            replay.outcome.differences.append(f"{where}: {action.act} is refused as {refused.reason}")
            return
    _compare_event(replay, action, where)


def _attempt(replay: Replay, action: Action, where: str) -> None:
    before = replay.state
    refused = replay.send(_player(replay, action), _act(replay, action, action.attempt or "raise", action.to))
    replay.outcome.compare(f"{where} refusal", action.reason, refused.reason if refused is not None else None)
    replay.outcome.compare(f"{where} changes nothing", True, replay.state is before)
    replay.outcome.refusals += 1


def _compare_offer(replay: Replay, action: Action, where: str) -> None:
    hand = replay.state.hand
    turn = hand.turn if hand is not None else None
    replay.outcome.compare(f"{where} turn", action.seat, turn.seat if turn is not None else None)
    if turn is None or action.legal is None:
        return
    legal = turn.legal
    got = {"check": legal.check, "call": legal.call, "min_to": legal.min_to, "max_to": legal.max_to}
    replay.outcome.compare(f"{where} legal", action.legal.model_dump(), got)
    replay.outcome.legal_ranges += 1


def _decide_for(replay: Replay, action: Action) -> Rejected | None:
    hand = replay.state.hand
    if action.by == "timeout" and hand is not None and hand.turn is not None:
        replay.now = hand.turn.bank_until + 1
        return replay.send(TIMER, _wake(replay))
    replay.now += _STEP_MS
    if action.by == "leave":
        sitter = replay.state.seats[action.seat]
        return replay.send(Principal("player", sitter.player), LeaveTable())
    wish = _act(replay, action, action.act, action.to if action.act in ("bet", "raise") else None)
    return replay.send(_player(replay, action), wish)


def _player(replay: Replay, action: Action) -> Principal:
    sitter = replay.state.seats.get(action.seat)
    return Principal("player", sitter.player if sitter is not None else "nobody")


def _act(replay: Replay, action: Action, act: Any, to: int | None) -> Act:
    return Act(hand=replay.state.hands, seat=action.seat, act=act, to=to)


def _compare_event(replay: Replay, action: Action, where: str) -> None:
    event = replay.next()
    compare = replay.outcome.compare
    match event:
        case BlindPosted():
            compare(f"{where} act", action.act, "post_sb" if event.blind == "small" else "post_bb")
            compare(f"{where} seat, add, to", (action.seat, action.add, action.to), _moved(event))
        case BetPlaced():
            compare(f"{where} act", action.act, event.act)
            compare(f"{where} seat, add, to", (action.seat, action.add, action.to), _moved(event))
            compare(f"{where} all-in", action.all_in, event.all_in)
        case PlayerFolded() | PlayerChecked():
            compare(f"{where} act", action.act, "fold" if isinstance(event, PlayerFolded) else "check")
            compare(f"{where} seat", action.seat, event.seat)
            compare(f"{where} by", {"leave": "left"}.get(action.by or "", action.by), event.reason)
        case StreetDealt():
            dealt = ("deal_board", event.street, [card.card for card in event.cards])
            compare(f"{where} street", (action.act, action.street, action.cards), dealt)
        case _:
            compare(f"{where} event", action.act, type(event).__name__)


def _moved(event: BlindPosted | BetPlaced) -> tuple[int, int, int]:
    return event.seat, event.amount, event.to


def _compare_next_button(replay: Replay, hand: WorkedHand, fresh: Shuffle) -> None:
    replay.now += _STEP_MS
    before = len(replay.told)
    replay.send(TIMER, _wake(replay), fresh)
    started = [event for event in replay.told[before:] if isinstance(event, HandStarted)]
    replay.outcome.compare("next button", hand.expected.next_button, started[0].button if started else None)
