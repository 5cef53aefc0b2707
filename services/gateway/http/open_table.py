"""POST /v1/tables: a new table under a rulebook and a configuration within its bounds."""

from pydantic import ConfigDict, Field

from libs.contracts import table_commands as commands
from libs.contracts.table_commands import MAX_AMOUNT, Id
from services.gateway.app.gateway import table_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Staff, TheGateway
from services.gateway.http.plain_configuration import PlainConfiguration


class NewTable(PlainConfiguration):
    """`configuration` fills the rulebook; a missing or wrong value is refused by name (pt-811-2015 14, 17)."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "table": "table-1",
                    "name": "Lisboa",
                    "rulebook": "pt-811-2015-omaha",
                    "configuration": {"seats": 6, "small_blind": 50, "big_blind": 100, "currency": "EUR"},
                }
            ]
        }
    )

    table: Id
    name: str = Field(min_length=1, max_length=80)
    rulebook: Id
    bank: int = Field(default=0, ge=0, le=MAX_AMOUNT, description="against the house: from the treasury to the bank")
    risk_limit: int | None = Field(
        default=None, ge=0, le=MAX_AMOUNT, description="the most the house may lose in one round; none: all of the bank"
    )


async def open_table(wish: NewTable, staff: Staff, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """Staff only. Answered once the lobby shows the table."""
    body = wish.model_dump(exclude={"table"})
    answer = await ask(gateway, table_order(staff, key, wish.table, commands.OpenTable, body))
    await gateway.floor.reaches(wish.table, answer.version)
    return answer
