"""A player's message as an order: which command of the table it is."""

from libs.contracts import house_commands as house
from libs.contracts import table_commands as commands
from libs.contracts.messages import Message
from services.gateway.app.commands import Order
from services.gateway.app.gateway import Gateway, deal_command, player_order
from services.gateway.app.sessions import Session
from services.gateway.ws import protocol

_COMMANDS: dict[type[protocol.Wish], tuple[type[Message], str | None]] = {
    protocol.TakeSeat: (commands.TakeSeat, "reservation"),
    protocol.TopUp: (commands.RequestTopUp, "top_up"),
    protocol.SitOut: (commands.SitOut, None),
    protocol.SitIn: (commands.SitIn, None),
    protocol.Leave: (commands.LeaveTable, None),
    protocol.Act: (commands.Act, None),
    protocol.PlaceAnte: (house.PlaceAnte, None),
    protocol.WithdrawAnte: (house.WithdrawAnte, None),
    protocol.Decide: (house.DecideHand, None),
    protocol.PlaceStake: (house.PlaceStake, None),
    protocol.WithdrawStake: (house.WithdrawStake, None),
}


def order_of(wish: protocol.Wish, session: Session, gateway: Gateway) -> Order:
    if isinstance(wish, protocol.Deal):
        return player_order(session, wish.id, wish.table, deal_command(gateway, wish.table), {"round": wish.round})
    command, minted = _COMMANDS[type(wish)]
    body = wish.model_dump(exclude={"type", "id", "table"})
    return player_order(session, wish.id, wish.table, command, body, minted)
