"""GET /v1/statement: what the player staked, won, lost and paid in each session (pt-811-2015 67)."""

from typing import Any

from services.gateway.http.asking import Player, TheGateway


async def get_statement(player: Player, gateway: TheGateway) -> Any:
    """The asking player's own session statements."""
    return await gateway.wallet.statements(player.player)
