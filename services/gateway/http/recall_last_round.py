"""GET /v1/tables/{table}/last-round: the player's last round against the house (pt-803-2015-no-draw 37)."""

from typing import Any

from libs.edge.problems import Problem
from services.gateway.http.asking import Player, TableId, TheGateway


async def recall_last_round(table: TableId, player: Player, gateway: TheGateway) -> dict[str, Any]:
    """All cards in order, every stake, decision, outcome, credit and net; a void round with its refunds."""
    gateway.known_table(table)
    record = gateway.floor.last_played(table, player.player)
    if record is None:
        raise Problem(404, "no-round-yet", "You have not completed a round at this table.")
    return record
