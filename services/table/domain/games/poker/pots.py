"""Main and side pots as layers of what the players put in (pt-811-2015 41, 42, 63; mo-97-2010 10.2)."""

from dataclasses import dataclass

from services.table.domain.games.poker.state import Hand


@dataclass(frozen=True, slots=True)
class Pot:
    name: str
    """main, side_1, side_2 …"""
    amount: int
    eligible: tuple[int, ...]
    """Seats with a claim, ascending."""


def pots_of(hand: Hand) -> list[Pot]:
    """One layer per different amount among players still in; folded money is money, not a claim. Dead money is main."""
    stakes = [player.committed + player.waived for player in hand.players.values()]
    waived = [player.waived for player in hand.players.values() if player.waived]
    alive = sorted([(player.seat, player.committed + player.waived) for player in hand.alive])
    pots: list[Pot] = []
    dead, below = sum([player.dead for player in hand.players.values()]), 0
    for level in sorted({committed for _, committed in alive}):
        up_to_here = dead + _up_to(level, stakes) - _up_to(level, waived)
        eligible = tuple([seat for seat, committed in alive if committed >= level])
        pots.append(Pot("main" if not pots else f"side_{len(pots)}", up_to_here - below, eligible))
        below = up_to_here
    assert below == hand.pot, "layers hold the whole pot"
    return pots


def _up_to(level: int, stakes: list[int]) -> int:
    """What of the stakes lies below a level."""
    return sum([min(stake, level) for stake in stakes])


def uncalled(hand: Hand) -> tuple[int, int] | None:
    """Seat and part of its bet of this round that nobody matched (pt-811-2015 2.o, 40), or None."""
    stakes = sorted(((player.in_round, seat) for seat, player in hand.players.items()), reverse=True)
    (highest, seat), (second, _) = stakes[0], stakes[1]
    excess = min(highest - second, hand.players[seat].committed)  # pt-217-2007 91: a blind that was never put in
    return (seat, excess) if excess > 0 else None
