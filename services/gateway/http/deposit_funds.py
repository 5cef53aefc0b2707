"""POST /v1/players/{player}/deposits: money in, once and for ever by the operator's own reference."""

from libs.contracts.wallet_commands import DepositFunds
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Operator, PlayerId, TheGateway
from services.gateway.http.movement import Movement


async def deposit_funds(
    player: PlayerId, wish: Movement, operator: Operator, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Operator only. The same reference with other content is a conflict."""
    return await ask(gateway, wish.order(DepositFunds, player, operator, key))
