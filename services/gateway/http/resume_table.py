"""POST /v1/tables/{table}/resume: play goes on."""

from libs.contracts import table_commands as commands
from services.gateway.app.gateway import table_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Staff, TableId, TheGateway


async def resume_table(table: TableId, staff: Staff, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """Staff only: play goes on."""
    known = gateway.known_table(table)
    return await ask(gateway, table_order(staff, key, known, commands.ResumeTable, {}))
