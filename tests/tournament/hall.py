"""A whole tournament in memory: its own decider, the tables' own deciders, and the policies between them. No broker.

What is told goes as public events through the real reactions; time goes on to whatever is due next; bots act by lot.
"""

from collections import deque
from random import Random
from typing import Any

import msgspec

from libs.contracts.commands import fitted
from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, Principal, PublicEvent
from libs.contracts.poker_commands import Act
from libs.contracts.registry import ALL_TABLE_COMMANDS, ALL_TOURNAMENT_COMMANDS, encode_fact
from libs.contracts.table_commands import WakeTable
from libs.decider import Given, Rejected
from services.table.domain.table.decide import TableDecider
from services.table.domain.table.waking import next_wake as table_wake
from services.tournament.domain.life_cycle import next_wake
from services.tournament.policies.orders import ORDERS
from services.tournament.policies.tables import TO_TABLES
from tests.table.luck import seeded_shuffler
from tests.tournament.course import START, Course

_COMMANDS: dict[str, Any] = {kind.__name__: kind for kind in (*ALL_TABLE_COMMANDS, *ALL_TOURNAMENT_COMMANDS)}
_TABLES = TableDecider()
BLINDS = [(50, 100), (100, 200), (200, 400), (500, 1_000), (1_000, 2_000), (3_000, 6_000), (10_000, 20_000)]
LEVELS = [{"small_blind": small, "big_blind": big, "lasts_ms": 120_000} for small, big in BLINDS]
FREEZE_OUT: dict[str, Any] = {
    "rulebook": "common-holdem",
    "table": {"structure": "no_limit", "decision_ms": 15_000, "between_hands_ms": 2_000},
    "levels": LEVELS,
    "max_players": 1_000,
    "payouts": [{"entries": 2, "shares": [10_000]}, {"entries": 6, "shares": [5_000, 3_000, 2_000]}],
}


class Hall:
    """`course` is the tournament; `tables` by their names."""

    def __init__(self, players: int, seed: int = 1, **other: Any) -> None:
        self.luck = Random(seed)
        self.course = Course.registering(**{**FREEZE_OUT, "min_players": players, **other})
        self.course.seeds = Random(seed + 1)
        self.course.enter(*(f"p{number}" for number in range(1, players + 1)))
        self.told = len(self.course.events)
        self.tables: dict[str, Any] = {}
        self.facts: dict[str, list[Any]] = {}
        self.heard: deque[CommandMessage] = deque()
        self.now = START
        self.shuffler = seeded_shuffler(Random(seed + 2))
        self.refusals: list[tuple[str, str]] = []
        self.absent: set[str] = set()

    @property
    def state(self) -> Any:
        return self.course.state

    @property
    def play(self) -> Any:
        return self.course.state.play

    def of(self, kind: type) -> list[Any]:
        """What the tournament told."""
        return [event for event in self.course.events if isinstance(event, kind)]

    def step(self) -> bool:
        """Everything that is under way arrives; then what is due next happens. False: nothing is."""
        self._pass_on()
        over = self.state.phase in ("completed", "cancelled")
        if over and all(table.hand is None for table in self.tables.values()):
            return False
        turns = [name for name, table in self.tables.items() if table.hand is not None and table.hand.turn is not None]
        turns = [name for name in turns if self._turn(name).player not in self.absent]
        dues = [(due, name) for name, table in self.tables.items() if (due := table_wake(table)) is not None]
        due = next_wake(self.state)
        if due is not None:
            dues.append((due, ""))
        at, name = min(dues, default=(self.now + 1, ""))
        if turns and at > self.now:
            self.now = min(self.now + self.luck.randint(1, 800), at - 1)
            self._act(self.luck.choice(turns))
            return True
        if not dues:
            return False
        self.now = max(self.now, at)
        if name:
            self._table(name, Principal("timer", "table"), WakeTable(due=at))
        else:
            self.course.wake(self.now)
        return True

    def run(self, steps: int = 200_000) -> "Hall":
        """To the last prize."""
        for _ in range(steps):
            if not self.step():
                break
            self.check()
        assert self.state.phase == "completed", (self.state.phase, self.play, self.refusals[-5:])
        self._pass_on()
        return self

    def check(self) -> None:
        """What holds at every moment: no chip made or lost, nobody at two tables."""
        sitting = [s.player for table in self.tables.values() for s in table.seats.values()]
        assert len(sitting) == len(set(sitting)), "nobody sits at two tables"

    def _turn(self, name: str) -> Any:
        table = self.tables[name]
        return table.seats[table.hand.turn.seat]

    def _act(self, name: str) -> None:
        table = self.tables[name]
        turn = table.hand.turn
        legal, luck = turn.legal, self.luck.random()
        act, to = ("check", None) if legal.check else ("call", None) if luck < 0.35 else ("fold", None)
        if luck > 0.8 and legal.max_to is not None:
            bet = "bet" if table.hand.bet == 0 else "raise"
            act, to = bet, legal.max_to if luck > 0.96 else legal.min_to
        who = Principal("player", table.seats[turn.seat].player)
        assert self._table(name, who, Act(hand=table.hand.number, seat=turn.seat, act=act, to=to)) is None  # type: ignore[arg-type]

    def _table(self, name: str, by: Principal, command: Any) -> str | None:
        """The reason of a refusal."""
        state = self.tables.get(name) or _TABLES.initial(name)
        fresh = self.shuffler.shuffle() if command.draws or isinstance(command, WakeTable) else None
        decided = _TABLES.decide(state, command, Given(self.now, fresh, by))
        if isinstance(decided, Rejected):
            return decided.reason
        facts = self.facts.setdefault(name, [])
        for event in decided.events:
            facts.append(event)
            reaction = TO_TABLES.get(type(event))
            if reaction is not None:
                self.heard += reaction(_public(name, len(facts), event, self.now), event)
        if decided.states:
            self.tables[name] = decided.states[-1]
        return None

    def _pass_on(self) -> None:
        """Both ways, in order, until nothing is under way."""
        while self.told < len(self.course.events) or self.heard:
            while self.told < len(self.course.events):
                event = self.course.events[self.told]
                self.told += 1
                reaction = ORDERS.get(type(event))
                for message in reaction(_public("t-1", self.told, event, self.now), event) if reaction else ():
                    self._deliver(message)
            if self.heard:
                self._deliver(self.heard.popleft())

    def _deliver(self, message: CommandMessage) -> None:
        command = fitted(_COMMANDS[message.type], msgspec.json.decode(msgspec.json.encode(message.body)))
        if message.stream == "t-1":
            answer = self.course.ask(message.principal, command, self.now)
            refused = answer.reason if isinstance(answer, Rejected) else None
        else:
            refused = self._table(message.stream, message.principal, command)
        if refused is not None:
            self.refusals.append((message.type, refused))


def _public(stream: str, version: int, event: Fact, now: int) -> PublicEvent:
    name, data = encode_fact(event)
    return PublicEvent(stream=stream, version=version, type=name, time=now, causation=f"c{version}", data=data)
