"""POST /v1/tables/{table}/stakes/withdraw: a bet comes back, before the betting closes (pt-812-2015-baccarat 27)."""

from libs.contracts import house_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


class StakeBack(commands.WithdrawStake):
    """No amount: all of it."""

    model_config = example(round=42, chance="banca", amount=500)


async def withdraw_stake(
    table: TableId, wish: StakeBack, player: Player, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Baccarat: off one chance; what stays must keep the minimum."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.WithdrawStake, wish.model_dump()))
