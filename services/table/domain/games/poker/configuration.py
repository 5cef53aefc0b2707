"""What an operator chose for a poker table; every field inside the bounds of its rulebook."""

from typing import Literal

from libs.cards.games import Variant
from libs.money.rates import part_of
from services.table.domain.games.poker.rejections import rule_of
from services.table.domain.table.configuration import Configuration

Structure = Literal["pot_limit", "no_limit", "limit_half_pot", "limit_raise_count", "pot_limit_with_raise_cap"]
EntryStack = Literal["big_blind", "one_chip"]


class PokerConfiguration(Configuration, frozen=True, kw_only=True):
    """Amounts are minor units of `currency`, rates basis points, times milliseconds; see the public contract."""

    structure: Structure
    raise_cap: int | None
    raise_cap_lifted_heads_up: bool
    heads_up_size_unlimited: bool = False
    small_blind: int
    small_blind_reason: str = ""
    big_blind: int
    rake_mode: Literal["pot", "buy_in", "session"]
    rake_bp: int
    rake_cap_big_blinds: int | None
    no_flop_no_rake: bool
    flop_round_without_bet_no_rake: bool
    rake_per_payment_when_all_in: bool
    odd_unit: Literal["one_unit_each_clockwise_from_button", "whole_remainder_to_lowest_seat"]
    min_unit: int
    heads_up_blinds: Literal["button_small", "left_of_button"]
    first_button: Literal["drawn", "lowest_seat"]
    deal_from: Literal["small_blind", "left_of_button"]
    burn_before_board: bool
    decision_ms: int
    time_bank_ms: int
    waiting_ms: int
    absent_hands: int
    between_hands_ms: int
    variant: Variant = "omaha"
    ante: int = 0
    big_blind_ante: int = 0
    straddle: int = 0
    entry_stack: EntryStack = "big_blind"
    positions: Literal["button", "lead"] = "button"
    """Whether a button marks the seat before the small blind, or a lead marker the small blind itself."""
    blinds: bool = True
    entering: Literal["with_big_blind", "missed_blinds"] = "with_big_blind"
    """Who was away waits for the big blind, or is dealt in at once and pays dead what passed meanwhile."""
    idle_hands: int = 0
    """After this many hands dealt in without a chip a live big blind is due; 0: never."""
    min_players: int = 2
    open_seats: int = 0
    """Seats that are played, from 1 on; 0: all."""
    minimum_raise: Literal["last_full_raise", "table_minimum"] = "last_full_raise"
    raise_cap_judged: Literal["when_reached", "each_decision"] = "when_reached"
    """When it is asked whether only two are left, which lifts the cap."""
    pot_multiplier: int = 2
    """How often the call counts in the largest pot-limit raise to a total; 2 is the usual pot limit."""
    rake_order: Literal["rake_then_divide", "divide_then_rake"] = "rake_then_divide"
    rake_cap: int | None = None
    """Most that a hand is charged, as money."""
    showing: Literal["last_aggressor", "round_opener"] = "last_aggressor"
    """Who shows first."""
    void_moves_lead: bool = False
    table_max: int | None = None
    """Nominal maximum of the table, of which the minimum is a part."""

    dealing: Literal["virtual", "live"] = "virtual"
    """Whether cards come from the generator, or from a dealer's hands and a scanner (pt-217-2007 FP-6)."""
    shuffler: Literal["manual", "automatic"] = "manual"
    decks: str = ""
    """Decks of a live table and their colours: `R:red,B:blue`."""
    session_ms: int = 3_600_000
    """Length of a session that is charged for (pt-217-2007 7.b)."""
    rate_fixed_for_game: bool = False
    """How and how much is charged, and how many sessions there are, stays until the table closes (pt-217-2007 7)."""
    session_fee_base: Literal["table_max", "buy_in"] | None = None
    session_tail: Literal["orbit", "current_hand"] = "orbit"
    """What is still played when the hour is over."""
    sessions: int | None = None
    """So many sessions, and the table closes (pt-217-2007 74); None: no number."""
    entry_rule: Literal["range", "average_or_minimum", "average", "minimum"] = "range"
    """What somebody brings who sits down while the game runs (pt-217-2007 28)."""
    entry_minimum: int = 0
    smallest_chip: int = 1
    rebuy: int | None = None
    """The one amount of a top-up (pt-217-2007 75); None: any up to the ceiling."""
    rest_hands: int = 0
    """Hands that a player may rest and keep the seat (pt-217-2007 13); 0: no such right."""
    sit_out_limit: int = 0
    """Hands sat out in a row after which the seat is free; 0: invitations and warnings instead."""
    rest_repeat_limit: int = 0
    mixed: str = ""
    """The other variant of a mixed table, which the lead player may choose (pt-217-2007 23)."""
    choice_ms: int = 0
    authorised_min: int | None = None
    authorised_max: int | None = None
    """Between which table minimums the house may change the limits (pt-217-2007 22)."""
    timer_action: Literal["act", "none"] = "act"
    """Whether the house acts for who does not decide, or only warns and waits (pt-217-2007 71.a)."""

    @property
    def least_players(self) -> int:
        return self.min_players

    @property
    def acts_for_the_absent(self) -> bool:
        return self.timer_action == "act"

    @property
    def regulation(self) -> str:
        """`pt-811-2015` of the rulebook `pt-811-2015-omaha`: what rule references start with."""
        if self.mixed:  # the rulebook names one variant and the hand may be of the other (pt-217-2007 23)
            return self.rulebook.rsplit("-", 1)[0]
        return self.rulebook.removesuffix(f"-{self.variant}")

    @property
    def least_stack(self) -> int:
        """Who has less is not dealt in (pt-811-2015 15; `one_chip` is the practice of the field)."""
        return self.big_blind if self.entry_stack == "big_blind" else 1

    @property
    def played_seats(self) -> int:
        return self.open_seats or self.seats

    @property
    def rakes_pots(self) -> bool:
        return self.rake_mode == "pot"

    def commission_on(self, amount: int) -> int:
        """pt-811-2015 17.b: in buy-in mode a part of every buy-in and top-up."""
        return part_of(amount, self.rake_bp) if self.rake_mode == "buy_in" else 0

    def rule_of(self, reason: str) -> str | None:
        return rule_of(reason, self.regulation, self.structure)
