"""POST /v1/tables/{table}/bank/changes: money between the treasury and a table's bank, by two of the staff."""

from typing import Literal

from pydantic import Field

from libs.contracts import house_commands as commands
from libs.contracts.messages import Message
from libs.contracts.table_commands import Amount, Id
from services.gateway.app.gateway import table_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Staff, TableId, TheGateway


class BankWish(Message):
    """`change` is the operator's own name for it and counts once."""

    model_config = example(change="bank-20260102-1", direction="top_up", amount=500_000, reason="evening shift")

    change: Id
    direction: Literal["top_up", "drop"]
    amount: Amount
    reason: str = Field(min_length=1, max_length=200)


class DeclineWish(Message):
    model_config = example(reason="not today")

    reason: str = Field(min_length=1, max_length=200)


async def request_bank_change(
    table: TableId, wish: BankWish, staff: Staff, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Staff only: asks; nothing moves before another one of the staff approves."""
    known = gateway.known_table(table)
    return await ask(gateway, table_order(staff, key, known, commands.RequestBankChange, wish.model_dump()))


async def approve_bank_change(
    table: TableId, change: Id, staff: Staff, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Staff only, and never the one who asked."""
    known = gateway.known_table(table)
    return await ask(gateway, table_order(staff, key, known, commands.ApproveBankChange, {"change": change}))


async def decline_bank_change(
    table: TableId, change: Id, wish: DeclineWish, staff: Staff, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Staff only; the change is spent."""
    known = gateway.known_table(table)
    body = {"change": change, "reason": wish.reason}
    return await ask(gateway, table_order(staff, key, known, commands.DeclineBankChange, body))
