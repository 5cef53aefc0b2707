"""What an operator chose for a table of poker: blinds and bets, rake, entry, dealing, clocks."""

from typing import Literal, Self

from msgspec.structs import replace

from libs.cards.variants import Variant
from libs.contracts.configurations import Configuration, Entry, Group, Timing
from libs.contracts.facts import BasisPoints, Chips, Milliseconds


class PokerBetting(Group):
    """Blinds, antes and what a bet may be."""

    structure: Literal["pot_limit", "no_limit", "limit_half_pot", "limit_raise_count", "pot_limit_with_raise_cap"]
    """How large a bet may be."""
    raise_cap: int | None
    """So many raises in a betting round; None: no limit."""
    raise_cap_lifted_heads_up: bool
    """Whether the cap falls when only two players are left."""
    raise_cap_judged: Literal["when_reached", "each_decision"] = "when_reached"
    """When it is asked whether only two are left, which lifts the cap."""
    heads_up_size_unlimited: bool = False
    """With two players left the size of a raise has no limit either (mo-97-2010 12.4 by the letter)."""
    minimum_raise: Literal["last_full_raise", "table_minimum"] = "last_full_raise"
    """Whether a raise is at least the last full raise, or the table minimum."""
    pot_multiplier: int = 2
    """How often the call counts in the largest pot-limit raise to a total; 2 is the usual pot limit."""
    small_blind: Chips
    """The small blind."""
    small_blind_reason: str = ""
    """Why it is not half the big blind (mo-97-2010 5.1)."""
    big_blind: Chips
    """The big blind; the table minimum where a regulation speaks of one."""
    blinds: bool = True
    """False: an ante and no blinds (pt-217-2007 S.6)."""
    single_blind: bool = False
    """The seat left of the button posts the big blind, and nobody a small one."""
    unanswerable_raise: bool = False
    """Whether a raise is on offer that nobody else has the chips to answer; it comes back uncalled."""
    heads_up_blinds: Literal["button_small", "left_of_button"]
    """With two players: whether the button posts the small blind, or the seat to its left."""
    ante: Chips = 0
    """From everybody dealt in, each hand."""
    big_blind_ante: Chips = 0
    """From the big blind for everybody; dead money."""
    straddle: Chips = 0
    """Posted left of the big blind when more than two play; 0 = off."""
    idle_hands: int = 0
    """After this many hands dealt in without a chip a live big blind is due; 0: never."""
    table_max: Chips | None = None
    """Nominal maximum of the table, of which the minimum is a part."""
    smallest_chip: Chips = 1
    """An average stack is rounded down to a multiple of it (pt-217-2007 28)."""
    authorised_min: Chips | None = None
    """Least table minimum of the authorisation (22)."""
    authorised_max: Chips | None = None
    """Between which table minimums the house may change the limits (pt-217-2007 22)."""


class Rake(Group):
    """What the house takes, and of what."""

    in_rulebook = {
        name: f"rake_{name}" for name in ("mode", "bp", "cap", "cap_big_blinds", "order", "per_payment_when_all_in")
    }

    mode: Literal["pot", "buy_in", "session"]
    """What the house charges: pots, buy-ins, or time at the table."""
    bp: BasisPoints
    """Of the pot, the buy-in, or the base of the session's charge."""
    cap_big_blinds: int | None
    """Most that a hand is charged, in big blinds; None: no such cap."""
    cap: Chips | None = None
    """Most that a hand is charged, as money."""
    order: Literal["rake_then_divide", "divide_then_rake"] = "rake_then_divide"
    """Whether the pot is charged before it is divided, or each winner's share."""
    per_payment_when_all_in: bool
    """With a player all-in, each payment is charged instead of the whole (pt-811-2015 19)."""
    no_flop_no_rake: bool
    """A hand that ends before the flop is free."""
    flop_round_without_bet_no_rake: bool
    """So is one that ends on the flop without a voluntary bet."""
    rate_fixed_for_game: bool = False
    """How and how much is charged, and how many sessions there are, stays until the table closes (pt-217-2007 7)."""
    session_ms: Milliseconds = 3600000
    """Length of a session that is charged for (pt-217-2007 7.b)."""
    session_fee_base: Literal["table_max", "buy_in"] | None = None
    """What the session's charge is a part of: the table's maximum, or the initial stack."""
    session_tail: Literal["orbit", "current_hand"] = "orbit"
    """What is still played when the hour is over."""
    sessions: int | None = None
    """So many sessions, and the table closes (pt-217-2007 74); None: no number."""


