"""What is remembered of a table of no-draw poker and of its running round."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from libs.sealing.deck import Deck
from services.table.domain.games.banked import BankedTable
from services.table.domain.games.no_draw_poker.configuration import NoDrawConfiguration
from services.table.domain.table.state import Sitter

Phase = Literal["betting", "closed", "deciding"]
Decision = Literal["", "fold", "continue"]


class Stakes(msgspec.Struct, frozen=True, kw_only=True):
    """What one seat has on its two areas; they stay its own account of the round when the player leaves."""

    seat: int
    player: str
    reservation: str
    ante: int
    bet: int = 0
    decision: Decision = ""
    hand: tuple[int, ...] = ()
    """Deck positions."""

    @property
    def staked(self) -> int:
        return self.ante + self.bet


class Round(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    phase: Phase = "betting"
    opened_at: int
    until: int | None
    """Deadline of the phase; what arrives at it is too late. None: a single player's betting."""
    warned: bool = False
    """The extra time runs (31)."""
    alive_at: int
    """When something last happened in the round: the house can't have gone down before (33)."""
    stakes: dict[int, Stakes] = {}
    dealer: tuple[int, ...] = ()
    deck: Deck | None = None
    """None before the deal, and in what is written of it: the sealed part stands beside."""

    @property
    def undecided(self) -> list[Stakes]:
        return [stakes for _, stakes in sorted(self.stakes.items()) if not stakes.decision]

    @property
    def playing(self) -> list[Stakes]:
        """Seats with a second bet, ascending."""
        return [stakes for _, stakes in sorted(self.stakes.items()) if stakes.decision == "continue"]


class NoDrawTable(BankedTable, frozen=True, kw_only=True):
    configuration: NoDrawConfiguration | None = None
    round: Round | None = None

    @property
    def rules(self) -> NoDrawConfiguration:
        assert self.configuration is not None, "a table has rules from its opening on"
        return self.configuration

    @property
    def in_round(self) -> bool:
        """A betting period becomes a round with its first ante (2.e)."""
        return self.round is not None and (self.round.phase != "betting" or bool(self.round.stakes))

    @property
    def in_play(self) -> int:
        return sum(stakes.staked for stakes in self.round.stakes.values()) if self.round is not None else 0

    @property
    def seats_in_round(self) -> Sequence[int]:
        return sorted(self.round.stakes) if self.round is not None else ()

    def is_bound(self, sitter: Sitter) -> bool:
        stakes = self.stakes_of(sitter)
        return stakes is not None and stakes.decision != "fold"

    def stakes_of(self, sitter: Sitter) -> Stakes | None:
        """What the sitter, and nobody who sat there before, has in the running round."""
        stakes = self.round.stakes.get(sitter.seat) if self.round is not None else None
        return stakes if stakes is not None and stakes.reservation == sitter.reservation else None

    def still_seated(self, stakes: Stakes) -> bool:
        sitter = self.seats.get(stakes.seat)
        return sitter is not None and sitter.reservation == stakes.reservation
