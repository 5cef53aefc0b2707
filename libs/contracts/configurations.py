"""What an operator chose for a table, inside the bounds of its rulebook; published with the table.

Amounts are minor units of `currency`, times milliseconds, rates basis points (500 = 5 %). `game` says whose
configuration it is. What a game makes of its own stands in `services/table/domain/games/<game>/configuration.py`.
"""

from typing import Annotated, Literal

import msgspec

from libs.cards.games import Variant
from libs.contracts.facts import BasisPoints, Chips, Fact, Milliseconds, Moment

Kind = Literal["real", "demo", "tournament"]
"""What is played for: money, play money, or tournament chips, which are neither."""


class Configuration(Fact, tag_field="game", tag="none"):
    """What all tables have. `approval` is the reference of this version's approval; empty for play money."""

    rulebook: str
    version: Annotated[int, msgspec.Meta(ge=1)]
    approval: str
    """Approval reference of this version; empty for play money."""
    currency: Annotated[str, msgspec.Meta(pattern="^[A-Z]{3}$")]
    kind: Kind
    seats: Annotated[int, msgspec.Meta(ge=1, le=11)]
    buy_in_min: Chips
    buy_in_max: Chips
    top_up_to: Chips
    break_ms: Milliseconds
    reservation_ms: Milliseconds
    reentry_ms: Milliseconds
    """Who returns within it must bring what was taken away (10, 11.a); 0 = off."""
    chat: Literal["off", "hold", "block"] = "off"
    """What becomes of messages while a round runs: withheld until it is over, or never delivered."""
    warning_limit: int = 0
    """So many warnings for conduct in a game, and the player leaves; 0: staff decide."""
    slow_warning_limit: int = 0
    """So many decisions let run out; 0: no warnings."""
    offer_ms: Milliseconds = 60000
    """How long a seat is kept for who is next on the list."""
    registered_only: bool = False
    """Only who has registered may play (pt-811-2015 6.b)."""
    seats_by_draw: bool = False
    """The first seats are drawn by lot among the registered (pt-217-2007 11)."""
    in_sessions: bool = False
    """Played in sessions rather than continuously (pt-217-2007 74)."""
    opens_at: Moment | None = None
    """Hours of a session table, fixed in advance."""
    closes_at: Moment | None = None
    """Hours of a session table, fixed in advance (pt-811-2015 6.b)."""
    limits_notice_ms: Milliseconds = 0
    """Between the announcement of other limits and the first hand with them (pt-217-2007 22)."""
    close_after_ms: Milliseconds | None = None
    """How long a table may stand suspended for want of players (pt-217-2007 24); None: for ever."""
    tournament: str = ""
    """Whose table it is: stacks are chips of this tournament, and only it seats and takes off; empty: a cash table."""

    @property
    def game(self) -> str:
        """Folder of the game in `services/table/domain/games`."""
        return str(type(self).__struct_config__.tag)

    @property
    def live(self) -> bool:
        """Whether a human deals."""
        return False

    @property
    def least_players(self) -> int:
        """Fewest with whom a round starts."""
        return 1

    @property
    def regulation(self) -> str:
        """What rule references start with: `pt-811-2015`."""
        return self.rulebook

    @property
    def played_seats(self) -> int:
        """Seats that are played, from 1 on; those above stay closed."""
        return self.seats

    def commission_on(self, amount: int) -> int:
        """What the house keeps of a buy-in or top-up, minor units; 0 unless the game takes its part there."""
        return 0

    def rule_of(self, reason: str) -> str | None:
        """Number of the rule behind a refusal under this table's regulation; None: a house rule of ours."""
        return None


