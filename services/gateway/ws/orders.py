"""A player's message as an order: which command of the table it is."""

from libs.contracts import table_commands as commands
from libs.contracts.messages import Message
from services.gateway.app.commands import Order
from services.gateway.app.gateway import player_order
from services.gateway.app.sessions import Session
from services.gateway.ws import protocol

_COMMANDS: dict[type[protocol.Wish], tuple[type[Message], str | None]] = {
    protocol.TakeSeat: (commands.TakeSeat, "reservation"),
    protocol.TopUp: (commands.RequestTopUp, "top_up"),
    protocol.SitOut: (commands.SitOut, None),
    protocol.SitIn: (commands.SitIn, None),
    protocol.Leave: (commands.LeaveTable, None),
    protocol.Act: (commands.Act, None),
}


def order_of(wish: protocol.Wish, session: Session) -> Order:
    command, minted = _COMMANDS[type(wish)]
    body = wish.model_dump(exclude={"type", "id", "table"})
    return player_order(session, wish.id, wish.table, command, body, minted)
