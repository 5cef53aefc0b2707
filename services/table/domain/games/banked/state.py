"""What is remembered of a table against the house: its sitters, its round (coup), stakes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from services.table.domain.table.state import Sitter, Table


class IdleSitter(Sitter, frozen=True, kw_only=True):
    """A player at a table against the house."""

    seated_at: int = 0
    active_at: int = 0
    """The last of: sat down, bet, had a round paid."""
    skipped: int = 0
    """Rounds in a row without a bet, each seated for from its opening on."""
    # Of stakes placed since one last stood to the end of its betting, which counts as a bet:
    active_before: int | None = None
    """`active_at` before the first of them."""
    withdrawn: bool = False
    """All of them were taken back."""


class Stakes(msgspec.Struct, frozen=True, kw_only=True):
    """What one player has on each area; his own account of the round when he has left."""

    seat: int
    player: str
    reservation: str
    on: Mapping[Any, int] = {}

    @property
    def staked(self) -> int:
        return sum(self.on.values())


class BankedRound(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    phase: Literal["betting", "closed", "deciding"] = "betting"
    opened_at: int
    until: int | None
    """Deadline of the phase: what arrives then is too late. None: until the single player deals."""
    alive_at: int
    """When something last happened in the round: the house can't have gone down before."""
    stakes: Mapping[int, Stakes] = {}

    @property
    def totals(self) -> Mapping[Any, int]:
        """The table's, by area."""
        totals: Counter[Any] = Counter()
        for stakes in self.stakes.values():
            totals.update(stakes.on)
        return totals


class BankedTable(Table, frozen=True, kw_only=True):
    seats: Mapping[int, IdleSitter] = {}
    round: BankedRound | None = None
    last_round: int = 0
    """Number of the last round or coup opened."""
    lapsed_at: int | None = None
    """When a betting period ended without a bet, and none has opened since: the table waits for somebody."""

    @property
    def rounds(self) -> int:
        return self.last_round

    @property
    def needs_shoe(self) -> bool:
        """Whether only a wake can open the next round, because it brings the cards."""
        return False

    @property
    def in_round(self) -> bool:
        """A betting period becomes a round with its first stake (pt-803-2015 2.e, pt-812-2015 2.c)."""
        return self.round is not None and (self.round.phase != "betting" or bool(self.round.stakes))

    @property
    def in_play(self) -> int:
        return sum(stakes.staked for stakes in self.round.stakes.values()) if self.round is not None else 0

    @property
    def seats_in_round(self) -> Sequence[int]:
        return sorted(self.round.stakes) if self.round is not None else ()

    def is_bound(self, sitter: Sitter) -> bool:
        """A stake stands when its player leaves (pt-812-2015 34 as read)."""
        return self.stakes_of(sitter) is not None

    def stakes_of(self, sitter: Sitter | None) -> Any:
        """What the sitter, and nobody who sat there before, has in the running round, as the game's `Stakes`."""
        if self.round is None or sitter is None:
            return None
        stakes = self.round.stakes.get(sitter.seat)
        return stakes if stakes is not None and stakes.reservation == sitter.reservation else None

    def still_seated(self, stakes: Stakes) -> bool:
        sitter = self.seats.get(stakes.seat)
        return sitter is not None and sitter.reservation == stakes.reservation

    def takes_bets(self, now: int) -> bool:
        """Strictly before the deadline (readings of pt-803-2015 14, pt-812-2015 27)."""
        playing = self.round
        return playing is not None and playing.phase == "betting" and (playing.until is None or now < playing.until)
