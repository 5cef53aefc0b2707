"""GET /v1/tables/{table}/information: rules, bets, gains and losses, and how to complain, in one step (rule 66)."""

from pydantic import BaseModel, Field, ValidationError

from libs.edge.problems import Problem
from services.gateway.http.asking import Player, TableId, TheGateway
from services.gateway.http.get_rules import PublishedRules
from services.gateway.views.lobby import published_rules
from services.gateway.views.session_so_far import Session, last_session, session_so_far, sessions_in


class Information(BaseModel):
    """Amounts in minor units. `staked_now` is what the player has in the running hand or round."""

    rules: PublishedRules
    staked_now: int
    session: Session | None = Field(description="the running session; null when none runs")
    last_session: Session | None = Field(description="the latest session, also when it is over")
    session_known: bool = Field(description="false while the books can't be read; all the rest is there")
    complaints: str


async def get_information(table: TableId, player: Player, gateway: TheGateway) -> Information:
    """Always available, also in the middle of a hand."""
    view = gateway.floor.tables.view(table)
    if view is None:
        raise Problem(404, "unknown-table", "There is no such table.")
    sessions, known = await _sessions(gateway, player.player)
    return Information(
        rules=PublishedRules(**published_rules(view), complaints=gateway.complaints),
        staked_now=view.staked_by(player.player),
        session=session_so_far(sessions),
        last_session=last_session(sessions),
        session_known=known,
        complaints=gateway.complaints,
    )


async def _sessions(gateway: TheGateway, player: str) -> tuple[list[Session], bool]:
    try:
        return sessions_in(await gateway.wallet.statements(player)), True
    except (Problem, ValidationError):
        return [], False
