"""The wallet's read API, asked on behalf of an operator or of a player about that player's own money."""

from typing import Any

import httpx

from libs.edge.problems import Problem


class WalletReads:
    """Balances and statements as the wallet service publishes them; it is passed on unchanged."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def account(self, player: str, book: str) -> Any:
        """Balances of real money, or of the play money of the `demo` book."""
        return await self._get(f"/v1/players/{player}/accounts", book=book)

    async def statements(self, player: str) -> Any:
        return await self._get(f"/v1/players/{player}/statements")

    async def _get(self, path: str, **query: str) -> Any:
        try:
            answer = await self._client.get(path, params=query)
        except httpx.HTTPError:
            raise _away() from None
        if answer.status_code == 404:
            raise Problem(404, "unknown-player", "The wallet knows no such player.")
        if answer.status_code != 200:
            raise _away()
        return answer.json()


def _away() -> Problem:
    return Problem(503, "wallet-unavailable", "The books can't be read right now.", headers={"retry-after": "1"})
