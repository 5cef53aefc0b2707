"""Tournaments and wallets as they answer each other, with deliveries late, twice, in any order between streams."""

import random
from typing import Any

from libs.contracts import tournaments_commands as asked
from services.cli.replaying.tournament.house import House
from tests.tournament.course import START, definition, player


class Cashier(House):
    def __init__(self, seed: int = 1) -> None:
        super().__init__(START - 3_600_000)
        self.luck = random.Random(seed)

    def announce(self, tournament: str = "t-1", **other: Any) -> None:
        refused = self.approve(tournament, definition(**other))
        assert not refused, refused

    def register(self, name: str, tournament: str = "t-1", entry: str = "", ticket: str | None = None) -> str:
        """Why not; empty: the wallet has been asked."""
        wish = asked.RegisterPlayer(entry=entry or f"entry-{name}", ticket=ticket)
        return self.ask(tournament, player(name), wish)

    def wake(self, now: int, tournament: str = "t-1") -> None:
        super().wake(now, tournament)

    def deliver(self) -> bool:
        """One command of a policy, any; one in ten comes once more later."""
        if not self.waiting:
            return False
        place = self.luck.randrange(len(self.waiting))
        service, message = self.waiting[place]
        if self.luck.random() >= 0.1:
            del self.waiting[place]
        self.arrive(service, message)
        return True
