"""POST /v1/tables/{table}/antes: the stake that buys five cards (pt-803-2015-no-draw 2.a, 16)."""

from libs.contracts import house_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


class AnteWish(commands.PlaceAnte):
    model_config = example(round=17, amount=500)


async def place_ante(table: TableId, wish: AnteWish, player: Player, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """No-draw poker: the ante is `amount` from now on, until the betting closes."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.PlaceAnte, wish.model_dump()))
