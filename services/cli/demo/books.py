"""What the wallet says of the books, read over its own HTTP."""

import asyncio
from typing import Any

import httpx

from services.cli.demo.statistics import Statistics
from services.cli.processes import ServiceProcess


class Books:
    """The wallet's read API. `follow` keeps lag and sum of the ledger in the statistics up to date."""

    def __init__(self, client: httpx.AsyncClient, wallet: ServiceProcess) -> None:
        """`client` reads the wallet as somebody who may."""
        self._client = client
        self._metrics = f"{wallet.inner_url}/metrics"

    async def close(self) -> None:
        await self._client.aclose()

    async def lag(self) -> int | None:
        """Records between the log's end and the books; None where the wallet does not say."""
        text = (await self._client.get(self._metrics)).text
        found = [float(row.split()[-1]) for row in text.splitlines() if row.startswith("croupier_projection_lag")]
        return int(sum(found)) if found else None

    async def follow(self, statistics: Statistics, every_s: float = 2.0) -> None:
        """Until cancelled."""
        while True:
            try:
                statistics.lag = await self.lag()
                sums = await self.get("totals")  # the whole trial balance is for the end
                statistics.ledger_sum = sum(abs(value) for value in sums.values())
            except httpx.HTTPError:
                statistics.lag = None
            await asyncio.sleep(every_s)

    async def get(self, path: str) -> Any:
        """The JSON that it answers, by the rest of the path."""
        answer = await self._client.get(f"/v1/{path}")
        answer.raise_for_status()
        return answer.json()
