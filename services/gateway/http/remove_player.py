"""POST /v1/tables/{table}/players/{player}/remove: at the latest after the running hand (pt-811-2015 11.g)."""

from pydantic import Field

from libs.contracts import table_commands as commands
from libs.contracts.messages import Message
from services.gateway.app.gateway import table_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, PlayerId, Staff, TableId, TheGateway


class RemovalWish(Message):
    model_config = example(reason="collusion under investigation")

    reason: str = Field(min_length=1, max_length=200)


async def remove_player(
    table: TableId, player: PlayerId, wish: RemovalWish, staff: Staff, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Staff only; the stack goes home."""
    known = gateway.known_table(table)
    body = {"player": player, "reason": wish.reason}
    return await ask(gateway, table_order(staff, key, known, commands.RemovePlayer, body))
