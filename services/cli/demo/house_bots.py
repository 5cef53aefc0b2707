"""Players against the house who come through the front door: sit down, bet each round, decide, bring more chips."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from libs.client import Answer, ConnectionLost, Player, ProblemReply, TableState
from services.cli.demo.bots import seated
from services.cli.demo.statistics import Statistics

_GLANCE_S = 1.0
_CHANCES = ("ponto", "ponto", "banca", "banca", "empate", "par_ponto", "par_banca")
_KEEPS_BETS = 20
"""So many least bets are always left, for the second bet at its dearest."""


@dataclass(slots=True)
class HouseBot:
    """One bot at one table against the house; amounts in cents. A game's own play is in the two methods below."""

    name: str
    url: str
    token: str
    table: str
    buy_in: int
    statistics: Statistics
    dice: Random
    bet_in: int = 0
    """The round of the last bet."""

    async def play(self, stop: asyncio.Event) -> None:
        """Plays until told to stop."""
        async with Player(self.url, self.token) as player:
            table = await player.subscribe(self.table)
            while not stop.is_set():
                try:
                    await self._once(player, table)
                except (ProblemReply, ConnectionLost):
                    await asyncio.sleep(_GLANCE_S)

    async def _once(self, player: Player, table: TableState) -> None:
        seat = table.seat_of(self.name)
        if seat is None and table.view.status == "open":
            await self._sit(player)
        elif table.decides(self.name):
            await self._decide(player, table)
        elif seat is not None and self._may_bet(table):
            await self._bet(player, table, seat.stack)
        else:
            with suppress(TimeoutError):
                await player.until(lambda: self._may_bet(table) or table.decides(self.name), _GLANCE_S)

    def _may_bet(self, table: TableState) -> bool:
        seat = table.seat_of(self.name)
        ready = seat is not None and seat.status == "playing" and not seat.leaving
        return ready and table.view.status == "open" and table.betting and table.number != self.bet_in

    async def _sit(self, player: Player) -> None:
        answer = await player.take_seat(self.table, self.buy_in)
        if answer.accepted:
            await seated(player, self.table, self.name)
        else:
            self.statistics.refused(answer.reason)
            await asyncio.sleep(_GLANCE_S)

    async def _bet(self, player: Player, table: TableState, stack: int) -> None:
        assert table.number is not None
        self.bet_in, rules = table.number, table.view.rules
        least = rules.get("min_ante") or rules["min_bet"]
        if stack < _KEEPS_BETS * least:
            await player.top_up(self.table, rules["top_up_to"] - stack)
            return
        amount = least * self.dice.randint(1, 5)
        if rules["game"] == "baccarat":
            await self._told(player.place_stake(self.table, self.dice.choice(_CHANCES), amount, self.bet_in))
        else:
            await self._told(player.place_ante(self.table, amount, self.bet_in))

    async def _decide(self, player: Player, table: TableState) -> None:
        number = table.number
        assert number is not None
        decision = "continue" if worth_playing(table.hole_cards) else "fold"
        answer = await self._told(player.decide(self.table, number, decision))
        if answer.accepted:
            with suppress(TimeoutError):  # the reply may come before the event
                await player.until(lambda: not table.decides(self.name), 10)
        elif answer.reason is not None and decision == "continue":
            await player.decide(self.table, number, "fold")

    async def _told(self, asked: Awaitable[Answer]) -> Answer:
        began = time.monotonic()
        answer = await asked
        self.statistics.answered(answer.verdict, answer.reason, time.monotonic() - began)
        return answer


def worth_playing(cards: list[str]) -> bool:
    """A pair or better, or ace and king: what the published strategies play, but for their last refinements."""
    ranks = Counter(card[0] for card in cards)
    suits = {card[1] for card in cards}
    in_a_row = "".join(sorted(ranks, key="23456789TJQKA".index)) in "23456789TJQKA" and len(ranks) == 5
    return max(ranks.values(), default=0) > 1 or in_a_row or len(suits) == 1 or {"A", "K"} <= set(ranks)
