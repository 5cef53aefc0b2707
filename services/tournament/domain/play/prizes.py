"""The pool, what each place gets of it, and every division of cents (pt-810-2015 32 to 34, 50, 51, FP-11, FP-18)."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec

from services.tournament.domain.play.ranking import Places

Key = TypeVar("Key")


class Prize(msgspec.Struct, frozen=True):
    """Of one place or one player: money, or a ticket and what it is worth. Cents."""

    money: int = 0
    ticket: int = 0
    """The full buy-in of the target; 0: none."""


class Pool(msgspec.Struct, frozen=True):
    collected: int
    """Prize parts of entries, rebuys and add-ons, cents."""
    added: int
    """By the operator, up to the guarantee (FP-18)."""

    @property
    def total(self) -> int:
        return self.collected + self.added


def pool_of(prize_parts: Sequence[int], guarantee: int = 0) -> Pool:
    collected = sum(prize_parts)
    return Pool(collected, max(0, guarantee - collected))


def by_percentages(pool: int, shares: Sequence[int]) -> list[Prize]:
    """By place, best first: down to the cent, the rest to place 1 (34, FP-11). `shares` add up to the whole."""
    amounts = [pool * share // sum(shares) for share in shares]
    amounts[0] += pool - sum(amounts)
    return [Prize(amount) for amount in amounts]


def satellite(pool: int, ticket: int, entries: int) -> list[Prize]:
    """As many tickets as the pool buys, the rest in money to the next place (32).

    There are no more paid places than entries (FP-18): what is over then goes to place 1.
    """
    tickets = min(pool // ticket, entries)
    rest = pool - tickets * ticket
    if tickets == entries:
        return [Prize(rest, ticket), *[Prize(ticket=ticket)] * (tickets - 1)]
    return [Prize(ticket=ticket)] * tickets + [Prize(rest)] * (rest > 0)


def prizes_of(places: Mapping[str, Places], ladder: Sequence[Prize], order: Sequence[str]) -> dict[str, Prize]:
    """What each of these entries wins. `ladder`: by place; beyond it nothing. `order`: of registration (FP-11).

    Who is tied shares the prizes of all tied places; a ticket can't be divided and is shared as money, unless everybody
    gets the same (51).
    """
    won: dict[str, Prize] = {}
    tied_in: dict[Places, list[str]] = {}
    for entry in order:
        if entry in places:
            tied_in.setdefault(places[entry], []).append(entry)
    for tied, who in sorted(tied_in.items()):
        prizes = [ladder[place - 1] if place <= len(ladder) else Prize() for place in range(tied.first, tied.last + 1)]
        if len(set(prizes)) == 1:
            won |= dict.fromkeys(who, prizes[0])
        else:
            shared = split(sum(prize.money + prize.ticket for prize in prizes), who)
            won |= {entry: Prize(money) for entry, money in shared.items()}
    return won


def split(amount: int, order: Sequence[Key]) -> dict[Key, int]:
    """In equal parts: down to the cent, leftover cents one each in order of registration (FP-11)."""
    each, left = divmod(amount, len(order))
    return {who: each + (number < left) for number, who in enumerate(order)}


def in_proportion(amount: int, weights: Mapping[Key, int], order: Sequence[Key]) -> dict[Key, int]:
    """Down to the cent, leftover cents by largest fraction, ties to the earlier registration (36.b, FP-11)."""
    whole = sum(weights.values())
    exact = {who: divmod(amount * weights[who], whole) for who in order}
    left = amount - sum(cents for cents, _ in exact.values())
    luckiest = set(sorted(order, key=lambda who: -exact[who][1])[:left])  # a stable sort: the order decides ties
    return {who: cents + (who in luckiest) for who, (cents, _) in exact.items()}
