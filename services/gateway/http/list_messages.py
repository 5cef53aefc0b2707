"""GET /v1/tables/{table}/messages: what players wrote, as far as it may be read."""

from pydantic import BaseModel, Field

from services.gateway.http.asking import Player, TableId, TheGateway


class WrittenMessage(BaseModel):
    message: str
    player: str
    text: str
    at: int = Field(description="milliseconds since the epoch at which it was delivered")


class Messages(BaseModel):
    messages: list[WrittenMessage]


async def list_messages(table: TableId, _: Player, gateway: TheGateway) -> Messages:
    """The last fifty that were delivered; what is withheld while a hand runs is not among them."""
    known = gateway.known_table(table)
    return Messages(messages=[WrittenMessage(**each) for each in gateway.messages(known)])
