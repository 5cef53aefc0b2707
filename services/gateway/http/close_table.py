"""POST /v1/tables/{table}/close: the hand in progress is the last one."""

from typing import Annotated

from fastapi import Body

from libs.contracts import table_commands as commands
from services.gateway.app.gateway import table_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Staff, TableId, TheGateway


async def close_table(
    table: TableId,
    wish: Annotated[commands.CloseTable, Body(examples=[{"reason": "end of the night"}])],
    staff: Staff,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """Staff only: the hand in progress is the last one."""
    known = gateway.known_table(table)
    return await ask(gateway, table_order(staff, key, known, commands.CloseTable, wish.model_dump()))
