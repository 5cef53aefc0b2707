"""POST /v1/tables/{table}/decisions: fold, or continue with twice the ante (pt-803-2015-no-draw 20, 22, 23)."""

from libs.contracts import house_commands as commands
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway


class Decision(commands.DecideHand):
    """`bet` may be left out; where it is said, it has to be what the table asks for."""

    model_config = example(round=17, decision="continue", bet=1_000)


async def decide_hand(table: TableId, wish: Decision, player: Player, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """No-draw poker: one decision, which no one can take back."""
    known = gateway.known_table(table)
    return await ask(gateway, player_order(player, key, known, commands.DecideHand, wish.model_dump()))
