"""Who comes next: turns within a round, the order of showing, clockwise counting."""

from bisect import bisect
from collections.abc import Iterable

from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.state import Hand, InHand


def clockwise_after(seats: Iterable[int], seat: int) -> list[int]:
    """The seats starting with the next higher number after `seat`, wrapping round; `seat` itself comes last."""
    ordered = sorted(seats)
    place = bisect(ordered, seat)
    return ordered[place:] + ordered[:place]


def lies_between(seat: int, start: int, end: int) -> bool:
    """Whether one comes to `seat` after `start` and before `end`, clockwise."""
    return start < seat < end or (end < start and not end <= seat <= start)


def next_to_decide(hand: Hand) -> InHand | None:
    """Whose decision comes next in this round, or None when the round is closed (pt-811-2015 40, 54)."""
    players, bet = hand.players, hand.bet
    waited_for: InHand | None = None
    able = 0
    for seat in hand.after(hand.last_actor):
        player = players[seat]
        if player.folded or player.all_in:
            continue
        able += 1
        if waited_for is None:
            if player.answered is not None and player.in_round >= bet:
                continue
            waited_for = player
        if able > 1:
            return waited_for
    # The whole big blind is owed when its poster had less, but only to somebody who can still win it.
    if waited_for is not None and any(other.in_round > waited_for.in_round for other in players.values()):
        return waited_for
    return None


def is_even(hand: Hand) -> bool:
    """Who is still in and has chips left has put the same into the round as the others (pt-217-2007 48)."""
    return len({each.in_round for each in hand.players.values() if not each.folded and not each.all_in}) < 2


def order_of_showing(hand: Hand, rules: PokerConfiguration) -> list[InHand]:
    """Clockwise from the last to bet or raise in the last round (pt-811-2015 59, mo-97-2010 8.5) or from who opened it.

    Without one, from the left of the button. An opener who has folded gives way to the next (pt-217-2007 62).
    """
    if rules.dealing.showing == "round_opener":
        before = hand.button if hand.opener is None else _before(hand, hand.opener)
        return [player for seat in clockwise_after(hand.order, before) if not (player := hand.players[seat]).folded]
    alive = hand.alive
    first = next((i for i, player in enumerate(alive) if player.seat == hand.last_aggressor), 0)
    return alive[first:] + alive[:first]


def _before(hand: Hand, seat: int) -> int:
    return hand.order[hand.order.index(seat) - 1]
