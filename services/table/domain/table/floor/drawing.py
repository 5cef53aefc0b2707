"""Drawing lots: seats among players, tables by suits (pt-217-2007 11, 12.b, 25, 27). Pure functions of one shuffle."""

from collections.abc import Collection, Sequence

from libs.sealing.shuffle import Shuffle

SUITS = "shdc"


def order_by_lot(count: int, fresh: Shuffle) -> list[int]:
    """A uniform order of the numbers below `count`, at most 52."""
    return [card for card in fresh.deck.cards if card < count]


def seats_by_lot(
    players: Sequence[str], first: Collection[str], free: Sequence[int], fresh: Shuffle
) -> tuple[list[tuple[str, int]], list[str]]:
    """Who sits where, and who waits. `first` are drawn before the others get a chance (pt-217-2007 27).

    Seats are a lot of their own: `seat_order` says in which order the free ones are filled.
    """
    order = order_by_lot(len(players), fresh)
    preferred = [players[number] for number in order if players[number] in first]
    others = [players[number] for number in order if players[number] not in first]
    drawn = [*preferred, *others][: len(free)]
    seats = [seat for seat in fresh.seat_order if seat in free]
    waiting = [player for player in players if player not in drawn]
    return list(zip(drawn, seats, strict=False)), waiting


def tables_by_suit(players: Sequence[str], tables: Sequence[str], fresh: Shuffle) -> list[tuple[str, str, str]]:
    """Player, suit and table: the pack holds as many cards of a suit as its table is to get, sizes within one."""
    pack = [number % len(tables) for number in range(len(players))]
    order = order_by_lot(len(players), fresh)
    return [(player, SUITS[pack[card]], tables[pack[card]]) for player, card in zip(players, order, strict=True)]


def in_turn(tied: Sequence[str], fresh: Shuffle) -> list[str]:
    """Players who asked in the same millisecond, in an order by lot (pt-217-2007 12.b)."""
    order = [seat - 1 for seat in fresh.seat_order if seat <= len(tied)]
    return [*(tied[number] for number in order), *tied[len(order) :]]
