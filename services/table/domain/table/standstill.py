"""When the house itself stood still: one rule for all games.

Nobody's time runs out while the house stands still (reading of pt-811-2015 45): after it a clock begins anew. And what
it interrupted for too long is void. From when to when it stood still is what its signs of life tell (`Given.stood`),
so command and wake judge alike, whichever comes first.
"""

from services.table.domain.table.story import AnyStory


def stood_through(story: AnyStory, due: int | None) -> bool:
    """Whether the house stood still when that moment came."""
    stood = story.stood
    return due is not None and stood is not None and stood.since <= due <= stood.until


def ran_out(story: AnyStory, due: int | None, outage: bool = False) -> bool:
    """Whether a player's time is over. Else, though it is due, it begins anew with the wake. `outage`: as the wake."""
    return story.is_due(due) and not outage and not stood_through(story, due)


def interrupted(story: AnyStory, due: int | None) -> bool:
    """Whether the running round was interrupted for as long as the rulebook lets it wait, and is void, whatever comes
    first, a command or the wake (pt-803-2015 33, pt-811-2015 72, pt-812-2015 29, pt-217-2007 FP-4, mo-97-2010 9.2).

    The interruption is from the last sign of life to the moment in which the house is back. Where that is not known, a
    deadline that nobody has seen to for as long proves one: `due`, the end of the round's clock.
    """
    limit: int | None = story.rules.timing.resume_ms
    moved_at, stood = story.game.moved_at(story.state), story.stood if _is_known(story) else None
    if moved_at is None or limit is None:
        return False
    if stood is not None and moved_at <= stood.since:
        return stood.until - stood.since >= limit
    return due is not None and story.now - due >= limit


def _is_known(story: AnyStory) -> bool:
    return story.stood is not None and story.stood.is_known
