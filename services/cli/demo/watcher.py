"""Watches all tables through the gateway, as any spectator may, and counts what it sees."""

import asyncio
from dataclasses import dataclass, field

from libs.client import Event, Player
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
        match event.name:
            case "hand_started":
                self._started(event.table, event.data["hand"], event.data["deck_root"])
            case "hand_ended" | "hand_voided":
                self.statistics.hand_ended(event.table, event.data["hand"], event.name == "hand_voided")
            case "round_dealt":
                self._started(event.table, event.data["round"], event.data["deck_root"])
            case "coup_dealt":
                self._started(event.table, event.data["round"], str(event.data["ponto"] + event.data["banca"]))
            case "round_settled" | "coup_settled" | "round_voided" | "coup_voided":
                self.statistics.round_ended(event.table, event.data["round"], event.name.endswith("voided"))
            case _:
                pass

    def _started(self, table: str, hand: int, deck_root: str) -> None:
        if (table, hand) in self.deck_roots:
            self.started_twice.append((table, hand))
        self.deck_roots[table, hand] = deck_root
        self.statistics.hand_started(table, hand)
