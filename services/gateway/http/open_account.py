"""POST /v1/players/{player}/accounts: an account in one currency."""

from typing import Literal

from libs.contracts import wallet_commands as commands
from libs.contracts.messages import Message
from libs.contracts.wallet_commands import Currency
from services.gateway.app.commands import Order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Operator, PlayerId, TheGateway


class NewAccount(Message):
    model_config = example(currency="EUR", kind="real")

    currency: Currency
    kind: Literal["real", "demo"] = "real"


async def open_account(
    player: PlayerId, wish: NewAccount, operator: Operator, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Operator only."""
    account = commands.account_id(player, wish.currency, wish.kind)
    body = {"player": player, **wish.model_dump()}
    return await ask(gateway, Order(operator, key, "wallet", account, commands.OpenAccount, body))
