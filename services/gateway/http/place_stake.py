"""POST /v1/tables/{table}/stakes: a bet at baccarat (pt-812-2015-baccarat 9, 10)."""

from libs.contracts import house_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


class StakeWish(commands.PlaceStake):
    model_config = example(round=42, chance="banca", amount=2_000)


async def place_stake(
    table: TableId, wish: StakeWish, player: Player, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Baccarat: adds to what the player already has on the chance, until the betting closes."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.PlaceStake, wish.model_dump()))
