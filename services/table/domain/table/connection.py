"""A seated player's connection as the gateway sees it; no clock stops for it (pt-803-2015-no-draw 34)."""

from libs.contracts.table_commands import ReportConnection
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import ConnectionLost, ConnectionRestored
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory


def report_connection(command: ReportConnection, story: AnyStory) -> Rejected | None:
    """A report of what is known already changes nothing."""
    sitter = story.state.sitter_of(command.player)
    if sitter is None:
        return rejected(Reason.NOT_SEATED, story.rules)
    if sitter.offline == command.connected:
        kind = ConnectionRestored if command.connected else ConnectionLost
        story.tell(kind(player=sitter.player, seat=sitter.seat))
    return None
