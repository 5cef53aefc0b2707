"""Giving a hand up: by choice, by the clock, by going away (pt-803-2015 22, 32, 35, 40)."""

from libs.contracts.no_draw_poker_events import FoldCause, HandSurrendered
from services.table.domain.games.no_draw_poker.evolve import running
from services.table.domain.games.no_draw_poker.story import NoDrawStory


def fold(story: NoDrawStory, seat: int, cause: FoldCause) -> None:
    """The ante is lost from here on, the cards go unseen to the discard corner."""
    deciding = running(story.state)
    story.tell(
        HandSurrendered(
            seat=seat,
            player=deciding.stakes[seat].player,
            actor="player" if cause in ("player", "left") else "house",
            cause=cause,
        )
    )
