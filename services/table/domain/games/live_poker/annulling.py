"""A hand is taken from a player by the house: withdrawn, annulled, barred. The bets stay in the pot."""

from typing import Literal

from libs.contracts.poker_events import PlayerFolded
from services.table.domain.games.live_poker.state import LiveStory
from services.table.domain.games.poker.state import Hand


def take_out(story: LiveStory, seat: int, reason: Literal["withdrawn", "annulled", "barred"]) -> None:
    """The cards go to the dealer unseen."""
    hand = story.state.hand
    assert hand is not None
    sitter = story.state.seats.get(seat)
    story.tell(
        PlayerFolded(
            seat=seat,
            player=hand.players[seat].player,
            actor="house",
            reason=reason,
            time_bank_left=sitter.time_bank if sitter is not None else 0,
        )
    )


def ownerless(hand: Hand, out: tuple[int, ...]) -> bool:
    """Whether money would be left that no live hand can win, once the seats `out` have none (71.g)."""
    left = [player for player in hand.alive if player.seat not in out]
    if not left:
        return True
    if any(not player.all_in for player in left):
        return False  # they may still match it
    claimed = max(player.committed for player in left)
    return any(hand.players[seat].committed > claimed for seat in out)
