"""POST /v1/tables/{table}/seat-change: to a seat that is or becomes free (pt-217-2007 12.a)."""

from libs.contracts import floor_commands as commands
from libs.contracts.messages import Message
from libs.contracts.table_commands import SeatNumber
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


class SeatChangeWish(Message):
    """No seat named: any."""

    model_config = example(seat=6)

    seat: SeatNumber | None = None


async def ask_seat_change(
    table: TableId, wish: SeatChangeWish, player: Player, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Served before the waiting list, in the order of asking."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.AskSeatChange, wish.model_dump(), "entry"))
