"""Cards turned up, each with what ties it to the root that was published before the first card."""

from collections.abc import Iterable

import msgspec

from libs.cards.card import name_of
from libs.sealing.deck import ShuffledCards
from libs.sealing.merkle import deck_tree


class OpenCard(msgspec.Struct, frozen=True):
    """`salt` and the audit path `proof` are hexadecimal, nearest sibling first (libs/sealing/merkle.py)."""

    position: int
    card: str
    salt: str
    proof: list[str]


def open_cards(deck: ShuffledCards, positions: Iterable[int]) -> list[OpenCard]:
    """Those at `positions`, in that order; this is what makes them public."""
    tree, cards = deck_tree(deck), deck.cards
    return [
        OpenCard(at, name_of(cards[at]), tree.salt(at).hex(), [step.hex() for step in tree.proof(at)])
        for at in positions
    ]
