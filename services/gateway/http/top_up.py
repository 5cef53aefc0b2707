"""POST /v1/tables/{table}/top-ups: more chips, added when no hand runs (pt-811-2015 11.b)."""

from libs.contracts import table_commands as commands
from libs.contracts.messages import Message
from libs.contracts.table_commands import Amount
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


class TopUpWish(Message):
    model_config = example(amount=5_000)

    amount: Amount


async def top_up(table: TableId, wish: TopUpWish, player: Player, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """Asks for a top-up from the player's account, within the table's ceiling."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.RequestTopUp, wish.model_dump(), "top_up"))
