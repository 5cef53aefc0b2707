"""Money in or out, as an operator platform names it: by its own reference, which counts once and for ever."""

from typing import Literal

from libs.contracts.messages import Message
from libs.contracts.table_commands import Amount
from libs.contracts.wallet_commands import Currency, DepositFunds, Reference, WithdrawFunds, account_id
from services.gateway.app.commands import Order
from services.gateway.http.answering import example
from services.gateway.http.asking import IdempotencyKey, Operator, PlayerId


class Movement(Message):
    """`amount` in minor units: 10000 is 100.00."""

    model_config = example(reference="bank-20260102-17", amount=10_000, currency="EUR", kind="real")

    reference: Reference
    amount: Amount
    currency: Currency
    kind: Literal["real", "demo"] = "real"

    def order(
        self, command: type[DepositFunds | WithdrawFunds], player: PlayerId, operator: Operator, key: IdempotencyKey
    ) -> Order:
        """The wallet command of this movement."""
        account = account_id(player, self.currency, self.kind)
        return Order(operator, key, "wallet", account, command, {"reference": self.reference, "amount": self.amount})
