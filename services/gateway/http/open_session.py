"""POST /v1/sessions: the operator platform has checked who somebody is and opens a session."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from libs.contracts.commands import ID
from services.gateway.http.asking import Operator, TheGateway


class NewSession(BaseModel):
    """`last_login` (ms since the epoch) is the operator's word; without it, what this gateway remembers."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"player": "alice"}]})

    player: Annotated[str, Field(min_length=1, max_length=64, pattern=f"^{ID}$")]
    last_login: int | None = Field(default=None, ge=0)


class OpenedSession(BaseModel):
    token: str = Field(repr=False, description="bearer token of the player")
    session: str
    player: str
    started: int = Field(description="milliseconds since the epoch, UTC")
    expires: int
    last_login: int | None


async def open_session(wish: NewSession, _: Operator, gateway: TheGateway) -> OpenedSession:
    """Operator only. The token is signed and expires; it is valid at every gateway and over restarts."""
    token, session = gateway.sessions.open(wish.player, gateway.now(), wish.last_login)
    return OpenedSession(
        token=token,
        session=session.id,
        player=session.player,
        started=session.started,
        expires=session.expires,
        last_login=session.last_login,
    )
