"""The end of a tournament at one of its tables: the only other way by which an entrant goes (mo-97-2010 4.2)."""

from services.table.domain.table.story import AnyStory
from services.table.domain.table.tournament.events import EntrantFinished


def finish_entrants(story: AnyStory) -> None:
    """Everybody who is still in, by seat; no hand runs."""
    for seat in sorted(story.state.seats):
        entrant = story.state.seats[seat]
        story.tell(
            EntrantFinished(
                at=story.now,
                table=story.table,
                tournament=story.rules.tournament,
                reservation=entrant.reservation,
                player=entrant.player,
                seat=seat,
                chips=entrant.stack,
            )
        )
