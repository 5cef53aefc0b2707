"""POST /v1/tables/{table}/tips: out of the stack, between hands (pt-217-2007 9.d)."""

from typing import Annotated

from fastapi import Body

from libs.contracts import floor_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


async def tip_dealer(
    table: TableId,
    wish: Annotated[commands.TipDealer, Body(examples=[{"amount": 500}])],
    player: Player,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """Never part of a pot or of the commission."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.TipDealer, wish.model_dump()))
