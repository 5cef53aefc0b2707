"""The house's side of the gateway: the operator's platform, and people."""

from collections.abc import Mapping
from typing import Any

import msgspec

from libs.client.http import Answer, HttpClient


class Opened(msgspec.Struct, frozen=True):
    """A player's session, opened by the operator. The token stays out of every text."""

    token: str
    session: str
    player: str
    started: int
    expires: int
    last_login: int | None

    def __repr__(self) -> str:
        return f"Opened(player={self.player!r}, session={self.session!r})"


class TableDesk(HttpClient):
    """What is asked of tables, by a platform with the scope `tables` or by people with a role. Amounts in minor units;
    every command takes an idempotency `key`, or makes one.

    What has no method of its own is asked by its path: `command("/tables/table-1/pause", {"reason": "a check"})`.
    """

    async def open_table(
        self,
        table: str,
        name: str,
        rulebook: str,
        configuration: Mapping[str, Any],
        key: str | None = None,
        bank: int = 0,
        risk_limit: int | None = None,
    ) -> Answer:
        """`bank` is what the treasury puts into the table, at games against the house."""
        body: dict[str, Any] = {
            "table": table,
            "name": name,
            "rulebook": rulebook,
            "configuration": dict(configuration),
        }
        if bank:
            body |= {"bank": bank, "risk_limit": risk_limit}
        return await self.command("/tables", body, key)

    async def change_configuration(
        self, table: str, configuration: Mapping[str, Any], key: str | None = None
    ) -> Answer:
        return await self.command(f"/tables/{table}/configuration", {"configuration": dict(configuration)}, key)

    async def close_table(self, table: str, reason: str, key: str | None = None) -> Answer:
        return await self.command(f"/tables/{table}/close", {"reason": reason}, key)

    async def remove_player(self, table: str, player: str, reason: str, key: str | None = None) -> Answer:
        return await self.command(f"/tables/{table}/players/{player}/remove", {"reason": reason}, key)

    async def tables(self) -> list[dict[str, Any]]:
        """The lobby, page by page."""
        found: list[dict[str, Any]] = []
        after: str | None = ""
        while after is not None:
            page = await self.get(f"/tables?after={after}")
            found, after = found + page["tables"], page["next_after"]
        return found

    async def rules(self, table: str) -> dict[str, Any]:
        return dict(await self.get(f"/tables/{table}/rules"))


class Staff(TableDesk):
    """A person of the house, with an access token of its provider."""

    async def approve_configuration(self, table: str, version: int, key: str | None = None) -> Answer:
        """What another person asked for at a table with a bank."""
        return await self.command(f"/tables/{table}/configuration/{version}/approve", None, key)

    async def void_round(self, table: str, round: int, cause: str, key: str | None = None) -> Answer:
        """Once cards are out another person has to ask for it, too."""
        return await self.command(f"/tables/{table}/rounds/{round}/void", {"cause": cause}, key)

    async def request_bank_change(
        self, table: str, change: str, direction: str, amount: int, reason: str, key: str | None = None
    ) -> Answer:
        """`top_up` or `drop`; another person approves."""
        body = {"change": change, "direction": direction, "amount": amount, "reason": reason}
        return await self.command(f"/tables/{table}/bank/changes", body, key)

    async def approve_bank_change(
        self, table: str, change: str, direction: str, amount: int, key: str | None = None
    ) -> Answer:
        body = {"direction": direction, "amount": amount}
        return await self.command(f"/tables/{table}/bank/changes/{change}/approve", body, key)

    async def approve_cash(
        self, player: str, reference: str, purpose: str, amount: int, currency: str = "EUR", key: str | None = None
    ) -> Answer:
        """A `deposit` or `withdrawal` for which another person asked."""
        body = {"reference": reference, "purpose": purpose, "amount": amount, "currency": currency}
        return await self.command(f"/players/{player}/cash/approve", body, key)

    async def live(self, table: str, console: str, body: Mapping[str, Any], key: str | None = None) -> Answer:
        """A dealer's or supervisor's console of a live table: `scans`, `incidents`, `deal`, `decks/shuffle` …"""
        return await self.command(f"/tables/{table}/live/{console}", dict(body), key)


class Operator(TableDesk):
    """An operator's platform: sessions, accounts, money, tables, as far as its credential's scopes go."""

    async def open_session(self, player: str, last_login: int | None = None) -> Opened:
        return msgspec.convert(await self.post("/sessions", {"player": player, "last_login": last_login}), Opened)

    async def open_account(
        self, player: str, currency: str = "EUR", kind: str = "real", key: str | None = None
    ) -> Answer:
        return await self.command(f"/players/{player}/accounts", {"currency": currency, "kind": kind}, key)

    async def deposit(
        self, player: str, reference: str, amount: int, currency: str = "EUR", kind: str = "real",
        key: str | None = None,
    ) -> Answer:  # fmt: skip
        return await self._move(f"/players/{player}/deposits", key, reference, amount, currency, kind)

    async def withdraw(
        self, player: str, reference: str, amount: int, currency: str = "EUR", kind: str = "real",
        key: str | None = None,
    ) -> Answer:  # fmt: skip
        return await self._move(f"/players/{player}/withdrawals", key, reference, amount, currency, kind)

    async def _move(self, path: str, key: str | None, reference: str, amount: int, currency: str, kind: str) -> Answer:
        body = {"reference": reference, "amount": amount, "currency": currency, "kind": kind}
        return await self.command(path, body, key)

    async def account(self, player: str, book: str = "real") -> Any:
        """Balances by currency; `book` is `real` or `demo`."""
        return await self.get(f"/players/{player}/account?book={book}")
