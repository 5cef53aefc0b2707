"""POST /v1/tables/{table}/leave: get up, with the whole stack."""

from libs.contracts import table_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


async def leave_table(table: TableId, player: Player, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """Possible at any time; a running hand is ended first."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.LeaveTable, {}))
