"""A player leaves: a pending top-up fails, and the stack is sent home, once."""

from libs.contracts.table_events import LeaveReason, PlayerLeft, TopUpFailed
from services.table.domain.table.story import AnyStory


def send_home(story: AnyStory, seat: int, reason: LeaveReason) -> None:
    """The seat is free from here on; never called while the running round has a claim on the player."""
    assert not story.rules.tournament, "its own tournament takes an entrant off (mo-97-2010 4.2)"
    sitter = story.state.seats[seat]
    if sitter.top_up is not None:
        story.tell(
            TopUpFailed(
                top_up=sitter.top_up.id,
                reservation=sitter.reservation,
                player=sitter.player,
                seat=seat,
                currency=story.rules.currency,
                reason="table_closing" if reason == "table_closed" else "left",
            )
        )
    story.tell(
        PlayerLeft(
            reservation=sitter.reservation,
            player=sitter.player,
            seat=seat,
            stack=sitter.stack,
            currency=story.rules.currency,
            reason=reason,
        )
    )
