"""POST /v1/players/{player}/signals: a device, address, means of payment or program seen with a player (rule 11)."""

from typing import Literal

from pydantic import Field

from libs.contracts import wallet_commands as commands
from libs.contracts.messages import Message
from libs.contracts.wallet_commands import Currency, Reference, SignalKind
from services.gateway.app.commands import Order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Operator, PlayerId, TheGateway


class Signal(Message):
    """`reference` is the operator's own and counts once. All but a program leave the gateway as a keyed digest."""

    model_config = example(reference="login-8841", kind="device", value="9a7c-31", currency="EUR")

    reference: Reference
    kind: SignalKind
    value: str = Field(min_length=1, max_length=256)
    currency: Currency
    book: Literal["real", "demo"] = "real"


async def report_signal(
    player: PlayerId, wish: Signal, operator: Operator, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Operator only. What the auditor looks for collusion with (pt-811-2015 11.c, 11.f)."""
    value = wish.value[:128] if wish.kind == "program" else gateway.digest_of(wish.kind, wish.value)
    account = commands.account_id(player, wish.currency, wish.book)
    body = {"report": wish.reference, "kind": wish.kind, "value": value}
    return await ask(gateway, Order(operator, key, "wallet", account, commands.ReportSignal, body))
