"""What the demo counts while it runs: what any spectator sees through the gateway, and what the bots are told."""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field

from libs.client import Event, Player
from libs.contracts.baccarat_events import CoupDealt
from libs.contracts.banked_rounds import BankedRoundSettled, BankedRoundVoided
from libs.contracts.no_draw_poker_events import RoundDealt
from libs.contracts.poker_events import HandEnded, HandStarted, HandVoided


def percentile(values: list[float], share: float) -> float:
    """Nearest-rank percentile; 0.0 of nothing."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclass(slots=True)
class Kill:
    """One SIGKILL: which hands ran, and what became of them."""

    at: float
    hands: dict[str, int]
    """Table to the number of the hand or round in progress."""
    back_after_s: float | None = None
    """Seconds from the kill to the next accepted act."""
    finished: set[str] = field(default_factory=set)
    voided: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Statistics:
    started: float = field(default_factory=time.monotonic)
    hands: Counter[str] = field(default_factory=Counter)
    rounds: Counter[str] = field(default_factory=Counter)
    """Rounds against the house, beside the hands of poker."""
    voided: int = 0
    acts: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    rejections: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    running: dict[str, int] = field(default_factory=dict)
    """Table to the hand or round in progress there."""
    unanswered: int = 0
    """Commands of which nobody knows what became: the connection was lost, and asking again was given up."""
    asking: int = 0
    """Acts that wait for their answer."""
    left: int = 0
    returned: int = 0
    lag: int | None = None
    ledger_sum: int | None = None
    kill: Kill | None = None

    @property
    def total_hands(self) -> int:
        return sum(self.hands.values())

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.started

    def answered(self, verdict: str, reason: str | None, seconds: float) -> None:
        """An act came back."""
        self.acts += 1
        self.verdicts[verdict] += 1
        self.seconds.append(seconds)
        if reason:
            self.rejections[reason] += 1
        if verdict == "accepted" and self.kill is not None and self.kill.back_after_s is None:
            asked_after_kill = time.monotonic() - seconds >= self.kill.at
            if asked_after_kill:
                self.kill.back_after_s = time.monotonic() - self.kill.at

    def lost(self) -> None:
        """Nobody knows what became of a command."""
        self.unanswered += 1

    def refused(self, reason: str | None) -> None:
        """A seat or a top-up was refused; bots try again."""
        self.rejections[reason or "unknown"] += 1

    def hand_started(self, table: str, hand: int) -> None:
        self.running[table] = hand

    def ended(self, kind: Counter[str], table: str, hand: int, void: bool) -> None:
        """`kind` is `hands` or `rounds`."""
        kind[table] += 1
        self.voided += void
        self.running.pop(table, None)
        if self.kill is not None and self.kill.hands.get(table) == hand:
            (self.kill.voided if void else self.kill.finished).add(table)


@dataclass(slots=True)
class Watcher:
    url: str
    token: str
    tables: list[str]
    statistics: Statistics
    deck_roots: dict[tuple[str, int], str] = field(default_factory=dict)
    """What each hand or round was committed to before its first card, and each coup's places in its shoe."""
    started_twice: list[tuple[str, int]] = field(default_factory=list)
    watching: asyncio.Event = field(default_factory=asyncio.Event)

    async def watch(self) -> None:
        """Until cancelled."""
        async with Player(self.url, self.token) as spectator:
            for table in self.tables:
                await spectator.subscribe(table)
            self.watching.set()
            async for event in spectator.events():
                self._see(event)

    def _see(self, event: Event) -> None:
        counts = self.statistics
        match fact := event.fact:
            case HandStarted():
                self._started(fact.table, fact.hand, fact.deck_root)
            case HandEnded() | HandVoided():
                counts.ended(counts.hands, fact.table, fact.hand, isinstance(fact, HandVoided))
            case RoundDealt():
                self._started(fact.table, fact.round, fact.deck_root)
            case CoupDealt():
                self._started(fact.table, fact.round, str(fact.ponto + fact.banca))
            case BankedRoundSettled() | BankedRoundVoided():
                self.statistics.ended(
                    self.statistics.rounds, fact.table, fact.round, isinstance(fact, BankedRoundVoided)
                )
            case _:
                pass

    def _started(self, table: str, hand: int, deck_root: str) -> None:
        if (table, hand) in self.deck_roots:
            self.started_twice.append((table, hand))
        self.deck_roots[table, hand] = deck_root
        self.statistics.hand_started(table, hand)
