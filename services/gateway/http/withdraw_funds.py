"""POST /v1/players/{player}/withdrawals: money out, once and for ever by the operator's own reference."""

from libs.contracts.wallet_commands import WithdrawFunds
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Operator, PlayerId, TheGateway
from services.gateway.http.movement import Movement


async def withdraw_funds(
    player: PlayerId, wish: Movement, operator: Operator, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Operator only. What is not there is refused with 409; another attempt needs a new reference."""
    return await ask(gateway, wish.order(WithdrawFunds, player, operator, key))
