"""Cards of the running hand: which positions go where, and which cards lie there."""

from collections.abc import Sequence

from libs.cards.card import DECK_SIZE, Card
from libs.cards.variants import VARIANTS
from libs.contracts.poker_events import Deal
from libs.contracts.table_events import DeckCard
from libs.sealing.deck import Deck
from services.table.domain.games.game import open_cards
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.order import clockwise_after
from services.table.domain.games.poker.state import Hand


def in_play(deck: Deck, rules: PokerConfiguration) -> Deck:
    """The deck with the cards that the game leaves out laid under the others, which keep their order."""
    game = VARIANTS[rules.variant]
    if len(game.deck) == len(deck.cards):
        return deck
    kept = [card for card in deck.cards if card in game.deck]
    left_out = [card for card in deck.cards if card not in game.deck]
    return Deck.of([*kept, *left_out], deck.salt_secret, deck.data_key)


def leaves_for(players: int, rules: PokerConfiguration) -> int:
    """Leaves of the tree that commits to the deck: a card that cannot come any more needs none of its own.

    A human dealer's pack lies as it lies: there every card can come.
    """
    if rules.live:
        return DECK_SIZE
    game = VARIANTS[rules.variant]
    coming = players * game.hole_cards + sum([cards + rules.dealing.burn_before_board for _, cards in game.board])
    return min(coming + 1, DECK_SIZE)


def deals_of(hand: Hand, rules: PokerConfiguration) -> list[Deal]:
    """One card at a time, clockwise, a lap for each hole card (pt-811-2015 49, 50; mo-97-2010 6.1)."""
    seats = dealing_order(hand, rules)
    players, dealt = len(seats), len(seats) * VARIANTS[rules.variant].hole_cards
    return [Deal(seat, [*range(place, dealt, players)]) for place, seat in enumerate(seats)]


def dealing_order(hand: Hand, rules: PokerConfiguration) -> list[int]:
    """From the small blind (pt-811-2015 49) or from the left of the button (mo-97-2010 3.2)."""
    if rules.dealing.deal_from == "left_of_button":
        return clockwise_after(hand.order, hand.button)
    return [hand.small_blind, *clockwise_after(hand.order, hand.small_blind)[:-1]]


def cards_at(hand: Hand, positions: Sequence[int]) -> tuple[Card, ...]:
    assert hand.deck is not None, "a running hand has its deck"
    cards = hand.deck.cards
    return tuple(cards[position] for position in positions)


def shown(hand: Hand, positions: Sequence[int]) -> list[DeckCard]:
    """The cards in the open, each with what ties it to the root published before the first card."""
    assert hand.deck is not None
    return open_cards(hand.deck, positions, hand.leaves)
