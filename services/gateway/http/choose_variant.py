"""POST /v1/tables/{table}/variant: Dealer Choice, the lead player's (pt-217-2007 23)."""

from typing import Annotated

from fastapi import Body

from libs.contracts import table_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


async def choose_variant(
    table: TableId,
    wish: Annotated[commands.ChooseVariant, Body(examples=[{"variant": "omaha"}])],
    player: Player,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """Between hands, at a mixed table."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.ChooseVariant, wish.model_dump()))
