"""POST /v1/players/{player}/deposits: money in, once and for ever by the operator's own reference."""

from typing import Literal

from libs.contracts import wallet_commands as commands
from libs.contracts.messages import Message
from libs.contracts.table_commands import Amount
from libs.contracts.wallet_commands import Currency, Reference
from services.gateway.app.commands import Order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Operator, PlayerId, TheGateway


class Movement(Message):
    """`amount` in minor units: 10000 is 100.00."""

    model_config = example(reference="bank-20260102-17", amount=10_000, currency="EUR", kind="real")

    reference: Reference
    amount: Amount
    currency: Currency
    kind: Literal["real", "demo"] = "real"


async def deposit_funds(
    player: PlayerId, wish: Movement, operator: Operator, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Operator only. The same reference with other content is a conflict."""
    account = commands.account_id(player, wish.currency, wish.kind)
    body = {"reference": wish.reference, "amount": wish.amount}
    return await ask(gateway, Order(operator, key, "wallet", account, commands.DepositFunds, body))
