"""POST /v1/tables/{table}/messages: what a player writes to the table (pt-811-2015 11.d; pt-217-2007 14.j)."""

import re
from base64 import b64encode

from pydantic import Field

from libs.contracts import floor_commands as commands
from libs.contracts.messages import Message
from libs.sealing.sealed import seal_alike
from services.gateway.app.gateway import player_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Player, TableId, TheGateway
from services.gateway.views.messages import bound_to

_CARD = re.compile(r"(?<![A-Za-z0-9])(?:10|[2-9TJQKA])\s?[shdc♠♥♦♣](?![A-Za-z0-9])", re.IGNORECASE)


class Words(Message):
    model_config = example(text="well played")

    text: str = Field(min_length=1, max_length=500)


async def send_message(table: TableId, wish: Words, player: Player, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """Withheld until the hand is over, or blocked, as the table has it. Sealed here: no log can read it."""
    known = gateway.known_table(table)
    box = seal_alike(gateway.key.reveal(), wish.text.encode(), bound_to(known, player.player))
    body = {"sealed": b64encode(box).decode(), "names_cards": bool(_CARD.search(wish.text))}
    return await ask(gateway, player_order(player, key, known, commands.SendMessage, body, "message"))
