"""POST /v1/tables/{table}/table-change: to another table of a session, when all is lost (pt-217-2007 26)."""

from libs.contracts import floor_commands as commands
from libs.contracts.messages import Message
from libs.contracts.table_commands import Id
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


class TableChangeWish(Message):
    model_config = example(to_table="table-2")

    to_table: Id


async def ask_table_change(
    table: TableId, wish: TableChangeWish, player: Player, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """How many play there is the house's own count."""
    known, there = gateway.known_table(table), gateway.known_table(wish.to_table)
    view = gateway.floor.tables.view(there)
    body = {"to_table": there, "players_there": len(view.seats) if view is not None else 0}
    return await ask(gateway, player_order(player, key, known, commands.AskTableChange, body))
