"""The end of a tournament at one of its tables: the only other way by which an entrant goes (mo-97-2010 4.2)."""

from libs.contracts.tournament_events import EntrantFinished
from services.table.domain.table.story import AnyStory


def finish_entrants(story: AnyStory) -> None:
    """Everybody who is still in, by seat; no hand runs."""
    for seat in sorted(story.state.seats):
        entrant = story.state.seats[seat]
        story.tell(
            EntrantFinished(
                tournament=story.rules.tournament,
                reservation=entrant.reservation,
                player=entrant.player,
                seat=seat,
                chips=entrant.stack,
            )
        )
