"""The right to rest: two hands with the seat kept, not again and again, and out after three (pt-217-2007 13)."""

from libs.contracts.conduct_events import ConductWarned
from libs.contracts.poker_events import RestRefused
from services.table.domain.games.poker.state import PokerSitter
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.departing import send_home


def refuse_rest(story: PokerStory, sitter: PokerSitter) -> bool:
    """True when the player has rested too often in this game: refused, and a warning."""
    rests, limit = story.state.conduct.rests.get(sitter.player, 0), story.rules.timing.rest_repeat_limit
    if not limit or rests < limit:
        return False
    story.tell(RestRefused(player=sitter.player, seat=sitter.seat, rests=rests))
    story.tell(
        ConductWarned(
            player=sitter.player,
            rule="13",
            cause="rests again and again",
            by="house",
            count=story.state.conduct.warnings.get(sitter.player, 0) + 1,
        )
    )
    return True


def end_rests(story: PokerStory) -> None:
    """After a hand: who has not been dealt in for as many as the limit has to leave, with the whole stack."""
    limit = story.rules.timing.sit_out_limit
    for seat in sorted(story.state.seats) if limit else ():
        if story.state.seats[seat].absent >= limit:
            send_home(story, seat, "inactivity")
