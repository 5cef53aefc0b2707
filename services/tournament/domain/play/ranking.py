"""Places: who goes out when, with whom in one hand, and who waits for a rebuy (pt-810-2015 31, 33, 50, 51, FP-8)."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec


class Places(NamedTuple):
    """From the better to the worse one; two different ones are tied in all of them (51)."""

    first: int
    last: int

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


class Bust(msgspec.Struct, frozen=True):
    """An entry that has lost its last chip, or is out by a decision of the operator's.

    Whoever rebuys is no bust any more.
    """

    entry: str
    round: str
    """The hand: in hand-for-hand one name for the hands of all tables, else table and hand (reading of 50)."""
    stack: int
    """At the start of the hand, blinds and antes included."""
    pending: bool = False
    """The time to rebuy runs: the place is not known yet, nor that of anybody who went out later (31)."""
    hand: int = 0
    """Its number at the table."""
    pots: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    """Who had chips in each pot of it and who won it, in their order; where there are bounties."""
    at: int = 0
    """When it was over, milliseconds since the epoch."""
    position: int = 0
    """And on the tournament's clock."""

    @property
    def put_out(self) -> bool:
        """By a decision, between two hands."""
        return self.hand == 0


def places_out(busts: Sequence[Bust], entries: int) -> dict[str, Places]:
    """The places that are known, of those who are out, in the order in which their hands ended.

    `entries`: all that were made, re-entries included. Until entries close the places are provisional: every further
    entry pushes them down by one (FP-4).
    """
    found: dict[str, Places] = {}
    left = entries
    rounds: dict[str, list[Bust]] = {}
    for bust in busts:  # in hand-for-hand somebody may be disqualified between two of them
        rounds.setdefault(bust.round, []).append(bust)
    for together in rounds.values():
        if any(bust.pending for bust in together):
            break
        found |= by_chips({bust.entry: bust.stack for bust in together}, left)
        left -= len(together)
    return found


def by_chips(stacks: Mapping[str, int], last: int) -> dict[str, Places]:
    """Places up to `last`, the more chips the better; equal stacks share theirs (33, 50, 51)."""
    found: dict[str, Places] = {}
    for _, equal in groupby(sorted(stacks, key=lambda entry: stacks[entry]), lambda entry: stacks[entry]):
        tied = list(equal)
        places = Places(last - len(tied) + 1, last)
        found |= dict.fromkeys(tied, places)
        last = places.first - 1
    return found


def final_places(busts: Sequence[Bust], stacks: Mapping[str, int], entries: int) -> dict[str, Places]:
    """Of everybody once the tournament is over: the winner, or all who are still in when its time is up (33, 52)."""
    return {**places_out(busts, entries), **by_chips(stacks, len(stacks))}


def is_hand_for_hand(left: int, paid: int, tables: int, before: int = 1) -> bool:
    """From `before` places above the paid ones on, while there are several tables (49, FP-8).

    The paid places are known only once entries have closed.
    """
    return tables > 1 and paid < left <= paid + before


def still_to_deal(owed: Iterable[int], occupied: Iterable[int], buttons: Iterable[int]) -> set[int]:
    """Seats that have not had the button again after a timed tournament's time was up (52).

    `owed`: the seats then; `occupied`: those with chips now; `buttons`: of the hands dealt since. A table left with one
    player stops.
    """
    here = set(occupied)
    return set(owed) & here - set(buttons) if len(here) > 1 else set()
