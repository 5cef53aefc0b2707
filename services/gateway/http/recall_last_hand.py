"""GET /v1/tables/{table}/last-hand: the last completed hand that the player was dealt into (rule 65)."""

from typing import Any

from libs.edge.problems import Problem
from services.gateway.http.asking import Player, TableId, TheGateway


async def recall_last_hand(table: TableId, player: Player, gateway: TheGateway) -> dict[str, Any]:
    """Own cards, board, every action with amounts, pots, rake, winners, payments and shown cards; marked as replay."""
    gateway.known_table(table)
    record = gateway.floor.last_played(table, player.player)
    if record is None:
        raise Problem(404, "no-hand-yet", "You have not completed a hand at this table.")
    return record
