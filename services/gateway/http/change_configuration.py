"""POST /v1/tables/{table}/configuration: a newer version of a table's rules, in force from the next hand on."""

from pydantic import ConfigDict

from libs.contracts import table_commands as commands
from services.gateway.app.gateway import table_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Staff, TableId, TheGateway
from services.gateway.http.plain_configuration import PlainConfiguration


class NewVersion(PlainConfiguration):
    """The whole configuration with a higher `version` and its approval reference (pt-811-2015 enact.3)."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"configuration": {"version": 7, "approval": "SRIJ-2026-114", "seats": 6}}]}
    )


async def change_configuration(
    table: TableId, wish: NewVersion, staff: Staff, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Staff only: announced at once; a running hand is finished under the version before."""
    known = gateway.known_table(table)
    return await ask(gateway, table_order(staff, key, known, commands.ChangeConfiguration, wish.model_dump()))
