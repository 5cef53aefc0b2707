"""GET /v1/session: since when, how long already, and when last before (compliance GAM-15)."""

from pydantic import BaseModel, Field

from services.gateway.http.asking import Player, TheGateway


class SessionClock(BaseModel):
    session: str
    player: str
    started: int = Field(description="milliseconds since the epoch, UTC")
    expires: int
    elapsed_ms: int
    last_login: int | None


async def get_session(player: Player, gateway: TheGateway) -> SessionClock:
    """The session clock of the player who asks."""
    return SessionClock(
        session=player.id,
        player=player.player,
        started=player.started,
        expires=player.expires,
        elapsed_ms=max(0, gateway.now() - player.started),
        last_login=player.last_login,
    )
