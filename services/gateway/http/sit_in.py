"""POST /v1/tables/{table}/sit-in: back into play."""

from libs.contracts import table_commands as commands
from libs.contracts.messages import Message
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


class SitInWish(Message):
    """`post_big_blind`: come in at once by freely posting a live big blind (pt-811-2015 21)."""

    model_config = example(post_big_blind=True)

    post_big_blind: bool = False


async def sit_in(table: TableId, wish: SitInWish, player: Player, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """Dealt in when the big blind arrives, or at once with a posted one."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.SitIn, wish.model_dump()))
