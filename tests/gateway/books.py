"""The books behind the gateway: what a real table tells is booked in the real database, the wallet's doors answer."""

from pathlib import Path

import httpx

from libs.identity.operators import add_operator, new_token
from libs.identity.settings import LoginSettings, callers_with
from libs.money.play import PLAY_CURRENCY
from libs.projecting import Pool, project
from services.gateway.app.gateway import Gateway, WalletReads
from services.wallet.http.application import application
from services.wallet.projections import BOOKS
from services.wallet.projections import books as projections
from tests.banked.sittings import Sittings
from tests.table.under_test import AnyTable
from tests.testkit.logins import ISSUER, provider_client
from tests.testkit.marks import WALLET
from tests.testkit.memory_source import MemorySource


class Books:
    """Instead of the stand-in for the wallet: the gateway asks with a credential of the house, as it does in one."""

    def __init__(self, pool: Pool, gateway: Gateway, folder: Path, *players: str) -> None:
        self._pool, self._sittings = pool, Sittings(*players)
        self._sittings.opens(*players, currency=PLAY_CURRENCY, kind="demo")
        credentials, token = folder / "wallet-operators.json", new_token("gateway")
        add_operator(credentials, "gateway", ["house"], 0, token)
        known = callers_with(LoginSettings(operators_file=credentials, oidc_issuer=ISSUER), provider_client())
        gateway.wallet = WalletReads(
            httpx.AsyncClient(
                transport=httpx.ASGITransport(application(pool, known, WALLET)),
                base_url="http://wallet",
                headers={"authorization": f"Bearer {token}"},
            )
        )

    async def follow(self, table: AnyTable) -> None:
        """Books what the table has told since the last time, and what its players' accounts answered."""
        self._sittings.follow(table)
        await project(self._pool, BOOKS, projections(), MemorySource(self._sittings.records))
