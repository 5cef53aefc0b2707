"""GET /v1/tables/{table}/information: rules, bets, gains and losses, and how to complain, in one step (rule 66)."""

from pydantic import BaseModel, Field, ValidationError

from libs.edge.problems import Problem
from services.gateway.http.asking import Player, TableId, TheGateway
from services.gateway.http.get_rules import PublishedRules
from services.gateway.views.lobby import published_rules
from services.gateway.views.session_so_far import Session, session_so_far


class Information(BaseModel):
    """Amounts in minor units. `staked_now` is what the player has in the running hand."""

    rules: PublishedRules
    staked_now: int
    session: Session | None = Field(description="the running session; null when none runs")
    session_known: bool = Field(description="false while the books can't be read; all the rest is there")
    complaints: str


async def get_information(table: TableId, player: Player, gateway: TheGateway) -> Information:
    """Always available, also in the middle of a hand."""
    view = gateway.floor.tables.view(table)
    if view is None:
        raise Problem(404, "unknown-table", "There is no such table.")
    hand = view.hand if view.hand is not None and not view.hand.over else None
    staked = sum(seat.staked for seat in hand.seats.values() if seat.player == player.player) if hand else 0
    session, known = await _session(gateway, player.player)
    return Information(
        rules=PublishedRules(**published_rules(view)),
        staked_now=staked,
        session=session,
        session_known=known,
        complaints=gateway.complaints,
    )


async def _session(gateway: TheGateway, player: str) -> tuple[Session | None, bool]:
    try:
        return session_so_far(await gateway.wallet.statements(player)), True
    except (Problem, ValidationError):
        return None, False
