"""Cards turned up, each with what ties it to the root that was published before the first card."""

from collections.abc import Iterable

from libs.cards.card import name_of
from libs.contracts.table_events import DeckCard
from libs.sealing.deck import ShuffledCards
from libs.sealing.merkle import deck_tree


def open_cards(deck: ShuffledCards, positions: Iterable[int], leaves: int | None = None) -> list[DeckCard]:
    """Those at `positions`, in that order; this is what makes them public. `leaves`: of the tree, if not every card."""
    tree, cards = deck_tree(deck, leaves), deck.cards
    return [DeckCard(at, name_of(cards[at]), *tree.shown(at)) for at in positions]
