"""When the house itself stood still: one rule for all games.

Nobody's time runs out while the house stands still (reading of pt-811-2015 45): after it a clock begins anew.
"""

from libs.contracts.commands import OUTAGE_MS
from services.table.domain.table.story import AnyStory


def ran_out(story: AnyStory, due: int | None) -> bool:
    """Whether a player's time is over for a command that no wake came before.

    Not where it has lain for long: then the house stood still, and the wake that is on its way begins it anew.
    """
    return due is not None and 0 <= story.now - due <= OUTAGE_MS


def left_for_good(story: AnyStory, due: int | None) -> bool:
    """Whether a round's clock has lain for as long as the rulebook lets a round wait for the house.

    It is void, whatever comes first, a command or the wake (pt-803-2015 33, pt-811-2015 72, pt-812-2015 29).
    """
    limit = story.rules.timing.resume_ms
    return due is not None and limit is not None and story.now - due >= limit
