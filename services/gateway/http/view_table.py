"""GET /v1/tables/{table}: the table as one player may see it."""

from typing import Any

from libs.edge.problems import Problem
from services.gateway.http.asking import Player, TableId, TheGateway


async def view_table(table: TableId, player: Player, gateway: TheGateway) -> dict[str, Any]:
    """Seats, stacks, and the hand or round; `own` holds the asking player's own cards and nobody else's.

    `left_ms` is what is left of a deadline at `now`, so that a countdown needs no clock but the house's.
    """
    view = gateway.floor.view(table, player.player, gateway.now())
    if view is None:
        raise Problem(404, "unknown-table", "There is no such table.")
    return view