class PokerConfiguration(Configuration, tag="poker"):
    """A table of poker, of whichever variant and regulation."""

    structure: Literal["pot_limit", "no_limit", "limit_half_pot", "limit_raise_count", "pot_limit_with_raise_cap"]
    raise_cap: int | None
    raise_cap_lifted_heads_up: bool
    heads_up_size_unlimited: bool = False
    """Mo-97-2010 12.4 by the letter."""
    small_blind: Chips
    small_blind_reason: str = ""
    """Why it is not half the big blind (mo-97-2010 5.1)."""
    big_blind: Chips
    rake_mode: Literal["pot", "buy_in", "session"]
    rake_bp: BasisPoints
    """Basis points: 500 = 5 %."""
    rake_cap_big_blinds: int | None
    no_flop_no_rake: bool
    flop_round_without_bet_no_rake: bool
    rake_per_payment_when_all_in: bool
    odd_unit: Literal["one_unit_each_clockwise_from_button", "whole_remainder_to_lowest_seat"]
    min_unit: Chips
    heads_up_blinds: Literal["button_small", "left_of_button"]
    first_button: Literal["drawn", "lowest_seat"]
    deal_from: Literal["small_blind", "left_of_button"]
    burn_before_board: bool
    decision_ms: Milliseconds
    time_bank_ms: Milliseconds
    waiting_ms: Milliseconds
    """Wait for a top-up before the invitation to leave (pt-811-2015 70.a)."""
    absent_hands: int
    """More than this many absent hands in a row invite to leave (70.b)."""
    between_hands_ms: Milliseconds
    variant: Variant = "omaha"
    """Omaha: exactly two of four hole cards."""
    ante: Chips = 0
    """From everybody dealt in, each hand."""
    big_blind_ante: Chips = 0
    """From the big blind for everybody; dead money."""
    straddle: Chips = 0
    """Posted left of the big blind when more than two play; 0 = off."""
    entry_stack: Literal["big_blind", "one_chip"] = "big_blind"
    """The least stack that is dealt in (pt-811-2015 15)."""
    positions: Literal["button", "lead"] = "button"
    """Whether a button marks the seat before the small blind, or a lead marker the small blind itself."""
    blinds: bool = True
    """False: an ante and no blinds (pt-217-2007 S.6)."""
    entering: Literal["with_big_blind", "missed_blinds"] = "with_big_blind"
    """Who was away waits for the big blind, or is dealt in at once and pays dead what passed meanwhile."""
    idle_hands: int = 0
    """After this many hands dealt in without a chip a live big blind is due; 0: never."""
    min_players: int = 2
    """Fewer are not dealt to."""
    open_seats: int = 0
    """Seats that are played, from 1 on; 0: all."""
    minimum_raise: Literal["last_full_raise", "table_minimum"] = "last_full_raise"
    raise_cap_judged: Literal["when_reached", "each_decision"] = "when_reached"
    """When it is asked whether only two are left, which lifts the cap."""
    pot_multiplier: int = 2
    """How often the call counts in the largest pot-limit raise to a total; 2 is the usual pot limit."""
    rake_order: Literal["rake_then_divide", "divide_then_rake"] = "rake_then_divide"
    rake_cap: Chips | None = None
    """Most that a hand is charged, as money."""
    showing: Literal["last_aggressor", "round_opener"] = "last_aggressor"
    """Who shows first."""
    void_moves_lead: bool = False
    table_max: Chips | None = None
    """Nominal maximum of the table, of which the minimum is a part."""
    dealing: Literal["virtual", "live"] = "virtual"
    """Whether cards come from the generator, or from a dealer's hands and a scanner (pt-217-2007 FP-6)."""
    shuffler: Literal["manual", "automatic"] = "manual"
    decks: str = ""
    """Decks of a live table and their colours: `R:red,B:blue`."""
    session_ms: Milliseconds = 3600000
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
    entry_minimum: Chips = 0
    smallest_chip: Chips = 1
    rebuy: Chips | None = None
    """The one amount of a top-up (pt-217-2007 75); None: any up to the ceiling."""
    rest_hands: int = 0
    """Hands that a player may rest and keep the seat (pt-217-2007 13); 0: no such right."""
    sit_out_limit: int = 0
    """Hands sat out in a row after which the seat is free; 0: invitations and warnings instead."""
    rest_repeat_limit: int = 0
    mixed: str = ""
    """The other variant of a mixed table, which the lead player may choose (pt-217-2007 23)."""
    choice_ms: Milliseconds = 0
    authorised_min: Chips | None = None
    """Least table minimum of the authorisation (22)."""
    authorised_max: Chips | None = None
    """Between which table minimums the house may change the limits (pt-217-2007 22)."""
    timer_action: Literal["act", "none"] = "act"
    """Whether the house acts for who does not decide, or only warns and waits (pt-217-2007 71.a)."""

    @property
    def live(self) -> bool:
        return self.dealing == "live"


