"""What is remembered of a table of baccarat: its shoe, which outlives the coups, and the coup that is open."""

import msgspec

from libs.sealing.deck import Shoe
from services.table.domain.games.baccarat.configuration import BaccaratConfiguration
from services.table.domain.games.baccarat.dealing import Winner
from services.table.domain.games.banked.state import BankedRound, BankedTable
from services.table.domain.games.game import Game
from services.table.domain.table.story import Story


class ShoeInUse(msgspec.Struct, frozen=True, kw_only=True):
    """`next_position` is the first card that has not been dealt; `winners` are those of the shoe's coups, in order."""

    number: int
    decks: int
    cards: int
    cut: int
    next_position: int
    winners: tuple[Winner, ...] = ()
    deck: Shoe | None = None
    """None in what is written of it, where the sealed part stands beside, and when no key opens that any more."""

    @property
    def left(self) -> int:
        return self.cards - self.next_position

    @property
    def is_over(self) -> bool:
        """The cut card is out: no coup begins any more (FP-1)."""
        return self.left <= self.cut


class Coup(BankedRound, frozen=True, kw_only=True):
    rules: BaccaratConfiguration
    """Those in force when its betting opened, for the whole of it (26)."""


class BaccaratTable(BankedTable, frozen=True, kw_only=True):
    configuration: BaccaratConfiguration | None = None
    round: Coup | None = None
    shoe: ShoeInUse | None = None
    shoes: int = 0
    """Number of the last shoe started."""

    @property
    def rules(self) -> BaccaratConfiguration:
        assert self.configuration is not None, "a table has rules from its opening on"
        return self.configuration

    @property
    def in_use(self) -> ShoeInUse:
        assert self.shoe is not None, "coups are dealt from a shoe"
        return self.shoe

    @property
    def needs_shoe(self) -> bool:
        """Whether the next coup begins with a new shoe: none yet, lost, cut card out, other rules, or one a coup."""
        shoe, dealing = self.shoe, self.rules.dealing
        if (
            shoe is None
            or shoe.deck is None
            or shoe.is_over
            or (shoe.decks, shoe.cut) != (dealing.decks, dealing.cut_cards)
        ):
            return True
        return dealing.shuffle_every_coup and bool(shoe.winners)


BaccaratStory = Story[BaccaratTable, BaccaratConfiguration, Game]
