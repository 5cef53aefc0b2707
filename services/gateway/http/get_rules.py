"""GET /v1/tables/{table}/rules: the whole published configuration (pt-811-2015 enact.4)."""

from typing import Any

from pydantic import BaseModel, Field

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
    game: str
    demo: bool = Field(description="play money, which is worth nothing and stays so")
    tournament: str | None = Field(description="whose chips are played for, which are no money; null: a cash table")
    limits: dict[str, int | None] = Field(description="least and most of each bet, minor units; null: unlimited")
    tables: dict[str, Any] = Field(description="pay table, drawing table, commission: what the game has of them")
    complaints: str = Field(description="how to complain")


async def get_rules(table: TableId, gateway: TheGateway) -> PublishedRules:
    """For everybody, without a login."""
    view = gateway.floor.tables.view(table)
    if view is None:
        raise Problem(404, "unknown-table", "There is no such table.")
    return PublishedRules(**published_rules(view), complaints=gateway.complaints)
