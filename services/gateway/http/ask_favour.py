"""POST /v1/tables/{table}/favours: what no table grants; the answer names the rule (pt-217-2007 14)."""

from typing import Annotated

from fastapi import Body

from libs.contracts import floor_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


async def ask_favour(
    table: TableId,
    wish: Annotated[commands.AskFavour, Body(examples=[{"favour": "split_pot"}])],
    player: Player,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """Splitting a pot, moving or taking off chips, swapping seats: refused, and on record."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.AskFavour, wish.model_dump()))
