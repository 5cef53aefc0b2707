"""POST /v1/tables/{table}/hands/{hand}/void: every stake goes back (pt-811-2015 72)."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from libs.contracts import table_commands as commands
from libs.contracts.messages import Message
from services.gateway.app.gateway import table_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Staff, TableId, TheGateway


class VoidWish(Message):
    model_config = example(cause="a card reader failed")

    cause: str = Field(min_length=1, max_length=200)


async def void_hand(
    table: TableId,
    hand: Annotated[int, Path(ge=1)],
    wish: VoidWish,
    staff: Staff,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """Staff only, when a hand can't go on."""
    known = gateway.known_table(table)
    return await ask(gateway, table_order(staff, key, known, commands.VoidHand, {"hand": hand, "cause": wish.cause}))
