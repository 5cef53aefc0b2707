"""What is remembered of the running hand."""

from typing import Literal

import msgspec

from libs.sealing.deck import Deck
from services.table.domain.games.poker.events import LegalActs, Street


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """Whose decision the table waits for. `version` is that of the `DecisionAwaited` event."""

    seat: int
    version: int
    legal: LegalActs
    until: int
    bank_until: int


class InHand(msgspec.Struct, frozen=True, kw_only=True):
    """One player in the hand. Money is what lies in the middle; the stack itself is with the sitter."""

    seat: int
    player: str
    reservation: str
    hole: tuple[int, ...] = ()
    """Deck positions of the hole cards."""
    committed: int = 0
    """Put in over the whole hand, less what came back uncalled."""
    dead: int = 0
    """Put in for everybody, beside `committed`: a big-blind ante, which gives no claim of its own."""
    in_round: int = 0
    """Put in during this betting round."""
    answered: int | None = None
    """Height of the betting when this player last acted in the round; None: not yet."""
    folded: bool = False
    all_in: bool = False
    decided: bool = False
    """Took a decision in person in this hand (pt-811-2015 70.b)."""
    timed_out: bool = False
    won: int = 0
    rake: int = 0

    @property
    def staked(self) -> int:
        return self.committed + self.dead


class Hand(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    button: int
    small_blind: int
    big_blind: int
    order: tuple[int, ...]
    """Seats dealt in, clockwise from the left of the button."""
    players: dict[int, InHand]
    deck: Deck | None
    """None only in what is written of it: the sealed part stands beside."""
    next_position: int = 0
    board: tuple[int, ...] = ()
    street: Street = "preflop"
    pot: int = 0
    rake: int = 0
    bet: int = 0
    """Highest round total."""
    full_raise: int = 0
    """Size of the last full bet or raise of the round, at least the minimum bet."""
    level: int = 0
    """Fixed limit: height of the last full bet or raise (pt-811-2015 38)."""
    raises: int = 0
    capped: bool = False
    last_actor: int
    """The next turn is looked for clockwise from this seat."""
    last_aggressor: int | None = None
    """Last to bet or raise in this round (pt-811-2015 59)."""
    flop_bet: bool = False
    turn: Turn | None = None
    ending: Literal["", "paid"] = ""

    @property
    def alive(self) -> list[InHand]:
        """Players who have not folded, clockwise from the left of the button."""
        return [player for seat in self.order if not (player := self.players[seat]).folded]
