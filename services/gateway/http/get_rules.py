"""GET /v1/tables/{table}/rules: the whole published configuration (pt-811-2015 enact.4)."""

from typing import Any

from pydantic import BaseModel

from libs.edge.problems import Problem
from services.gateway.http.asking import TableId, TheGateway
from services.gateway.views.lobby import published_rules


class PublishedRules(BaseModel):
    table: str
    name: str
    rulebook: str | None
    rulebook_hash: str
    regulation: str | None
    regulation_text: str | None
    taking_part: list[str]
    configuration: dict[str, Any]
    announced: dict[str, Any] | None


async def get_rules(table: TableId, gateway: TheGateway) -> PublishedRules:
    """For everybody, without a login."""
    view = gateway.floor.tables.view(table)
    if view is None:
        raise Problem(404, "unknown-table", "There is no such table.")
    return PublishedRules(**published_rules(view))
