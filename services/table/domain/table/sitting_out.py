"""Sitting out, breaks, coming back in (pt-811-2015 21, 68), and the connection as the gateway sees it."""

from libs.contracts.facts import taken
from libs.contracts.table_commands import ReportConnection, SitIn, SitOut
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import ConnectionLost, ConnectionRestored, PlayerSatIn, PlayerSatOut
from libs.decider import Rejected
from services.table.domain.table.handlers import of_sitter, of_stayer
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import AnyStory


@of_stayer
def sit_out(command: SitOut, story: AnyStory, sitter: Sitter) -> Rejected | None:
    """From the next round on; the running one is played to its end."""
    if sitter.is_out:
        return rejected(Reason.ALREADY_OUT, story.rules)
    limited = command.on_break and not story.rules.tournament  # an entrant's seat is kept whatever happens
    if limited and story.game.had_break(story, sitter):
        return rejected(Reason.HAD_BREAK, story.rules)
    if story.game.refuse_rest(story, sitter):
        return None  # the refusal is on record, and its sender reads it

    until = story.now + story.rules.timing.break_ms if limited else None
    story.tell(taken(PlayerSatOut, sitter, reason="break" if command.on_break else "player", until=until))
    story.game.seats_changed(story)
    return None


@of_stayer
def sit_in(command: SitIn, story: AnyStory, sitter: Sitter) -> Rejected | None:
    """In a game with blinds, who missed a hand waits for the big one, or freely posts one to be dealt in at once."""
    posts = command.post_big_blind and story.game.may_post(sitter)
    if not sitter.is_out and not posts:
        return rejected(Reason.ALREADY_IN, story.rules)

    story.tell(taken(PlayerSatIn, sitter, posts_big_blind=posts))
    story.game.seats_changed(story)
    return None


@of_sitter
def report_connection(command: ReportConnection, story: AnyStory, sitter: Sitter) -> Rejected | None:
    """No clock stops for it (pt-803-2015-no-draw 34); a report of what is known already changes nothing."""
    if sitter.offline == command.connected:
        kind = ConnectionRestored if command.connected else ConnectionLost
        story.tell(taken(kind, sitter))
    if command.connected:
        story.game.connected(story, sitter)
    return None
