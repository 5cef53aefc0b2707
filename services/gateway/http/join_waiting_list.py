"""POST /v1/tables/{table}/waiting-list: register for a seat, now or when the table begins."""

from libs.contracts import floor_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


async def join_waiting_list(table: TableId, player: Player, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """Seats are offered in the order of the list (pt-217-2007 8.a, 12.b; pt-811-2015 6.b)."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.JoinWaitingList, {}, "entry"))
