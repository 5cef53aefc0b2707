"""What is put in before the cards, as PHH notes it: blinds, antes, a straddle, and posts of who was away or is new."""

from dataclasses import dataclass

from services.cli.replaying.phh.notation import Hand, NotDealt


@dataclass(frozen=True, slots=True)
class Forced:
    """Places count the players from 0. Amounts are whole units."""

    small: int
    big: int
    small_place: int
    big_place: int
    straddle: int
    late: tuple[int, ...]
    """Places from which a live big blind is posted."""
    ante: int
    big_blind_ante: int
    dead: tuple[int, ...]
    """Of each place, the small blind that is paid beside, and counts for nothing."""


def forced_of(hand: Hand, stacks: tuple[int, ...]) -> Forced:
    """NotDealt for a way of posting that the house does not have."""
    posts = hand.units(hand.noted.blinds_or_straddles)
    if not posts:
        raise NotDealt("blinds other than a small and a big one")
    small, big, *others = posts
    small_place, big_place = (len(posts) - 1, 0) if len(posts) == 2 else (0, 1)
    if others and small > 0 == big:
        small, big, small_place, big_place = 0, small, 0, 0  # nobody sat where the small blind is due
    if not 0 <= small <= big or big <= 0:
        raise NotDealt("blinds other than a small and a big one")
    straddle = others[0] if others and others[0] > big else 0
    if straddle and (straddle < 2 * big or big_place == 0):
        raise NotDealt("a straddle of less than two big blinds, or without a small one")
    # A post that is neither blind nor straddle is written as less than nothing, or as it is.
    late = tuple(place for place, post in enumerate(posts) if place > 1 and abs(post) == big)
    if any(place not in late and post for place, post in enumerate(posts) if place > 1 + bool(straddle)):
        raise NotDealt("posts other than blinds, one straddle and big blinds to come in")
    ante, big_blind_ante, dead = _antes(hand, stacks, small, big_place)
    for place, stack in enumerate(stacks):
        if (place in late or dead[place]) and stack <= dead[place] + big * (place in late):
            raise NotDealt("a post that takes all of a stack")
    return Forced(small, big, small_place, big_place, straddle, late, ante, big_blind_ante, dead)


def _antes(hand: Hand, stacks: tuple[int, ...], small: int, big_place: int) -> tuple[int, int, tuple[int, ...]]:
    """The ante from everybody, the one from the big blind, and what is paid dead for a small blind that passed."""
    units, nothing = hand.units(hand.noted.antes) or (0,) * len(stacks), (0,) * len(stacks)
    least = min(units)
    if least > min(stacks) and not hand.noted.ante_trimming_status:
        raise NotDealt("an ante that is dead money, from somebody who has less")
    more = tuple(ante - least for ante in units)
    if more == nothing:
        return least, 0, nothing
    if not least and not any(extra for place, extra in enumerate(more) if place != big_place):
        return 0, units[big_place], nothing
    if small and not more[big_place] and set(more) <= {0, small}:
        return least, 0, more
    raise NotDealt("antes other than one from everybody, one from the big blind, and small blinds that passed")
