"""What an operator chose for one table; every field inside the bounds of its rulebook."""

from typing import Literal

import msgspec

from libs.cards.games import Variant

Structure = Literal["pot_limit", "no_limit", "limit_half_pot", "limit_raise_count", "pot_limit_with_raise_cap"]
Kind = Literal["real", "demo"]
EntryStack = Literal["big_blind", "one_chip"]


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """Amounts are minor units of `currency`, rates basis points, times milliseconds; see the public contract."""

    rulebook: str
    version: int
    approval: str
    currency: str
    kind: Kind
    seats: int
    structure: Structure
    raise_cap: int | None
    raise_cap_lifted_heads_up: bool
    heads_up_size_unlimited: bool = False
    small_blind: int
    small_blind_reason: str = ""
    big_blind: int
    buy_in_min: int
    buy_in_max: int
    top_up_to: int
    rake_mode: Literal["pot", "buy_in"]
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
    break_ms: int
    waiting_ms: int
    absent_hands: int
    reservation_ms: int
    reentry_ms: int
    between_hands_ms: int
    variant: Variant = "omaha"
    ante: int = 0
    big_blind_ante: int = 0
    straddle: int = 0
    entry_stack: EntryStack = "big_blind"

    @property
    def regulation(self) -> str:
        """`pt-811-2015` of the rulebook `pt-811-2015-omaha`: what rule references start with."""
        return self.rulebook.removesuffix(f"-{self.variant}")

    @property
    def least_stack(self) -> int:
        """Who has less is not dealt in (pt-811-2015 15; `one_chip` is the practice of the field)."""
        return self.big_blind if self.entry_stack == "big_blind" else 1

    @property
    def rakes_pots(self) -> bool:
        return self.rake_mode == "pot"