class BankedConfiguration(Configuration, tag="banked"):
    """What all games against the house have."""

    mode: Literal["single", "multi"]
    """A table for one player, or for many."""
    resume_ms: Milliseconds
    """A standstill of the house this long makes the round void."""
    idle_ms: Milliseconds
    """Single table: longer without a bet, and the player is invited to end the session."""
    idle_rounds: int
    """Table for many: the same after more rounds in a row without a bet."""
    idle_warning_ms: Milliseconds
    """Single table: from warning to end."""
    between_rounds_ms: Milliseconds


class NoDrawConfiguration(BankedConfiguration, tag="no_draw_poker"):
    """No-draw poker (pt-803-2015-no-draw)."""

    min_ante: Chips
    max_ante: Chips
    """Limit of the ante alone (reading of 16 and 18)."""
    betting_ms: Milliseconds
    """How long antes may be placed at a table for many (14); a single player deals himself (15)."""
    decision_ms: Milliseconds
    extra_ms: Milliseconds
    """After the warning (31)."""
    high_card_suit_tiebreak: bool
    """Three of one suit break a tie of high cards (9)."""
    pays_royal_flush: int
    """A winning second bet is paid this many times, to 1."""
    pays_straight_flush: int
    pays_four_of_a_kind: int
    pays_full_house: int
    pays_flush: int
    pays_straight: int
    pays_three_of_a_kind: int
    pays_two_pair: int
    pays_pair: int
    pays_high_card: int
    dealer_not_qualified_bet: Literal["returned"] = "returned"
    exact_tie: Literal["push"] = "push"
    side_cards: Literal["all_in_descending_order"] = "all_in_descending_order"
    ace_high_straight: Literal["highest"] = "highest"
    maximum_applies_to: Literal["ante"] = "ante"
    burn_card: Literal["first_face_down"] = "first_face_down"
    hands_if_dealer_not_qualified: Literal["hidden"] = "hidden"


class BaccaratConfiguration(BankedConfiguration, tag="baccarat"):
    """Baccarat and its Macau variant (pt-812-2015-baccarat)."""

    approved_on: str
    """Date of the regulator's approval, ISO 8601; the reference is `approval` (D.3)."""
    variant: Literal["ponto-e-banca", "macau"]
    """What differs is the limits alone (39)."""
    decks: int
    cut_cards: int
    """So many cards lie behind the cut card (FP-1)."""
    burn_cards: int
    """So many of a fresh shoe are laid aside unseen; none, unless the specific rules say so (FP-2)."""
    shuffle_every_coup: bool
    min_bet: Chips
    max_ponto_banca: Chips | None = None
    """Limits of a player's total on each chance; None in the Macau variant (15, 40)."""
    max_tie: Chips | None = None
    max_pair: Chips | None = None
    pair_bets: bool
    pair_requires_main_bet: bool
    prize_limit: Chips | None = None
    """Macau variant: what rule 43 measures the table's stakes against (41)."""
    commission_mode: Literal["none", "five-percent", "half-on-5", "half-on-6"]
    betting_ms: Milliseconds | None
    """How long bets may be placed; None: a single player deals himself (27, 28)."""


AnyConfiguration = PokerConfiguration | NoDrawConfiguration | BaccaratConfiguration
_KINDS: tuple[type[AnyConfiguration], ...] = (PokerConfiguration, NoDrawConfiguration, BaccaratConfiguration)


def as_told(configuration: Configuration) -> AnyConfiguration:
    """What an event tells of a configuration: the operator's choices, without what a game makes of them."""
    kind = next(kind for kind in _KINDS if isinstance(configuration, kind))
    return kind(**{name: getattr(configuration, name) for name in kind.__struct_fields__})
