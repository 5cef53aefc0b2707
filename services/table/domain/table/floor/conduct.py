"""Measures against players who disturb: warning, muting, removal (pt-811-2015 11.g; pt-217-2007 58)."""

from libs.contracts.floor_commands import MutePlayer, WarnPlayer
from libs.contracts.floor_events import ConductWarned, PlayerMuted
from libs.contracts.table_commands import TableReason as AtTable
from libs.contracts.table_events import LeaveRequested
from libs.decider import Rejected
from services.table.domain.table.departing import send_home
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import AnyStory

SLOW_PLAY = "71.a"


def warn_player(command: WarnPlayer, story: AnyStory) -> Rejected | None:
    sitter = story.state.sitter_of(command.player)
    if sitter is None:
        return rejected(AtTable.NOT_SEATED, story.rules)
    count = story.state.floor.warnings.get(command.player, 0) + 1
    story.tell(
        ConductWarned(
            player=command.player,
            rule=command.rule,
            cause=command.cause,
            by=story.by,
            count=count,
            grave=command.grave,
        )
    )
    limit = story.rules.conduct.warning_limit
    if command.grave or (limit and count >= limit):
        dismiss(story, sitter, "conduct", story.by)
    return None


def mute_player(command: MutePlayer, story: AnyStory) -> Rejected | None:
    if story.state.sitter_of(command.player) is None:
        return rejected(AtTable.NOT_SEATED, story.rules)
    story.tell(PlayerMuted(player=command.player, by=story.by, cause=command.cause))
    return None


def warn_slow_play(story: AnyStory, sitter: Sitter) -> bool:
    """A decision time ran out (pt-217-2007 71.a): warned, and out at the limit. False: no warnings here."""
    limit = story.rules.conduct.slow_warning_limit
    if not limit or sitter.leaving is not None:
        return False
    count = story.state.floor.slow.get(sitter.player, 0) + 1
    story.tell(
        ConductWarned(
            player=sitter.player,
            rule=SLOW_PLAY,
            cause="slow_play",
            by="house",
            count=count,
        )
    )
    if count >= limit:
        dismiss(story, sitter, "slow_play", "house")
    return True


def dismiss(story: AnyStory, sitter: Sitter, cause: str, by: str) -> None:
    """Out when the round is over, with the whole stack; a hand is never void for it."""
    if story.rules.tournament:
        return  # mo-97-2010 4.2: chips stay; the tournament reads the warning and decides
    if sitter.leaving is None:
        story.tell(
            LeaveRequested(
                player=sitter.player,
                seat=sitter.seat,
                reason="removed",
                by=by,
                cause=cause,
            )
        )
    if not story.state.is_bound(sitter) and not story.state.in_round:
        send_home(story, sitter.seat, "removed")
        story.game.seats_changed(story)
