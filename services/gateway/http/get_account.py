"""GET /v1/players/{player}/account: balances, as the wallet tells them."""

from typing import Any

from services.gateway.http.asking import Operator, PlayerId, TheGateway


async def get_account(player: PlayerId, _: Operator, gateway: TheGateway) -> Any:
    """Operator only: free and held money of each of the player's accounts."""
    return await gateway.wallet.account(player)
