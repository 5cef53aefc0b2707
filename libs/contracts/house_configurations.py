"""What an operator chose for a table against the house; published with the table, as `Configuration` is for poker.

Amounts are minor units of `currency`, times milliseconds. One field here is one field of the game's own configuration.
"""

from typing import Literal

from pydantic import Field

from libs.contracts.messages import Message


class HouseConfiguration(Message):
    """What all games against the house have."""

    rulebook: str
    version: int = Field(ge=1)
    approval: str = Field(description="approval reference of this version; empty for play money")
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    kind: Literal["real", "demo"]
    seats: int = Field(ge=1, le=9)
    mode: Literal["single", "multi"] = Field(description="a table for one player, or for many")
    buy_in_min: int
    buy_in_max: int
    top_up_to: int
    break_ms: int
    reservation_ms: int
    reentry_ms: int
    resume_ms: int = Field(description="a standstill of the house this long makes the round void")
    idle_ms: int = Field(description="single table: longer without a bet, and the player is invited to end the session")
    idle_rounds: int = Field(description="table for many: the same after more rounds in a row without a bet")
    idle_warning_ms: int = Field(description="single table: from warning to end")
    between_rounds_ms: int
    chat: Literal["off", "hold", "block"] = "off"
    warning_limit: int = 0
    slow_warning_limit: int = 0
    offer_ms: int = 60_000
    registered_only: bool = False
    seats_by_draw: bool = False
    in_sessions: bool = False
    opens_at: int | None = None
    closes_at: int | None = None
    limits_notice_ms: int = 0
    close_after_ms: int | None = None
    tournament: str = Field(default="", description="none: no game against the house has tournament tables")


class NoDrawConfiguration(HouseConfiguration):
    """No-draw poker (pt-803-2015-no-draw)."""

    game: Literal["no_draw_poker"] = "no_draw_poker"
    seats: int = Field(ge=1, le=7)
    min_ante: int
    max_ante: int = Field(description="limit of the ante alone; at most 25 times the least")
    betting_ms: int = Field(description="how long antes may be placed at a table for many")
    decision_ms: int
    extra_ms: int = Field(description="after the warning")
    high_card_suit_tiebreak: bool
    pays_royal_flush: int = Field(description="a winning second bet is paid this many times, to 1")
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


class BaccaratConfiguration(HouseConfiguration):
    """Baccarat and its Macau variant (pt-812-2015-baccarat)."""

    game: Literal["baccarat"] = "baccarat"
    approved_on: str = Field(description="date of the regulator's approval, ISO 8601")
    variant: Literal["ponto-e-banca", "macau"] = Field(description="what differs is the limits alone")
    decks: int
    cut_cards: int = Field(description="so many cards lie behind the cut card")
    burn_cards: int
    shuffle_every_coup: bool
    min_bet: int
    max_ponto_banca: int | None = Field(default=None, description="of one player's total; null: unlimited (40)")
    max_tie: int | None = None
    max_pair: int | None = None
    pair_bets: bool
    pair_requires_main_bet: bool
    prize_limit: int | None = Field(default=None, description="what rule 43 measures the table's stakes against (41)")
    commission_mode: Literal["none", "five-percent", "half-on-5", "half-on-6"]
    betting_ms: int | None = Field(description="how long bets may be placed; null: a single player starts the deal")
