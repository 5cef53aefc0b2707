"""POST /v1/tables/{table}/seats: a player asks for a seat and brings a buy-in."""

from libs.contracts import table_commands as commands
from libs.contracts.messages import Message
from libs.contracts.table_commands import Amount, SeatNumber
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


class SeatWish(Message):
    """No seat named: the first free one. `amount` in minor units of the table's currency."""

    model_config = example(seat=3, amount=10_000)

    seat: SeatNumber | None = None
    amount: Amount


async def take_seat(table: TableId, wish: SeatWish, player: Player, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """The seat is reserved; once the wallet has held the buy-in, `player_seated` follows on the table's stream."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.TakeSeat, wish.model_dump(), "reservation"))
