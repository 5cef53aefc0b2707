"""POST /v1/tables/{table}/pause: no new hand until it is resumed."""

from typing import Annotated

from fastapi import Body

from libs.contracts import table_commands as commands
from services.gateway.app.gateway import table_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Staff, TableId, TheGateway


async def pause_table(
    table: TableId,
    wish: Annotated[commands.PauseTable, Body(examples=[{"reason": "end of the night"}])],
    staff: Staff,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """Staff only: no new hand until it is resumed."""
    known = gateway.known_table(table)
    return await ask(gateway, table_order(staff, key, known, commands.PauseTable, wish.model_dump()))
