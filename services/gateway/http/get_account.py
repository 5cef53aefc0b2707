"""GET /v1/players/{player}/account: balances, as the wallet tells them."""

from typing import Any, Literal

from services.gateway.http.asking import Operator, PlayerId, TheGateway


async def get_account(
    player: PlayerId, _: Operator, gateway: TheGateway, book: Literal["real", "demo"] = "real"
) -> Any:
    """Operator only: free and reserved money of each of the player's accounts."""
    return await gateway.wallet.account(player, book)
