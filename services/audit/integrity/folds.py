"""Folds at a price at which nobody gives up what lies in the pot: judged by the price, whatever the stack (11.e)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from sys import intern
from typing import NamedTuple

from services.audit.integrity.acts import PlayedHand
from services.audit.integrity.cases import HandId

LARGE_BIG_BLINDS = 25
"""Put in by one; in a pot between two that is one of 50."""
SHORT_BP = 7_500
SHORT_BIG_BLINDS = 5
"""Or so much of the stack, where that is short."""
ALONE_ODDS = 15
ALONE_BIG_BLINDS = 50
"""Of 10,000 hands of Pluribus with professionals the best price refused by anybody of whom so much lay there is 11."""


class Bound(NamedTuple):
    odds: int
    """What lies there that one might win, at least so many times what is to be called."""
    half: bool
    """Half of the stack lies there."""
    times: int
    of_several: int
    """As `times`, of several who folded to one."""
    one_in: int
    """Of the large pots between the two (or of who won): who plays many of them has to fold in some."""


BOUNDS = (Bound(6, False, 3, 5, 10), Bound(3, True, 6, 10, 5))
"""Of 462 large pots in those hands two were folded at the first price, ten at the second, by nobody more than two to
the same. So of two who fold like them and play up to thirty large pots in a month one passes a bound once in 25,000
times at the most; of two who fold so five times as often, once in 200."""


class Fold(NamedTuple):
    """Amounts in minor units."""

    hand: HandId
    loser: str
    winner: str
    sitting: str
    stack: int
    stake: int
    pot: int
    """Of what lies there what the one who folded might win: of nobody more than his own stack."""
    call: int
    alone: bool
    by_house: bool = False
    """The clock folded, or the player left."""

    def within(self, bound: Bound) -> bool:
        """Nothing to call: the best price."""
        return self.pot >= bound.odds * max(1, self.call) and (not bound.half or 2 * self.stake >= self.stack)


class LargePots:
    """How many there were, by pair and by player: those in which one lost to the other as much as makes a fold large.

    Each of them is raked, so that they are a dear thing to hide folds with.
    """

    def __init__(self) -> None:
        self.pairs = Counter[tuple[str, str]]()
        self.players = Counter[str]()

    def note(self, hand: PlayedHand) -> None:
        won = [intern(hand.players[seat]) for seat, net in hand.nets.items() if net > 0]
        lost = [intern(hand.players[seat]) for seat, net in hand.nets.items() if _large(hand, seat, -net)]
        for pair in ((loser, winner) for loser in lost for winner in won):
            self.pairs[pair if pair[0] < pair[1] else pair[::-1]] += 1
        if won and lost:
            self.players.update((*won, *lost))


def cheap_folds(hand: PlayedHand) -> Iterator[Fold]:
    """Those within a bound, also where more than two are left: then the winner is who won most in the end."""
    left, put = set(hand.players), Counter[int]()
    for act in hand.acts:
        seat = act.seat
        if act.action == "fold" and len(left) > 1:
            left = left - {seat}
            stack, stake = hand.stacks.get(seat, 0), put[seat]
            if _large(hand, seat, stake) and not act.taken_out:
                most = max(hand.nets, key=lambda each: hand.nets[each], default=seat)
                winner = next(iter(left)) if len(left) == 1 else most
                lies = {each: min(amount, stack) for each, amount in put.items()}
                pot, call = sum(lies.values()), max(0, *(lies.get(each, 0) - stake for each in left))
                # The house folds for whoever leaves, also where nothing is to be called.
                # A line that drops in such a pot is bad luck once; three times it counts like any other fold.
                own = (call > 0 or not act.by_house) and not act.offline
                alone = own and stake >= ALONE_BIG_BLINDS * hand.big_blind and pot >= ALONE_ODDS * call
                who = (intern(hand.players[seat]), intern(hand.players[winner]), intern(hand.sittings.get(seat, "")))
                fold = Fold((intern(hand.id[0]), hand.id[1]), *who, stack, stake, pot, call, alone, act.by_house)
                if winner != seat and any(fold.within(bound) for bound in BOUNDS):
                    yield fold
        put[seat] += -act.amount if act.action == "uncalled_returned" else act.amount


def _large(hand: PlayedHand, seat: int, amount: int) -> bool:
    if amount >= LARGE_BIG_BLINDS * hand.big_blind:
        return amount > 0
    short = amount * 10_000 >= SHORT_BP * hand.stacks.get(seat, 0)
    return short and amount >= SHORT_BIG_BLINDS * hand.big_blind


def too_many(folds: Sequence[Fold], large_pots: int, *, of_several: bool = False) -> list[Fold]:
    """Those within a bound that they are beyond; or none. `large_pots`: of all, whoever lost them."""
    told: dict[Fold, None] = {}
    for bound in BOUNDS:
        within = [fold for fold in folds if fold.within(bound)]
        if (
            len(within) >= (bound.of_several if of_several else bound.times)
            and len(within) * bound.one_in >= large_pots
        ):
            told |= dict.fromkeys(within)
    return [fold for fold in folds if fold in told]
