"""Sitting out, breaks, coming back in (pt-811-2015 21, 68), and the connection as the gateway sees it."""

from libs.contracts.table_commands import ReportConnection, SitIn, SitOut
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import ConnectionLost, ConnectionRestored, PlayerSatIn, PlayerSatOut
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory


def sit_out(command: SitOut, story: AnyStory) -> Rejected | None:
    """From the next round on; the running one is played to its end."""
    sitter = story.state.sitter_of(story.by)
    if sitter is None:
        return rejected(Reason.NOT_SEATED, story.rules)
    if sitter.leaving is not None:
        return rejected(Reason.LEAVING, story.rules)
    if sitter.is_out:
        return rejected(Reason.ALREADY_OUT, story.rules)
    if story.game.refuse_rest(story, sitter):
        return None  # the refusal is on record, and its sender reads it

    story.tell(
        PlayerSatOut(
            player=sitter.player,
            seat=sitter.seat,
            reason="break" if command.on_break else "player",
            until=story.now + story.rules.timing.break_ms if command.on_break else None,
        )
    )
    story.game.seats_changed(story)
    return None


def sit_in(command: SitIn, story: AnyStory) -> Rejected | None:
    """In a game with blinds, who missed a hand waits for the big one, or freely posts one to be dealt in at once."""
    sitter = story.state.sitter_of(story.by)
    if sitter is None:
        return rejected(Reason.NOT_SEATED, story.rules)
    if sitter.leaving is not None:
        return rejected(Reason.LEAVING, story.rules)
    posts = command.post_big_blind and story.game.may_post(sitter)
    if not sitter.is_out and not posts:
        return rejected(Reason.ALREADY_IN, story.rules)

    story.tell(PlayerSatIn(player=sitter.player, seat=sitter.seat, posts_big_blind=posts))
    story.game.seats_changed(story)
    return None


def report_connection(command: ReportConnection, story: AnyStory) -> Rejected | None:
    """No clock stops for it (pt-803-2015-no-draw 34); a report of what is known already changes nothing."""
    sitter = story.state.sitter_of(command.player)
    if sitter is None:
        return rejected(Reason.NOT_SEATED, story.rules)
    if sitter.offline == command.connected:
        kind = ConnectionRestored if command.connected else ConnectionLost
        story.tell(kind(player=sitter.player, seat=sitter.seat))
    return None
