"""What is remembered of a table of baccarat: its shoe, which outlives the coups, and the coup that is open."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from libs.contracts.baccarat_commands import Chance
from libs.sealing.deck import Shoe
from services.table.domain.games.baccarat.configuration import BaccaratConfiguration
from services.table.domain.games.baccarat.scores import Winner
from services.table.domain.games.banked import BankedTable
from services.table.domain.table.state import Sitter


class ShoeInUse(msgspec.Struct, frozen=True, kw_only=True):
    """`next_position` is the first card that has not been dealt; `winners` are those of the shoe's coups, in order."""

    number: int
    decks: int
    cards: int
    cut: int
    next_position: int
    winners: tuple[Winner, ...] = ()
    deck: Shoe | None = None
    """None only in what is written of it: the sealed part stands beside."""

    @property
    def left(self) -> int:
        return self.cards - self.next_position

    @property
    def is_over(self) -> bool:
        """The cut card is out: no coup begins any more (FP-1)."""
        return self.left <= self.cut


class Stakes(msgspec.Struct, frozen=True, kw_only=True):
    """What one player has on each chance."""

    seat: int
    player: str
    reservation: str
    on: dict[Chance, int]

    @property
    def staked(self) -> int:
        return sum(self.on.values())


class Coup(msgspec.Struct, frozen=True, kw_only=True):
    """`rules` are those in force when its betting opened, for the whole of it (26)."""

    number: int
    rules: BaccaratConfiguration
    opened_at: int
    until: int | None
    """What arrives then is too late (27). None: until the single player deals."""
    alive_at: int
    """When something last happened in the coup: no failure began before (29)."""
    stakes: dict[int, Stakes] = {}

    @property
    def totals(self) -> Mapping[Chance, int]:
        """The table's, by chance."""
        totals: Counter[Chance] = Counter()
        for stakes in self.stakes.values():
            totals.update(stakes.on)
        return totals

    @property
    def staked(self) -> int:
        return sum(stakes.staked for stakes in self.stakes.values())


class BaccaratTable(BankedTable, frozen=True, kw_only=True):
    configuration: BaccaratConfiguration | None = None
    shoe: ShoeInUse | None = None
    shoes: int = 0
    """Number of the last shoe started."""
    coup: Coup | None = None

    @property
    def rules(self) -> BaccaratConfiguration:
        assert self.configuration is not None, "a table has rules from its opening on"
        return self.configuration

    @property
    def in_round(self) -> bool:
        """A betting period becomes a round with its first stake (2.c)."""
        return self.coup is not None and bool(self.coup.stakes)

    @property
    def in_play(self) -> int:
        return self.coup.staked if self.coup is not None else 0

    @property
    def seats_in_round(self) -> Sequence[int]:
        return sorted(self.coup.stakes) if self.coup is not None else ()

    def is_bound(self, sitter: Sitter) -> bool:
        """A stake stands when its player leaves (reading of 34)."""
        return self.stakes_of(sitter) is not None

    def stakes_of(self, sitter: Sitter) -> Stakes | None:
        """What the sitter has on the table now."""
        return self.coup.stakes.get(sitter.seat) if self.coup is not None else None
