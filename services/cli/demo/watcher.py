"""Watches all tables through the gateway, as any spectator may, and counts what it sees."""

import asyncio
from dataclasses import dataclass, field

from libs.client import Event, Player
from libs.contracts.baccarat_events import CoupDealt
from libs.contracts.banked_rounds import BankedRoundSettled, BankedRoundVoided
from libs.contracts.no_draw_poker_events import RoundDealt
from libs.contracts.poker_events import HandEnded, HandStarted, HandVoided
from services.cli.demo.statistics import Statistics


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
        match fact := event.fact:
            case HandStarted():
                self._started(fact.table, fact.hand, fact.deck_root)
            case HandEnded() | HandVoided():
                self.statistics.hand_ended(fact.table, fact.hand, isinstance(fact, HandVoided))
            case RoundDealt():
                self._started(fact.table, fact.round, fact.deck_root)
            case CoupDealt():
                self._started(fact.table, fact.round, str(fact.ponto + fact.banca))
            case BankedRoundSettled() | BankedRoundVoided():
                self.statistics.round_ended(fact.table, fact.round, isinstance(fact, BankedRoundVoided))
            case _:
                pass

    def _started(self, table: str, hand: int, deck_root: str) -> None:
        if (table, hand) in self.deck_roots:
            self.started_twice.append((table, hand))
        self.deck_roots[table, hand] = deck_root
        self.statistics.hand_started(table, hand)
