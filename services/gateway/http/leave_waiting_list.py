"""POST /v1/tables/{table}/waiting-list/leave: no longer waiting."""

from libs.contracts import floor_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


async def leave_waiting_list(table: TableId, player: Player, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """Also gives up a seat that was offered."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.LeaveWaitingList, {}))
