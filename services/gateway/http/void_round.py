"""POST /v1/tables/{table}/rounds/{round}/void: every stake goes back (pt-803-2015-no-draw 33, pt-812-2015 29)."""

from typing import Annotated

from fastapi import Path

from libs.contracts import house_commands as commands
from services.gateway.app.gateway import table_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Staff, TableId, TheGateway
from services.gateway.http.void_hand import VoidWish


async def void_round(
    table: TableId,
    round: Annotated[int, Path(ge=1)],
    wish: VoidWish,
    staff: Staff,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """Staff only, when a round against the house can't go on."""
    known = gateway.known_table(table)
    body = {"round": round, "cause": wish.cause}
    return await ask(gateway, table_order(staff, key, known, commands.VoidRound, body))
