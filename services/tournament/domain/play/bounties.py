"""Whose an eliminated player's bounty is (pt-810-2015 33, FP-6)."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from services.tournament.domain.play.prizes import split


class WonPot(NamedTuple):
    """One pot of the hand, in the order in which pots came to be: the main pot first."""

    players: Collection[str]
    """Who had chips in it and had not folded."""
    winners: Collection[str]


def bounty_of(eliminated: str, bounty: int, pots: Sequence[WonPot], order: Sequence[str]) -> dict[str, int]:
    """Cents for those who won the last pot in which the eliminated player had chips; `order`: of registration."""
    last = next((pot for pot in reversed(pots) if eliminated in pot.players), None)
    winners = [who for who in order if last is not None and who in last.winners]
    return split(bounty, winners) if winners and bounty else {}
