"""Whether a seated player's connection is known to be lost, told to its table (pt-811-2015 73, pt-803-2015 34, 36).

Each report is a commit and an event that are kept for ever, so a player has a fair share of them, too. Above it nothing
is refused, for nobody has asked: what holds when there is one again is told then, and what was in between is not.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from uuid6 import uuid7

from libs.contracts.messages import Principal
from libs.contracts.table_commands import ReportConnection
from libs.edge.problems import Problem
from libs.edge.shares import Buckets
from services.gateway.app.commands import CommandDesk, Order
from services.gateway.app.floor import Floor

_GATEWAY = Principal("policy", "gateway")
_Key = tuple[str, str]
"""Table and player."""


@dataclass(slots=True)
class Presence:
    """Counts the connections by which a player watches a table; the first and the last are reported if they are news.

    One gateway's word: a player who is at another one, too, is told as lost all the same.
    """

    desk: CommandDesk
    floor: Floor
    reports: Buckets
    """By table and player."""
    _watching: dict[_Key, int] = field(default_factory=dict)
    _reports: set[asyncio.Task[None]] = field(default_factory=set)
    _waiting: set[_Key] = field(default_factory=set)
    """Of whom something is told as soon as their share allows it."""
    _under_way: Counter[_Key] = field(default_factory=Counter)

    def came(self, table: str, player: str) -> None:
        count = self._watching[table, player] = self._watching.get((table, player), 0) + 1
        if count == 1:
            self._tell(table, player, connected=True)

    def went(self, table: str, player: str) -> None:
        count = self._watching.get((table, player), 0) - 1
        if count > 0:
            self._watching[table, player] = count
        elif self._watching.pop((table, player), None) is not None:
            self._tell(table, player, connected=False)

    def _tell(self, table: str, player: str, connected: bool) -> None:
        """Now, or what holds then as soon as there is a report for it."""
        if not self._is_news(table, player, connected):
            return
        if (table, player) in self._waiting:
            return
        wait = self.reports.spend(f"{table} {player}", 1)
        if wait:
            self._waiting.add((table, player))
            self._start(self._tell_later(table, player, wait))
        else:
            self._send(table, player, connected)

    async def _tell_later(self, table: str, player: str, wait: float) -> None:
        await asyncio.sleep(wait)
        self._waiting.discard((table, player))
        connected = (table, player) in self._watching
        if self._is_news(table, player, connected):
            self._send(table, player, connected)

    def _send(self, table: str, player: str, connected: bool) -> None:
        self._under_way[table, player] += 1
        report = self._start(self._report(table, player, connected))
        report.add_done_callback(partial(self._reported, (table, player)))

    def _start(self, what: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(what)
        self._reports.add(task)
        task.add_done_callback(self._reports.discard)
        return task

    def _reported(self, key: _Key, report: asyncio.Task[None]) -> None:
        self._under_way[key] -= 1
        if not self._under_way[key]:
            del self._under_way[key]

    def _is_news(self, table: str, player: str, connected: bool) -> bool:
        """Of who sits there, and what the table does not know yet; while a report is under way that can not be told.

        Who is away in a tournament may be so for want of a connection (pt-810-2015 26).
        """
        view = self.floor.tables.view(table)
        seat = view.seat_of(player) if view is not None else None
        if seat is None or view is None:
            return False
        back = connected and view.tournament is not None and seat.status == "sitting_out"
        return seat.offline == connected or back or self._under_way[table, player] > 0

    async def _report(self, table: str, player: str, connected: bool) -> None:
        report = ReportConnection(player=player, connected=connected)
        order = Order(_GATEWAY, str(uuid7()), table, report)
        with suppress(Problem):  # nobody waits for it; what is not told is a timeout like any other
            reply = await self.desk.submit(order)
            await self.floor.reaches(table, reply.version)
