"""POST /v1/tables/{table}/acts: fold, check, call, bet or raise."""

from typing import Annotated

from fastapi import Body

from libs.contracts import table_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway

EXAMPLE = {"hand": 41, "seat": 3, "turn": 118, "act": "raise", "to": 350}


async def act(
    table: TableId,
    wish: Annotated[commands.Act, Body(examples=[EXAMPLE])],
    player: Player,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """`turn` is the version of the `decision_awaited` answered, `to` the total of the betting round."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.Act, wish.model_dump()))