class PokerEntry(Entry):
    """Who may sit down and who is dealt in, with what."""

    in_rulebook = {name: f"entry_{name}" for name in ("stack", "rule", "minimum")}

    stack: Literal["big_blind", "one_chip"] = "big_blind"
    """The least stack that is dealt in (pt-811-2015 15)."""
    rule: Literal["range", "average_or_minimum", "average", "minimum"] = "range"
    """What somebody brings who sits down while the game runs (pt-217-2007 28)."""
    minimum: Chips = 0
    """Least stack to join a running game with, in the rules that speak of one (pt-217-2007 78)."""
    rebuy: Chips | None = None
    """The one amount of a top-up (pt-217-2007 75); None: any up to the ceiling."""
    entering: Literal["with_big_blind", "missed_blinds"] = "with_big_blind"
    """Who was away waits for the big blind, or is dealt in at once and pays what passed meanwhile."""
    missed_big_blind: Literal["dead", "live"] = "dead"
    """Whether a big blind that is paid so counts as a bet; live, a newcomer owes one, and a small one is dead."""
    min_players: int = 2
    """Fewer are not dealt to."""
    open_seats: int = 0
    """Seats that are played, from 1 on; 0: all."""


class PokerDealing(Group):
    """Who deals what, from where, and who shows."""

    mixed: str = ""
    """The other variant of a mixed table, which the lead player may choose (pt-217-2007 23)."""
    dealer: Literal["virtual", "live"] = "virtual"
    """Whether cards come from the generator, or from a dealer's hands and a scanner (pt-217-2007 FP-6)."""
    shuffler: Literal["manual", "automatic"] = "manual"
    """Whether a live table shuffles by hand, or with a machine and two decks in turn (pt-217-2007 76)."""
    decks: str = ""
    """Decks of a live table and their colours: `R:red,B:blue`."""
    positions: Literal["button", "lead"] = "button"
    """Whether a button marks the seat before the small blind, or a lead marker the small blind itself."""
    first_button: Literal["drawn", "lowest_seat"]
    """How the first button is found: drawn by card, or the lowest occupied seat."""
    deal_from: Literal["small_blind", "left_of_button"]
    """Who is dealt the first card."""
    burn_before_board: bool
    """Whether a card is laid aside before each street."""
    void_moves_lead: bool = False
    """Whether the lead moves on after a void hand (pt-217-2007 69)."""
    showing: Literal["last_aggressor", "round_opener"] = "last_aggressor"
    """Who shows first."""
    odd_unit: Literal["one_unit_each_clockwise_from_button", "whole_remainder_to_lowest_seat"]
    """Who gets what is left of a pot that can't be divided evenly."""
    min_unit: Chips
    """In what pieces a pot is divided."""


class PokerTiming(Timing):
    """Clocks and hours, and what absence costs."""

    decision_ms: Milliseconds
    """Time for a decision."""
    time_bank_ms: Milliseconds
    """Reserve of each player for all decisions of a sitting; 0: none."""
    deadline_counts: bool = True
    """Whether a decision exactly at the deadline is in time (pt-811-2015 43), or already late (pt-217-2007 71.a)."""
    resume_ms: Milliseconds | None = None
    """A hand is void when the house stood still for so long (pt-811-2015 72); None: only when staff say so."""
    timer_action: Literal["act", "none", "all_in"] = "act"
    """Whether the house checks or folds for who does not decide, or only warns and waits for player or supervisor (with
    a human dealer alone, pt-217-2007 71.a), or counts who owes a call as all-in for what lies in the pot."""
    protections: int = 2
    """With `all_in`: so often in a sitting a player is counted so; after that, and with 0, the house folds."""
    between_hands_ms: Milliseconds
    """Pause between hands."""
    choice_ms: Milliseconds = 0
    """Mixed table: time to choose the variant before the next hand (pt-217-2007 23)."""
    waiting_ms: Milliseconds
    """Wait for a top-up before the invitation to leave (pt-811-2015 70.a)."""
    absent_hands: int
    """More than this many absent hands in a row invite to leave (70.b)."""
    rest_hands: int = 0
    """Hands that a player may rest and keep the seat (pt-217-2007 13); 0: no such right."""
    rest_repeat_limit: int = 0
    """A player who rested so often may not rest again (pt-217-2007 13); 0: no limit."""
    sit_out_limit: int = 0
    """Hands sat out in a row after which the seat is free; 0: invitations and warnings instead."""


class PokerConfiguration(Configuration, tag="poker"):
    """A table of poker, of whichever variant and regulation."""

    variant: Variant = "omaha"
    """Omaha: exactly two of four hole cards."""
    entry: PokerEntry
    timing: PokerTiming
    betting: PokerBetting
    rake: Rake
    dealing: PokerDealing

    @property
    def live(self) -> bool:
        return self.dealing.dealer == "live"

    def turned_to(self, variant: Variant) -> Self:
        """A mixed table with the marker on this variant; the other one may be chosen next (pt-217-2007 23)."""
        if variant == self.variant:
            return self
        return replace(self, variant=variant, dealing=replace(self.dealing, mixed=self.variant))
