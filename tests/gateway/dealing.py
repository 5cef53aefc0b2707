"""Hole cards on their sealed way to each player's own screen, as the gateway opens them."""

from typing import Any

from libs.cards.card import names_of
from libs.contracts.private_deals import PrivateDeal
from tests.table.play import TableUnderTest


def deal_to_everybody(gateway: Any, table: TableUnderTest) -> dict[int, tuple[str, ...]]:
    """Of the running hand, whose events were published: seat to cards."""
    hand = table.hand
    assert hand.deck is not None
    cards = {
        seat: tuple(names_of(hand.deck.cards[place] for place in each.hole)) for seat, each in hand.players.items()
    }
    for seat, hole in cards.items():
        to = PrivateDeal(table="t1", hand=hand.number, seat=seat, player=f"p{seat}", version=len(table.told), sealed="")
        gateway.floor.on_cards(to, hole)
    return cards
