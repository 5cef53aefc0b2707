"""What the auditor remembers of a table of poker to judge who is paid: the running hand, the terms of its charges."""

from dataclasses import dataclass, field
from typing import Literal

from libs.cards.variants import Variant
from libs.contracts.live_events import WinnerAnnounced
from libs.contracts.poker_events import PotAwarded


@dataclass(slots=True)
class Put:
    """What one seat has put into the running hand, minor units."""

    live: int = 0
    """Gives a claim to as much of each other's."""
    dead: int = 0
    waived: int = 0
    """Counts as put in and never was (pt-217-2007 91)."""
    in_round: int = 0
    folded: bool = False
    gone: bool = False
    """Has left the table, with nothing of what somebody could still match."""
    all_in: bool = False
    cards: list[str] = field(default_factory=list)
    """Shown at the showdown."""

    @property
    def level(self) -> int:
        return self.live + self.waived


@dataclass(slots=True)
class Terms:
    """Of a table's configuration, as far as payments hang on it. Rates in basis points, amounts minor units."""

    variant: Variant
    small_blind: int
    big_blind: int
    mode: Literal["pot", "buy_in", "session"]
    rate: int
    cap: int | None
    """Of one hand; None: no cap."""
    shares_first: bool
    """Each payment is charged, always; else whole pots are."""
    shares_first_all_in: bool
    """Each payment is charged when somebody still in is all-in."""
    free_before_flop: bool
    free_on_flop: bool
    piece: int
    """In such pieces a pot is divided."""
    rest_to_lowest: bool
    """All that is left over goes to the lowest seat; else piece by piece from the left of the button."""
    fee: int
    """Of a session, where those are charged for."""


@dataclass(slots=True)
class Pots:
    """Fold of one table of poker: the running hand, and what may still be put right of the last one."""

    terms: Terms | None = None
    """None: this reader began behind the table's opening, and no configuration has come since."""
    to_come: Terms | None = None
    """Announced, and in force when no hand runs."""
    hand: int | None = None
    """None as well: of a hand whose beginning was not seen."""
    last: int = 0
    """The last hand that was judged."""
    button: int = 0
    blinds: tuple[int, int] = (0, 0)
    """Seats of the small and the big one."""
    puts: dict[int, Put] = field(default_factory=dict)
    street: str = "preflop"
    board: list[str] = field(default_factory=list)
    flop_bet: bool = False
    live: bool = False
    """Dealt by a human dealer."""
    returning: bool = False
    """A supervisor gives back what no live hand can win (pt-217-2007 71.g)."""
    announced: WinnerAnnounced | None = None
    awarded: list[PotAwarded] = field(default_factory=list)
    reversal: dict[int, int] = field(default_factory=dict)
    """Of a pot that was pushed past its winners: what each of them should have of who got it (70.a)."""
    session_at: int | None = None
    """When the session began that is charged for; None: none was seen to."""
    charged: set[str] = field(default_factory=set)
    """Who was asked for the session's fee, and has not refused it."""
    late: set[str] = field(default_factory=set)
    """Who came too late in it to be asked."""
    uncharged: dict[str, int] = field(default_factory=dict)
    """By sitting, ten-thousandths of a minor unit: commission on buy-in and top-ups that was rounded off so far."""
    sits: dict[str, str] | None = None
    """By sitting, who sits. None: this reader, or the build that kept what it had read, did not see the table open."""
