"""What is remembered of a poker table: its running hand, its button, and who waits for the blind."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from libs.cards.card import DECK_SIZE
from libs.cards.variants import Street
from libs.contracts.poker_events import LegalActs, MissedBlind
from libs.sealing.deck import Deck
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.table.state import Sitter, Table


class Turn(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Whose decision the table waits for. `version` is that of the `DecisionAwaited` event."""

    seat: int
    version: int
    legal: LegalActs
    until: int
    bank_until: int
    warned: bool = False
    """Asked to decide; where nobody acts for a player, the hand waits (pt-217-2007 71.a)."""
    stands: bool = False
    """The clock does: somebody else is to say whether what was entered for the seat is its player's act."""
    stood_at: int = 0
    """Since when, milliseconds since the epoch; 0 in hands that stood before 2026-11-30: from the beginning of the
    turn."""


class InHand(msgspec.Struct, frozen=True, kw_only=True, gc=False):
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
    waived: int = 0
    """Counted as posted and never put in: the pot is smaller by it (pt-217-2007 91)."""
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


class Hand(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    number: int
    button: int
    small_blind: int
    big_blind: int
    order: tuple[int, ...]
    """Seats dealt in, clockwise from the left of the button."""
    players: dict[int, InHand]
    left: int
    """Players who have not folded."""
    deck: Deck | None = None
    """None only in what is written of it: the sealed part stands beside."""
    leaves: int = DECK_SIZE
    """Of the tree that commits to the deck."""
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
    opener: int | None = None
    """First to act in this round (pt-217-2007 62)."""
    missed: tuple[MissedBlind, ...] = ()
    flop_bet: bool = False
    turn: Turn | None = None
    correction_by: str = ""
    """Who of the staff has asked for the deal to be put right; another one has to ask for it, too."""
    ending: Literal["", "paid"] = ""

    def after(self, seat: int) -> tuple[int, ...]:
        """The seats of the hand clockwise from the one after `seat`, which comes last if it is in the hand.

        The only other seat from where one counts is the button's, and `order` begins at its left.
        """
        order = self.order
        start = order.index(seat) + 1 if seat in order else 0
        return order[start:] + order[:start]

    @property
    def alive(self) -> list[InHand]:
        """Players who have not folded, clockwise from the left of the button."""
        return [player for seat in self.order if not (player := self.players[seat]).folded]


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """A player's objection to a hand (pt-217-2007 8.c)."""

    id: int
    hand: int
    seat: int
    player: str = ""
    """Whose it is, also when somebody else has taken the seat; empty in a snapshot of before that was kept."""
    nth: int = 0
    """Of its player within `DISPUTES_MS`, from 1 on; 0: of before they were counted."""


DISPUTES_MS = 86_400_000
"""How long a player's disputes at one table are counted together, from the first of them on."""


class Disputed(msgspec.Struct, frozen=True):
    """What one player has disputed of late, also in earlier sittings."""

    opened: int
    since: int


class Sessions(msgspec.Struct, frozen=True, kw_only=True):
    """The hours of play that are charged for (pt-217-2007 7.b)."""

    number: int = 0
    """Of the last one begun."""
    started: int | None = None
    """When it began; None: none runs."""
    charged: frozenset[str] = frozenset()
    """Who has been asked for the running one's fee, and has not refused it."""
    fees: Mapping[str, str] = {}
    """Fee of the running one to who was asked for it."""
    owing: frozenset[str] = frozenset()
    """Whose account had less than the fee: not dealt in before it is paid."""
    played: frozenset[str] = frozenset()
    """Who took part in the session before: first in the draw for seats (pt-217-2007 27)."""


class PokerSitter(Sitter, frozen=True, kw_only=True):
    time_bank: int
    waiting: bool = False
    """Missed a hand or came between hands: comes in with the big blind, or a free post (pt-811-2015 21)."""
    posts: bool = False
    moved: bool = False
    """Sits elsewhere, past a blind: waits for the big one, and no post brings the player in before."""
    short_since: int | None = None
    dealt: bool = False
    """In the last hand."""
    newcomer: bool = False
    """Sat down since the last deal, while the game ran (pt-217-2007 80)."""
    owes_small: bool = False
    owes_big: bool = False
    """Blinds that passed while away, paid dead on return (pt-217-2007 90). Where one waits for the big blind, the small
    one alone says that any did: it goes dead beside a free post."""
    due_big: bool = False
    """Was away when the table stopped for want of players, and next to be the big blind: has it when it goes on."""
    protected: int = 0
    """So often the clock left the hand all-in for what lay in the pot; for as long as a stack must come back."""
    idle: int = 0
    """Hands in a row dealt in without putting a chip in (pt-217-2007 89)."""
    # What counts until the player is dealt in again, like `sat_out_ms`:
    had_break: bool = False
    waited: int = 0
    """Hands over that the player, who sat in at their end, had no cards in."""


class PokerTable(Table, frozen=True, kw_only=True):
    configuration: PokerConfiguration | None = None
    seats: Mapping[int, PokerSitter] = {}
    hand: Hand | None = None
    hands: int = 0
    """Number of the last hand started."""
    running: bool = False
    """Between the first hand of a start and the next suspension: the button rotates and is not drawn."""
    resumes: bool = False
    """Has left a hand out in a pause since the last one: where the first button is drawn, the next one is, too, among
    the one seat to which it would have come (pt-811-2015 46)."""
    button: int = 0
    big_blind: int = 0
    """Its seat in the last hand; 0: counted from a lead, or of before that was kept."""
    had_big: str = ""
    """Who had the big blind in the last hand that was not void; empty: of before that was kept."""
    stopped_with: tuple[str, ...] = ()
    """Who sat there, or had left of late, when the table stopped for want of players, clockwise from the last big blind
    (by name: of before that was kept); until it goes on."""
    button_stays: bool = False
    """The last hand was void: it counts as not played (pt-811-2015 64)."""
    suspended_at: int | None = None
    """Since when too few play (pt-217-2007 24)."""
    allowed: int | None = None
    """Number of the last hand that may begin, where somebody else says so; None: any."""
    allowed_until: int | None = None
    """From this moment on none may."""
    sessions: Sessions = Sessions()
    session_lead: int | None = None
    """Where the session's first hand had the marker (pt-217-2007 7.b)."""
    disputes: tuple[Dispute, ...] = ()
    """Which the house has not decided yet."""
    disputed: int = 0
    """Number of the last dispute opened."""
    disputed_by: Mapping[str, Disputed] = {}
    """By player; who has not disputed for longer than that is left out."""

    @property
    def rules(self) -> PokerConfiguration:
        assert self.configuration is not None, "a table has rules from its opening on"
        return self.configuration

    def unposted_of(self, seat: int) -> tuple[Literal["small", "big"], ...]:
        """Blinds of the running hand that this seat was dealt in without."""
        return ()

    def disputed_lately(self, player: str, now: int) -> Disputed | None:
        found = self.disputed_by.get(player)
        return None if found is None or now - found.since > DISPUTES_MS else found

    @property
    def rounds(self) -> int:
        return self.hands

    @property
    def in_round(self) -> bool:
        return self.hand is not None

    @property
    def in_play(self) -> int:
        return self.hand.pot if self.hand is not None else 0

    @property
    def seats_in_round(self) -> Sequence[int]:
        return self.hand.order if self.hand is not None else ()

    def is_bound(self, sitter: Sitter) -> bool:
        """Dealt in and not folded."""
        if self.hand is None:
            return False
        player = self.hand.players.get(sitter.seat)
        return player is not None and player.reservation == sitter.reservation and not player.folded
