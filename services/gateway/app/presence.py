"""Whether a seated player's connection is known to be lost, told to tables against the house (pt-803-2015 34 to 36)."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from uuid6 import uuid7

from libs.contracts.messages import Principal
from libs.contracts.table_commands import ReportConnection
from libs.edge.problems import Problem
from services.gateway.app.commands import CommandDesk, Order
from services.gateway.app.floor import Floor

_GATEWAY = Principal("policy", "gateway")
_Key = tuple[str, str]
"""Table and player."""


@dataclass(slots=True)
class Presence:
    """Counts the connections by which a player watches a table; the first and the last are reported.

    One gateway's word: a player who is at another one, too, is told as lost and at once as back by it.
    """

    desk: CommandDesk
    floor: Floor
    _watching: dict[_Key, int] = field(default_factory=dict)
    _reports: set[asyncio.Task[None]] = field(default_factory=set)

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
        if not self._concerns(table, player):
            return
        report = asyncio.create_task(self._report(table, player, connected))
        self._reports.add(report)
        report.add_done_callback(self._reports.discard)

    def _concerns(self, table: str, player: str) -> bool:
        """Tables of poker need no reports: there the decision clock alone counts."""
        view = self.floor.tables.view(table)
        return view is not None and view.game != "poker" and any(s.player == player for s in view.seats.values())

    async def _report(self, table: str, player: str, connected: bool) -> None:
        report = ReportConnection(player=player, connected=connected)
        order = Order(_GATEWAY, str(uuid7()), table, report)
        with suppress(Problem):  # nobody waits for it; what is not told is a timeout like any other
            await self.desk.submit(order)
