"""POST /v1/tables/{table}/disputes: a player disputes a hand; what is not delivered waits (pt-217-2007 8.c)."""

from typing import Annotated

from fastapi import Body

from libs.contracts import live_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


async def open_dispute(
    table: TableId,
    wish: Annotated[commands.OpenDispute, Body(examples=[{"hand": 1041, "text": "the pot was mine"}])],
    player: Player,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """The house decides, by name and with its reason."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.OpenDispute, wish.model_dump()))
