"""A real table against the house on the gateway's floor: its public events, its sealed cards, and who watches."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from libs.contracts.registry import wire_name
from tests.gateway.conftest import House
from tests.gateway.dealing import deal_sealed
from tests.table.under_test import AnyTable


class Floor:
    """The gateway with one real table on it."""

    def __init__(self, house: House, http: httpx.AsyncClient, as_player: Any) -> None:
        self.house, self.http, self._as_player = house, http, as_player

    async def shows(self, table: AnyTable, player: str = "p1", path: str = "", upto: type = object) -> Any:
        """Publishes what the table has told, `upto` the last event of a kind, and gets it as a player sees it."""
        name = table.state.table
        known = self.house.versions.get(name, 0)
        end = max(number for number, event in enumerate(table.told, 1) if isinstance(event, upto))
        self.house.publish(*table.told[known:end], table=name)
        deal_sealed(self.house.gateway, table, known, end)
        answer = await self.http.get(f"/v1/tables/{name}{path}", headers=self._as_player(player))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def forget(self, table: AnyTable) -> None:
        """Another table of the same name comes next."""
        assert self.house.gateway is not None
        self.house.versions.pop(table.state.table, None)
        tables = self.house.gateway.floor.tables
        tables.held.pop(table.state.table, None)
        tables._put_by.drop(table.state.table)


@asynccontextmanager
async def watching(url: str, token: str, table: str) -> AsyncIterator[ClientConnection]:
    """A player's connection that has the table as it is."""
    headers = {"authorization": f"Bearer {token}"}
    async with connect(f"{url.replace('http', 'ws')}/v1/ws", additional_headers=headers, proxy=None) as socket:
        await socket.send(json.dumps({"type": "subscribe", "table": table}))
        while json.loads(await asyncio.wait_for(socket.recv(), 5))["type"] != "view":
            pass
        yield socket


async def heard(socket: ClientConnection, kind: type) -> dict[str, Any]:
    """The next event of a kind, as the connection is told."""
    while True:
        frame = json.loads(await asyncio.wait_for(socket.recv(), 5))
        for event in frame.get("events", ()):
            if event["event"] == wire_name(kind):
                data: dict[str, Any] = event["data"]
                return data
