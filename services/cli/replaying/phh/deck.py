"""A deck in which a record's cards come out at their places; what the record does not know is filled in."""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from libs.cards.card import DECK, Card
from libs.cards.variants import VARIANTS, Variant
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.phh.notation import Hand
from services.cli.replaying.play import stacked
from services.cli.replaying.record import NotARecord

Hole = tuple[Card | None, ...]
_TRIES = 2_000
"""How many fillings are looked at for a hand that was thrown away unseen."""


def shuffle_for(hand: Hand, order: Sequence[int], variant: Variant, burn: bool) -> Shuffle:
    """`order` holds the players (1 for `p1`) as they are dealt."""
    count = VARIANTS[variant].hole_cards
    holes = _holes(hand, order, count)
    streets = [action.cards for action in hand.actions if action.act == "deal_board"]
    free = _free([*holes.values(), *streets])
    # What the record does not know of the board may be any card that it does not name.
    known = [tuple(next(free) if card is None else card for card in street) for street in streets]
    _fill_mucked(hand, holes, [card for street in known for card in street], variant)
    return stacked([holes[player] for player in order], known, burn)


def _free(named: Sequence[Hole]) -> Iterator[Card]:
    """The cards that the record does not name. NotARecord when it names one twice."""
    if sum(len(cards) for cards in named) > len(DECK):
        raise NotARecord("there are more cards than in a deck")
    known = {card for cards in named for card in cards if card is not None}
    if len(known) != sum(card is not None for cards in named for card in cards):
        raise NotARecord("a card stands in two places")
    return iter([card for card in DECK if card not in known])


def _holes(hand: Hand, order: Sequence[int], count: int) -> dict[int, Hole]:
    """As dealt, or as shown later."""
    unknown: Hole = (None,) * count
    holes: dict[int, Hole] = dict.fromkeys(order, unknown)
    dealt: set[int] = set()
    for action in hand.actions:
        if action.act not in ("deal_hole", "sm") or not action.cards:
            continue
        if action.player not in holes or len(action.cards) != count:
            raise NotARecord(f"actions: {action.text!r} does not fit the game")
        if action.act == "deal_hole" and action.player in dealt:
            raise NotARecord(f"actions: {action.text!r} deals to the player once more")
        dealt.add(action.player)
        holes[action.player] = _both(action.player, holes[action.player], action.cards)
    return holes


def _both(player: int, dealt: Hole, shown: Hole) -> Hole:
    """What is known of the cards after both; they may be shown in another order than they were dealt."""
    if None not in dealt and None not in shown:
        if set(dealt) != set(shown):
            raise NotARecord(f"player {player} shows other cards than were dealt")
        return dealt
    return tuple(new if new is not None else old for old, new in zip(dealt, shown, strict=True))


def _fill_mucked(hand: Hand, holes: dict[int, Hole], board: list[Card], variant: Variant) -> None:
    """Who came to the showdown and showed nothing had lost: the weakest cards that are left stand in for theirs."""
    folded = {action.player for action in hand.actions if action.act == "f"}
    mucked = [player for player, hole in holes.items() if None in hole and player not in folded]
    if len(board) != 5 or len(holes) - len(folded) < 2:
        return
    for player in mucked:
        known = {card for hole in holes.values() for card in hole if card is not None} | set(board)
        free = [card for card in DECK if card not in known]
        weighed = [(VARIANTS[variant].strength(hole, board), hole) for hole in _fillings(holes[player], free)]
        holes[player] = max(weighed)[1]


def _fillings(hole: Hole, free: list[Card]) -> Iterator[tuple[Card, ...]]:
    kept = tuple(card for card in hole if card is not None)
    for rest in islice(combinations(free, len(hole) - len(kept)), _TRIES):
        yield (*kept, *rest)
