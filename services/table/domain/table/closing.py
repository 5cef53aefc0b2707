"""Closing a table: the running round is finished first; nobody new comes in."""

from libs.contracts.table_commands import CloseTable
from libs.contracts.table_events import SeatReleased, TableClosed, TableClosing
from libs.decider import Rejected
from services.table.domain.table.bank.opening import close_bank
from services.table.domain.table.departing import send_home
from services.table.domain.table.story import AnyStory
from services.table.domain.table.tournament.finishing import finish_entrants


def close_table(command: CloseTable, story: AnyStory) -> Rejected | None:
    begin_closing(story, story.by, command.reason)
    finish_closing(story)
    return None


def begin_closing(story: AnyStory, by: str, reason: str) -> None:
    """`by`: staff, or `house`."""
    story.tell(TableClosing(by=by, reason=reason))
    for reserved in list(story.state.reserved.values()):
        story.tell(
            SeatReleased(
                reservation=reserved.reservation,
                player=reserved.player,
                seat=reserved.seat,
                currency=story.rules.currency,
                reason="table_closing",
            )
        )


def finish_closing(story: AnyStory) -> None:
    """Once no round runs everybody and the bank go home and the table is closed."""
    if story.state.status != "closing" or story.state.in_round:
        return
    if story.rules.tournament:
        finish_entrants(story)
    for seat in sorted(story.state.seats):
        send_home(story, seat, "table_closed")
    close_bank(story)
    story.tell(TableClosed())
