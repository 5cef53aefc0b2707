"""The first word of a live hand: which deck, who deals, and whose blind is missing."""

from libs.contracts.live_events import LiveDealOpened
from services.table.domain.games.poker.live.commands import DealHand
from services.table.domain.games.poker.story import PokerStory


def open_live_deal(story: PokerStory, command: DealHand) -> None:
    hand = story.state.hand
    assert hand is not None
    blinds = (hand.small_blind, hand.big_blind)
    story.tell(
        LiveDealOpened(
            pack=command.deck,
            dealer=command.principal_id,
            unposted=[seat for seat in command.unposted if seat in blinds],
        )
    )
