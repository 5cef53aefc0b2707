"""What an operator chose for a poker table; published with the table."""

from typing import Literal

from pydantic import Field

from libs.cards.games import Variant
from libs.contracts.messages import Message


class Configuration(Message):
    """What an operator chose for a table inside the rulebook's bounds; published with the table (enact.4)."""

    game: str = Field(default="poker", description="what is played; a configuration without it is of poker")
    rulebook: str
    version: int = Field(ge=1)
    approval: str = Field(description="approval reference of this version; empty for play money")
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    kind: Literal["real", "demo", "tournament"] = Field(description="tournament: amounts are chips, which are no money")
    seats: int = Field(ge=2, le=11)
    structure: Literal["pot_limit", "no_limit", "limit_half_pot", "limit_raise_count", "pot_limit_with_raise_cap"]
    raise_cap: int | None
    raise_cap_lifted_heads_up: bool
    heads_up_size_unlimited: bool = Field(default=False, description="mo-97-2010 12.4 by the letter")
    small_blind: int
    small_blind_reason: str = Field(default="", description="why it is not half the big blind (mo-97-2010 5.1)")
    big_blind: int
    buy_in_min: int
    buy_in_max: int
    top_up_to: int
    rake_mode: Literal["pot", "buy_in", "session"]
    rake_bp: int = Field(description="basis points: 500 = 5 %")
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
    waiting_ms: int = Field(description="wait for a top-up before the invitation to leave (pt-811-2015 70.a)")
    absent_hands: int = Field(description="more than this many absent hands in a row invite to leave (70.b)")
    reservation_ms: int
    reentry_ms: int = Field(description="who returns within it must bring what was taken away (10, 11.a); 0 = off")
    between_hands_ms: int
    variant: Variant = Field(default="omaha", description="omaha: exactly two of four hole cards")
    ante: int = Field(default=0, description="from everybody dealt in, each hand")
    big_blind_ante: int = Field(default=0, description="from the big blind for everybody; dead money")
    straddle: int = Field(default=0, description="posted left of the big blind when more than two play; 0 = off")
    entry_stack: Literal["big_blind", "one_chip"] = Field(
        default="big_blind", description="the least stack that is dealt in (pt-811-2015 15)"
    )
    positions: Literal["button", "lead"] = Field(
        default="button", description="lead: the marker is on the small blind itself (pt-217-2007 29)"
    )
    blinds: bool = Field(default=True, description="false: an ante and no blinds (pt-217-2007 S.6)")
    entering: Literal["with_big_blind", "missed_blinds"] = Field(
        default="with_big_blind",
        description="missed_blinds: dealt in at once, what passed is paid dead (pt-217-2007 90)",
    )
    idle_hands: int = Field(
        default=0, description="hands without a chip before a live big blind is due; 0 = never (89)"
    )
    min_players: int = Field(default=2, description="fewer are not dealt to")
    open_seats: int = Field(default=0, description="seats that are played, from 1 on; 0 = all (pt-217-2007 6)")
    minimum_raise: Literal["last_full_raise", "table_minimum"] = "last_full_raise"
    raise_cap_judged: Literal["when_reached", "each_decision"] = Field(
        default="when_reached", description="when two being left lifts the cap (pt-217-2007 88)"
    )
    pot_multiplier: int = Field(
        default=2, description="largest pot-limit raise: all bets and (this - 1) calls (pt-217-2007 86)"
    )
    rake_order: Literal["rake_then_divide", "divide_then_rake"] = "rake_then_divide"
    rake_cap: int | None = Field(default=None, description="most that a hand is charged")
    showing: Literal["last_aggressor", "round_opener"] = "last_aggressor"
    void_moves_lead: bool = False
    table_max: int | None = Field(default=None, description="nominal maximum of the table (pt-217-2007 20)")
    chat: Literal["off", "hold", "block"] = Field(default="off", description="messages while a round runs")
    warning_limit: int = Field(default=0, description="warnings for conduct after which one leaves; 0 = staff decide")
    slow_warning_limit: int = Field(default=0, description="decisions let run out after which one leaves; 0 = never")
    offer_ms: int = Field(default=60_000, description="how long a seat is kept for who is next on the list")
    registered_only: bool = Field(default=False, description="only the registered play (pt-811-2015 6.b)")
    seats_by_draw: bool = Field(default=False, description="the first seats are drawn by lot (pt-217-2007 11)")
    in_sessions: bool = Field(default=False, description="session mode (pt-217-2007 74)")
    opens_at: int | None = Field(default=None, description="hours of a session table, fixed in advance")
    closes_at: int | None = None
    limits_notice_ms: int = Field(default=0, description="notice before other limits hold (pt-217-2007 22)")
    close_after_ms: int | None = Field(default=None, description="how long it may stand suspended (pt-217-2007 24)")
    dealing: Literal["virtual", "live"] = Field(default="virtual", description="generator, or a dealer and a scanner")
    shuffler: Literal["manual", "automatic"] = "manual"
    decks: str = Field(default="", description="decks of a live table and their colours: R:red,B:blue")
    session_ms: int = Field(default=3_600_000, description="session that is charged for (pt-217-2007 7.b)")
    rate_fixed_for_game: bool = Field(default=False, description="charge and sessions stay until it closes (7)")
    session_fee_base: Literal["table_max", "buy_in"] | None = None
    session_tail: Literal["orbit", "current_hand"] = "orbit"
    sessions: int | None = Field(default=None, description="so many, then the table closes (pt-217-2007 74)")
    entry_rule: Literal["range", "average_or_minimum", "average", "minimum"] = Field(
        default="range", description="stack to enter a running game with (pt-217-2007 28)"
    )
    entry_minimum: int = 0
    smallest_chip: int = 1
    rebuy: int | None = Field(default=None, description="the one amount of a top-up (pt-217-2007 75)")
    rest_hands: int = Field(default=0, description="hands of rest with the seat kept (pt-217-2007 13)")
    sit_out_limit: int = 0
    rest_repeat_limit: int = 0
    mixed: str = Field(default="", description="the other variant of a mixed table (pt-217-2007 23)")
    choice_ms: int = 0
    authorised_min: int | None = Field(default=None, description="least table minimum of the authorisation (22)")
    authorised_max: int | None = None
    timer_action: Literal["act", "none"] = Field(default="act", description="act for the absent, or warn and wait")
    tournament: str = Field(default="", description="whose chips the stacks are; empty: a cash table")
