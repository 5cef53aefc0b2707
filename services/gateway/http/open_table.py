"""POST /v1/tables: a new table under a rulebook and a configuration within its bounds."""

from pydantic import ConfigDict, Field, JsonValue, field_validator

from libs.contracts import table_commands as commands
from libs.contracts.messages import Message
from libs.contracts.table_commands import MAX_AMOUNT, Id
from services.gateway.app.gateway import table_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Staff, TheGateway


class NewTable(Message):
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
    configuration: dict[str, JsonValue] = Field(max_length=64)

    @field_validator("configuration")
    @classmethod
    def _plain(cls, given: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Words, whole numbers within bounds, yes and no: money is never a float."""
        for name, value in given.items():
            if isinstance(value, float | list | dict):
                raise ValueError(f"{name[:40]} is neither a word, a whole number, true, false nor null")
            if isinstance(value, int) and abs(value) > MAX_AMOUNT:
                raise ValueError(f"{name[:40]} is out of bounds")
        return given


async def open_table(wish: NewTable, staff: Staff, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """Staff only. Answered once the lobby shows the table."""
    body = wish.model_dump(exclude={"table"})
    answer = await ask(gateway, table_order(staff, key, wish.table, commands.OpenTable, body))
    await gateway.floor.reaches(wish.table, answer.version)
    return answer
