"""GET /v1/tables: the lobby, for everybody."""

from pydantic import BaseModel

from services.gateway.http.asking import TheGateway
from services.gateway.views.lobby import lobby_row


class LobbyRow(BaseModel):
    """Amounts in minor units of `currency`."""

    table: str
    name: str
    status: str
    rulebook: str | None
    structure: str | None
    currency: str | None
    kind: str | None
    small_blind: int | None
    big_blind: int | None
    buy_in_min: int | None
    buy_in_max: int | None
    seats: int | None
    seats_taken: int
    hands_played: int
    game: str
    demo: bool
    tournament: str | None
    limits: dict[str, int | None]


class Lobby(BaseModel):
    tables: list[LobbyRow]


async def list_tables(gateway: TheGateway) -> Lobby:
    """Every table that is not closed."""
    views = [entry.view for _, entry in sorted(gateway.floor.tables.held.items())]
    return Lobby(tables=[LobbyRow(**lobby_row(view)) for view in views if view.status != "closed"])
