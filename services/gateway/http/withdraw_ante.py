"""POST /v1/tables/{table}/antes/withdraw: the whole ante comes back, before the betting closes (rule 14)."""

from libs.contracts import house_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


class AnteBack(commands.WithdrawAnte):
    model_config = example(round=17)


async def withdraw_ante(
    table: TableId, wish: AnteBack, player: Player, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """No-draw poker: no round for this seat."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.WithdrawAnte, wish.model_dump()))
