"""Every state of a table that some who come and go between hands can bring about, and the most that others pay there.

Everybody folds in each hand, so that only who posts matters. A lot that is drawn is chance, each seat alike. Stacks and
hands missed are left out: no way to a state is so long that anybody is broke or sent home.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import Any, NamedTuple

from libs.contracts.commands import TableCommand
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import Act
from libs.contracts.poker_events import BlindPosted, ButtonDrawn, HandStarted
from libs.contracts.table_commands import (
    ConfirmSeat,
    LeaveTable,
    PauseTable,
    ResumeTable,
    SitIn,
    SitOut,
    TakeSeat,
    WakeTable,
)
from libs.contracts.waiting_list_commands import AskSeatChange
from libs.decider import Given, Rejected
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.poker.state import PokerSitter, PokerTable
from services.table.domain.table.decide import decide
from services.table.domain.table.state import Departure
from tests.table.asking import player
from tests.table.dodging import TABLES
from tests.table.play import TableUnderTest, stacked
from tests.table.under_test import TIMER, policy, staff

Key = tuple[object, ...]
Steps = list[str | int]
"""What one does between two hands; a number is a seat."""
_POST: tuple[Steps, Steps] = ([], ["post"])
_FLOOR: dict[str, TableCommand] = {"pauses": PauseTable(reason="a check"), "resumes": ResumeTable()}
"""One of the house, who is at no seat; what the others do comes before, between or after."""
SEATS = range(1, 12)
DECKS = {seat: stacked("", (seat, *(each for each in SEATS if each != seat))) for seat in SEATS}
HORIZON = 60
"""Hands over which the best way is found; the second half of them is what counts."""
IDLE = 0.02
"""No hand in a while is no way of winning: as if it had cost that many big blinds."""


class Went(NamedTuple):
    """What came of the time up to the next hand, and of that."""

    after: Key
    big: str
    """Whose big blind it was; empty: there was no hand."""
    paid: dict[str, float]
    """What each one dealt in paid, in big blinds."""


Measure = Callable[[Went], float]


def key(state: PokerTable) -> Key:
    """All that the next hands depend on."""
    return (
        tuple((seat, _sitter(sitter)) for seat, sitter in sorted(state.seats.items())),
        tuple((who, _departure(left)) for who, left in sorted(state.departures.items())),
        *(
            state.paused,
            state.running,
            state.button,
            state.big_blind,
            state.had_big,
            state.stopped_with,
            state.button_stays,
        ),
        tuple((each.player, each.seat) for each in state.waiting.entries),
    )


def _sitter(s: PokerSitter) -> Key:
    owes = (s.owes_small, s.owes_big, s.due_big)
    return (s.player, bool(s.out), s.waiting, s.posts, s.moved, s.newcomer, s.dealt, s.leaving, *owes)


def _departure(left: Departure) -> Key:
    return (left.seat, left.owes_small, left.owes_big, left.moved, left.due_big)


class Walk:
    """`moves`: whether they change seats, too, without leaving the table. `pauses`: whether one of the house is in it,
    who pauses the table between two hands, for so long that one is left out."""

    def __init__(
        self, name: str, seats: Sequence[int], dodgers: Sequence[int], moves: bool = False, pauses: bool = False
    ) -> None:
        rulebook, chosen = TABLES[name]
        table = TableUnderTest(rulebook, **chosen).seat(*seats)
        self.rules = table.state.rules
        self.blinds = 1.0 if self.rules.betting.single_blind else 1.5
        self.seats, self.dodgers = seats, [f"p{seat}" for seat in dodgers]
        self.moves = moves
        self.floor = [*_FLOOR] if pauses else []
        self.number = 0
        self.known: dict[Key, list[Went]] = {}
        self.ways: dict[Key, dict[tuple[Key, ...], list[Went]]] = {}
        self.states: dict[Key, PokerTable] = {}
        self._go(self._dealt(table.state)[0].after)

    def _go(self, first: Key) -> None:
        """From the first hand on, over every state; what can be done in one is what leads to different hands."""
        todo, seen = deque([first]), {first}
        while todo:
            before = todo.popleft()
            ways = self.ways[before] = {}
            for state in self._comings_and_goings(self.states[before]):
                came = self._dealt(state)
                ways.setdefault(tuple(each.after for each in came), came)
                for each in came:
                    if each.after not in seen:
                        seen.add(each.after)
                        todo.append(each.after)

    def _comings_and_goings(self, state: PokerTable) -> Iterator[PokerTable]:
        found = {key(state): state}
        for order in permutations([*self.dodgers, *self.floor]):
            done = {key(state): state}
            for who in order:
                for each in [*done.values()]:
                    for steps in self._steps(each, who):
                        after = self._said(each, who, steps)
                        if after is not None and after.status == "open":
                            done.setdefault(key(after), after)
            found |= {each: after for each, after in done.items() if not after.paused}
        return iter(found.values())

    def _steps(self, state: PokerTable, who: str) -> list[Steps]:
        if who in _FLOOR:
            return [[who]]
        sitter = state.sitter_of(who)
        free = [seat for seat in self.seats if seat in state.free_seats]
        if sitter is None:
            return [[seat, *post] for seat in free for post in _POST]
        here: list[Steps] = [["out"], ["leave"], ["post"], ["in"], ["out", "in"], ["out", "post"]]
        again: list[Steps] = [["leave", seat, *post] for seat in [sitter.seat, *free] for post in _POST]
        moves: list[Steps] = [["to", seat, *say] for seat in free if self.moves for say in (*_POST, ["in"])]
        return [*here, *again, *moves]

    def _said(self, state: PokerTable, who: str, steps: Steps) -> PokerTable | None:
        after: PokerTable | None = state
        moving = False
        for step in steps:
            if after is None:
                return None
            match step:
                case "out":
                    after = self._after(after, player(who), SitOut())
                case "in":
                    after = self._after(after, player(who), SitIn())
                case "post":
                    after = self._after(after, player(who), SitIn(post_big_blind=True))
                case "leave":
                    after = self._after(after, player(who), LeaveTable())
                case "pauses" | "resumes":
                    after = self._after(after, staff(), _FLOOR[step])
                case "to":
                    moving = True
                case int() if moving:
                    after = self._after(after, player(who), AskSeatChange(entry=self._name(), seat=step))
                case int():
                    after = self._sat_down(after, who, step)
        return after

    def _name(self) -> str:
        self.number += 1
        return f"n{self.number}"

    def _sat_down(self, state: PokerTable, who: str, seat: int) -> PokerTable | None:
        left = state.departures.get(who)
        for amount in [*([] if left is None else [left.stack]), state.rules.entry.buy_in_min]:
            name = self._name()
            after = self._after(state, player(who), TakeSeat(reservation=name, seat=seat, amount=amount))
            if after is not None:
                return self._after(after, policy(), ConfirmSeat(reservation=name))
        return None

    def _after(self, state: PokerTable, by: Principal, command: TableCommand) -> PokerTable | None:
        told = self._told(state, by, command)
        return told and told[0]

    def _told(
        self, state: PokerTable, by: Principal, command: TableCommand, fresh: Shuffle | None = None
    ) -> tuple[PokerTable, list[Any]] | None:
        answer = decide(state, command, Given((state.ended_at or 1_000_000) + 1_000, fresh, by, None))
        if isinstance(answer, Rejected):
            return None
        after: Any = answer.states[-1] if answer.states else state
        return after, list(answer.events)

    def _dealt(self, state: PokerTable) -> list[Went]:
        """With each lot that may be drawn."""
        before = key(state)
        if before not in self.known:
            first, among = self._hand(state, 1)
            self.known[before] = [first] if len(among) < 2 else [self._hand(state, lot)[0] for lot in among]
        return self.known[before]

    def _hand(self, state: PokerTable, lot: int) -> tuple[Went, list[int]]:
        now = (state.ended_at or 1_000_000) + 1_000
        events: list[Any] = []
        for _ in range(4):  # a change of seats is a commit of its own
            told = self._told(state, TIMER, WakeTable(due=now), DECKS[lot])
            if told is not None:
                state, events = told[0], [*events, *told[1]]
            if state.hand is not None or told is None:
                break
        while state.hand is not None:
            turn = state.hand.turn
            assert turn is not None
            by = player(state.seats[turn.seat].player)
            told = self._told(state, by, Act(hand=state.hands, seat=turn.seat, act="fold", to=None))
            assert told is not None
            state, events = told[0], [*events, *told[1]]
        after = key(state)
        self.states.setdefault(after, state)
        return self._went(after, events), next((e.among for e in events if isinstance(e, ButtonDrawn)), [])

    def _went(self, after: Key, events: list[Any]) -> Went:
        started = [event for event in events if isinstance(event, HandStarted)]
        if not started:
            return Went(after, "", {})
        (hand,) = started
        players = {each.seat: each.player for each in hand.seats}
        paid = dict.fromkeys(players.values(), 0.0)
        for event in events:
            if isinstance(event, BlindPosted):
                paid[event.player] += event.amount / self.rules.betting.big_blind
        return Went(after, players[hand.big_blind], paid)

    def above(self, *who: str, of: int = 0) -> Measure:
        """What they pay above equal shares of the blinds of each hand they are in, or above one share in so many."""
        return lambda hand: sum(
            hand.paid[each] - self.blinds / (of or len(hand.paid)) for each in who if each in hand.paid
        )

    def most(self, measure: Measure) -> float:
        """By the hand, in the long run, on the best way for those who come and go."""
        number = {state: n for n, state in enumerate(self.ways)}
        ways = [
            [
                (
                    sum(measure(each) if each.big else -IDLE for each in came) / len(came),
                    [number[each.after] for each in came],
                )
                for came in found.values()
            ]
            for found in self.ways.values()
        ]
        worth, half = [0.0] * len(ways), 0.0
        for hand in range(HORIZON):
            worth = [max(now + sum(worth[n] for n in then) / len(then) for now, then in found) for found in ways]
            half = worth[0] if hand + 1 == HORIZON // 2 else half
        return (worth[0] - half) / (HORIZON // 2)

    def twice(self) -> set[int]:
        """Among how many one who stays can be the big blind twice running."""
        return {
            len(each.paid)
            for before, found in self.ways.items()
            for came in found.values()
            for each in came
            if each.big == self.states[before].had_big and each.big not in self.dodgers
        }
