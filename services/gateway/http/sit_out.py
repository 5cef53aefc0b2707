"""POST /v1/tables/{table}/sit-out: no cards from the next hand on (pt-811-2015 68)."""

from libs.contracts import table_commands as commands
from libs.contracts.messages import Message
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


class SitOutWish(Message):
    """`on_break` asks for the break with its time limit."""

    model_config = example(on_break=True)

    on_break: bool = False


async def sit_out(table: TableId, wish: SitOutWish, player: Player, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """Seat and stack are kept."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.SitOut, wish.model_dump()))
