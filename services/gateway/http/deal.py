"""POST /v1/tables/{table}/deal: a single player starts the deal (pt-803-2015-no-draw 15, pt-812-2015-baccarat 28)."""

from libs.contracts.house_commands import DealRound
from services.gateway.app.gateway import deal_command, player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


class DealWish(DealRound):
    model_config = example(round=17)


async def deal(table: TableId, wish: DealWish, player: Player, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """Single-player tables against the house: at once, without waiting for a countdown."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, deal_command(gateway, known), wish.model_dump()))
