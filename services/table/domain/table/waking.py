"""What a table does when a timer wakes it: everything that is due by now, which may be nothing."""

from libs.contracts.table_commands import WakeTable
from services.table.domain.table.floor.due import wake_floor
from services.table.domain.table.seating import lapse_due, tell_released
from services.table.domain.table.story import AnyStory


def wake_table(command: WakeTable, story: AnyStory) -> None:
    """Reservations that lapsed first, then whatever the game has waiting."""
    for reserved in list(story.state.reserved.values()):
        if lapse_due(reserved) <= story.now:
            tell_released(story, reserved, "lapsed")
    if wake_floor(story):
        return  # lots were drawn: what the game draws comes with a wake and an order of its own
    story.game.wake(story, command.outage, command.down_since)
