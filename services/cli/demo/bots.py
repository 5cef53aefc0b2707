"""Thirty players who come through the front door: deposit, sit down, play, run out of chips, leave and come back."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from libs.client import Answer, ConnectionLost, Player, ProblemReply, TableState, Turn
from libs.contracts.poker_configuration import PokerConfiguration
from services.cli.demo.statistics import Statistics
from services.cli.demo.strategy import Offer, choose

_GLANCE_S = 1.0
"""How often a bot without a turn looks whether it still has a seat and chips."""


@dataclass(slots=True)
class Bot:
    """One bot at one table. `buy_in` in cents; `restless` bots leave after so many acts and come back."""

    name: str
    url: str
    token: str
    table: str
    buy_in: int
    statistics: Statistics
    dice: Random
    restless: int | None = None
    acts: int = 0
    carried: int = 0
    """Stack it last left with, or was sent away with: within the hour it must bring that again (pt-811-2015 11.a)."""
    client: Callable[[str, str], Player] = Player
    """Made from the gateway's address and the session's token; tests watch what it sends."""

    async def play(self, stop: asyncio.Event) -> None:
        """Plays until told to stop."""
        async with self.client(self.url, self.token) as player:
            table = await player.subscribe(self.table)
            while not stop.is_set():
                try:
                    await self._once(player, table)
                except (ProblemReply, ConnectionLost):
                    await asyncio.sleep(_GLANCE_S)

    async def _once(self, player: Player, table: TableState) -> None:
        seat = table.seat_of(self.name)
        if table.view.status == "closed":
            await asyncio.sleep(_GLANCE_S)
        elif table.view.status == "closing":
            await self._answer_next(player)
        elif seat is None:
            await self._sit(player)
        elif seat.leaving:
            await self._answer_next(player)  # the hand in which it was sent away is still its own
        elif seat.status == "sitting_out":
            await player.sit_in(self.table, post_big_blind=True)
        elif table.hand_over and seat.status == "playing" and seat.stack < _rules(table).betting.big_blind:
            await self._top_up(player, table, seat.stack)
        elif self.restless is not None and self.acts >= self.restless and seat.status == "playing":
            await self._leave(player, seat.stack)
        else:
            await self._answer_next(player)

    async def _answer_next(self, player: Player) -> None:
        with suppress(TimeoutError):
            await self._answer(player, await player.next_turn(self.table, timeout=_GLANCE_S))

    async def _answer(self, player: Player, turn: Turn) -> None:
        legal = turn.legal
        choice = choose(Offer(turn.street, legal.check, legal.call, legal.min_to, legal.max_to), self.dice)
        asked = time.monotonic()
        answer = await player.act(turn, choice.act, choice.to)
        self.acts += 1
        self.statistics.answered(answer.verdict, answer.reason, time.monotonic() - asked)
        if answer.accepted:
            await _moved_on(player, self.table, turn)
        else:
            await asyncio.sleep(0.05)

    async def _sit(self, player: Player) -> None:
        self.carried = player.tables[self.table].left_with.get(self.name, self.carried)
        answer = await player.take_seat(self.table, max(self.buy_in, self.carried))
        if answer.accepted:
            await seated(player, self.table, self.name)
            if self.carried:
                self.statistics.returned += 1
            await self._come_in_at_once(player)
        else:
            self.statistics.refused(answer.reason)
            await asyncio.sleep(_GLANCE_S)

    async def _come_in_at_once(self, player: Player) -> Answer:
        """Freely posts a live big blind rather than waiting for it (pt-811-2015 21)."""
        return await player.sit_in(self.table, post_big_blind=True)

    async def _top_up(self, player: Player, table: TableState, stack: int) -> None:
        answer = await player.top_up(self.table, _rules(table).entry.top_up_to - stack)
        if not answer.accepted:
            self.statistics.refused(answer.reason)
        await asyncio.sleep(_GLANCE_S / 2)

    async def _leave(self, player: Player, stack: int) -> None:
        self.carried = max(stack, self.buy_in)
        self.restless = None
        if (await player.leave(self.table)).accepted:
            self.statistics.left += 1
            await self._gone(player)

    async def _gone(self, player: Player) -> None:
        table = player.tables[self.table]
        with suppress(TimeoutError):
            await player.until(lambda: table.seat_of(self.name) is None, 30)
        self.carried = table.left_with.get(self.name, self.carried)


async def _moved_on(player: Player, table: str, turn: Turn) -> None:
    """The reply may come before the event: the same turn is not answered twice."""
    state = player.tables[table]
    with suppress(TimeoutError):
        await player.until(lambda: state.turn is None or state.turn.turn != turn.turn, 10)


async def seated(player: Player, table: str, name: str) -> None:
    """The seat is reserved; wait until the wallet has reserved the buy-in and the table has confirmed it."""
    state = player.tables[table]

    def settled() -> bool:
        seat = state.seat_of(name)
        return seat is None or seat.status != "reserved"

    with suppress(TimeoutError):
        await player.until(lambda: state.seat_of(name) is not None, 5)
        await player.until(settled, 10)


def _rules(table: TableState) -> PokerConfiguration:
    assert isinstance(table.view.configuration, PokerConfiguration)
    return table.view.configuration
