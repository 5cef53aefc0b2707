"""What an operator chose for a table, inside the bounds of its rulebook; published with the table.

Amounts are minor units of `currency`, times milliseconds, rates basis points (500 = 5 %). `game` says whose
configuration it is. What a game makes of its own stands in `services/table/domain/games/<game>/configuration.py`.
A rulebook names all values in one list; `grouped` puts each where it belongs, `rake_cap` to `rake.cap`.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from libs.cards.games import Variant
from libs.contracts.facts import BasisPoints, Chips, Fact, Milliseconds, Moment

Kind = Literal["real", "demo", "tournament"]
"""What is played for: money, play money, or tournament chips, which are neither."""


class Entry(Fact):
    """Who may sit down, with what."""

    buy_in_min: Chips
    buy_in_max: Chips
    top_up_to: Chips
    registered_only: bool = False
    """Only who has registered may play (pt-811-2015 6.b)."""
    seats_by_draw: bool = False
    """The first seats are drawn by lot among the registered (pt-217-2007 11)."""


class Timing(Fact):
    """Clocks and hours of any table."""

    break_ms: Milliseconds
    reservation_ms: Milliseconds
    reentry_ms: Milliseconds
    """Who returns within it must bring what was taken away (10, 11.a); 0 = off."""
    offer_ms: Milliseconds = 60000
    """How long a seat is kept for who is next on the list."""
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


class Conduct(Fact):
    """Talk and warnings."""

    chat: Literal["off", "hold", "block"] = "off"
    """What becomes of messages while a round runs: withheld until it is over, or never delivered."""
    warning_limit: int = 0
    """So many warnings for conduct in a game, and the player leaves; 0: staff decide."""
    slow_warning_limit: int = 0
    """So many decisions let run out; 0: no warnings."""


class Configuration(Fact, tag_field="game", tag="none"):
    """What all tables have."""

    rulebook: str
    version: Annotated[int, msgspec.Meta(ge=1)]
    approval: str
    """Approval reference of this version; empty for play money."""
    currency: Annotated[str, msgspec.Meta(pattern="^[A-Z]{3}$")]
    kind: Kind
    seats: Annotated[int, msgspec.Meta(ge=1, le=11)]
    tournament: str = ""
    """Whose table it is: stacks are chips of this tournament, and only it seats and takes off; empty: a cash table."""
    entry: Entry
    timing: Timing
    conduct: Conduct

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


class PokerBetting(Fact):
    """Blinds, antes and what a bet may be."""

    structure: Literal["pot_limit", "no_limit", "limit_half_pot", "limit_raise_count", "pot_limit_with_raise_cap"]
    raise_cap: int | None
    raise_cap_lifted_heads_up: bool
    raise_cap_judged: Literal["when_reached", "each_decision"] = "when_reached"
    """When it is asked whether only two are left, which lifts the cap."""
    heads_up_size_unlimited: bool = False
    """Mo-97-2010 12.4 by the letter."""
    minimum_raise: Literal["last_full_raise", "table_minimum"] = "last_full_raise"
    pot_multiplier: int = 2
    """How often the call counts in the largest pot-limit raise to a total; 2 is the usual pot limit."""
    small_blind: Chips
    small_blind_reason: str = ""
    """Why it is not half the big blind (mo-97-2010 5.1)."""
    big_blind: Chips
    blinds: bool = True
    """False: an ante and no blinds (pt-217-2007 S.6)."""
    heads_up_blinds: Literal["button_small", "left_of_button"]
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
    authorised_min: Chips | None = None
    """Least table minimum of the authorisation (22)."""
    authorised_max: Chips | None = None
    """Between which table minimums the house may change the limits (pt-217-2007 22)."""


class Rake(Fact):
    """What the house takes, and of what."""

    mode: Literal["pot", "buy_in", "session"]
    bp: BasisPoints
    """Basis points: 500 = 5 %."""
    cap_big_blinds: int | None
    cap: Chips | None = None
    """Most that a hand is charged, as money."""
    order: Literal["rake_then_divide", "divide_then_rake"] = "rake_then_divide"
    per_payment_when_all_in: bool
    no_flop_no_rake: bool
    flop_round_without_bet_no_rake: bool
    rate_fixed_for_game: bool = False
    """How and how much is charged, and how many sessions there are, stays until the table closes (pt-217-2007 7)."""
    session_ms: Milliseconds = 3600000
    """Length of a session that is charged for (pt-217-2007 7.b)."""
    session_fee_base: Literal["table_max", "buy_in"] | None = None
    session_tail: Literal["orbit", "current_hand"] = "orbit"
    """What is still played when the hour is over."""
    sessions: int | None = None
    """So many sessions, and the table closes (pt-217-2007 74); None: no number."""


class PokerEntry(Entry):
    """Who may sit down and who is dealt in, with what."""

    stack: Literal["big_blind", "one_chip"] = "big_blind"
    """The least stack that is dealt in (pt-811-2015 15)."""
    rule: Literal["range", "average_or_minimum", "average", "minimum"] = "range"
    """What somebody brings who sits down while the game runs (pt-217-2007 28)."""
    minimum: Chips = 0
    rebuy: Chips | None = None
    """The one amount of a top-up (pt-217-2007 75); None: any up to the ceiling."""
    entering: Literal["with_big_blind", "missed_blinds"] = "with_big_blind"
    """Who was away waits for the big blind, or is dealt in at once and pays dead what passed meanwhile."""
    min_players: int = 2
    """Fewer are not dealt to."""
    open_seats: int = 0
    """Seats that are played, from 1 on; 0: all."""


class PokerDealing(Fact):
    """Who deals what, from where, and who shows."""

    mixed: str = ""
    """The other variant of a mixed table, which the lead player may choose (pt-217-2007 23)."""
    dealer: Literal["virtual", "live"] = "virtual"
    """Whether cards come from the generator, or from a dealer's hands and a scanner (pt-217-2007 FP-6)."""
    shuffler: Literal["manual", "automatic"] = "manual"
    decks: str = ""
    """Decks of a live table and their colours: `R:red,B:blue`."""
    positions: Literal["button", "lead"] = "button"
    """Whether a button marks the seat before the small blind, or a lead marker the small blind itself."""
    first_button: Literal["drawn", "lowest_seat"]
    deal_from: Literal["small_blind", "left_of_button"]
    burn_before_board: bool
    void_moves_lead: bool = False
    showing: Literal["last_aggressor", "round_opener"] = "last_aggressor"
    """Who shows first."""
    odd_unit: Literal["one_unit_each_clockwise_from_button", "whole_remainder_to_lowest_seat"]
    """Who gets what is left of a pot that can't be divided evenly."""
    min_unit: Chips
    """In what pieces a pot is divided."""


class PokerTiming(Timing):
    """Clocks and hours, and what absence costs."""

    decision_ms: Milliseconds
    time_bank_ms: Milliseconds
    timer_action: Literal["act", "none"] = "act"
    """Whether the house acts for who does not decide, or only warns and waits (pt-217-2007 71.a)."""
    between_hands_ms: Milliseconds
    choice_ms: Milliseconds = 0
    waiting_ms: Milliseconds
    """Wait for a top-up before the invitation to leave (pt-811-2015 70.a)."""
    absent_hands: int
    """More than this many absent hands in a row invite to leave (70.b)."""
    rest_hands: int = 0
    """Hands that a player may rest and keep the seat (pt-217-2007 13); 0: no such right."""
    rest_repeat_limit: int = 0
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


class BankedTiming(Timing):
    """Clocks and hours of a table against the house."""

    resume_ms: Milliseconds
    """A standstill of the house this long makes the round void."""
    idle_ms: Milliseconds
    """Single table: longer without a bet, and the player is invited to end the session."""
    idle_rounds: int
    """Table for many: the same after more rounds in a row without a bet."""
    idle_warning_ms: Milliseconds
    """Single table: from warning to end."""
    between_rounds_ms: Milliseconds


class BankedConfiguration(Configuration, tag="banked"):
    """What all games against the house have."""

    mode: Literal["single", "multi"]
    """A table for one player, or for many."""
    timing: BankedTiming


class NoDrawTiming(BankedTiming):
    """Clocks and hours of a table of no-draw poker."""

    betting_ms: Milliseconds
    """How long antes may be placed at a table for many (14); a single player deals himself (15)."""
    decision_ms: Milliseconds
    extra_ms: Milliseconds
    """After the warning (31)."""


class NoDrawBetting(Fact):
    """Limits, and what becomes of bets where nobody simply wins."""

    min_ante: Chips
    max_ante: Chips
    """Limit of the ante alone (reading of 16 and 18)."""
    maximum_applies_to: Literal["ante"] = "ante"
    dealer_not_qualified_bet: Literal["returned"] = "returned"
    exact_tie: Literal["push"] = "push"


class NoDrawPays(Fact):
    """A winning second bet is paid this many times, to 1 (12)."""

    royal_flush: int
    straight_flush: int
    four_of_a_kind: int
    full_house: int
    flush: int
    straight: int
    three_of_a_kind: int
    two_pair: int
    pair: int
    high_card: int


class NoDrawDealing(Fact):
    """How hands are dealt, ranked and shown."""

    high_card_suit_tiebreak: bool
    """Three of one suit break a tie of high cards (9)."""
    side_cards: Literal["all_in_descending_order"] = "all_in_descending_order"
    ace_high_straight: Literal["highest"] = "highest"
    burn_card: Literal["first_face_down"] = "first_face_down"
    hands_if_dealer_not_qualified: Literal["hidden"] = "hidden"


class NoDrawConfiguration(BankedConfiguration, tag="no_draw_poker"):
    """No-draw poker (pt-803-2015-no-draw)."""

    timing: NoDrawTiming
    betting: NoDrawBetting
    paytable: NoDrawPays
    dealing: NoDrawDealing


class BaccaratTiming(BankedTiming):
    """Clocks and hours of a table of baccarat."""

    betting_ms: Milliseconds | None
    """How long bets may be placed; None: a single player deals himself (27, 28)."""


class BaccaratBetting(Fact):
    """Limits and the commission."""

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


class BaccaratDealing(Fact):
    """The shoe."""

    decks: int
    cut_cards: int
    """So many cards lie behind the cut card (FP-1)."""
    burn_cards: int
    """So many of a fresh shoe are laid aside unseen; none, unless the specific rules say so (FP-2)."""
    shuffle_every_coup: bool


class BaccaratConfiguration(BankedConfiguration, tag="baccarat"):
    """Baccarat and its Macau variant (pt-812-2015-baccarat)."""

    approved_on: str
    """Date of the regulator's approval, ISO 8601; the reference is `approval` (D.3)."""
    variant: Literal["ponto-e-banca", "macau"]
    """What differs is the limits alone (39)."""
    timing: BaccaratTiming
    betting: BaccaratBetting
    dealing: BaccaratDealing


AnyConfiguration = PokerConfiguration | NoDrawConfiguration | BaccaratConfiguration
_KINDS: tuple[type[AnyConfiguration], ...] = (PokerConfiguration, NoDrawConfiguration, BaccaratConfiguration)
ConfigurationT = TypeVar("ConfigurationT", bound=Configuration)


def as_told(configuration: Configuration) -> AnyConfiguration:
    """What an event tells of a configuration: the operator's choices, without what a game makes of them."""
    kind = next(kind for kind in _KINDS if isinstance(configuration, kind))
    return kind(**{name: getattr(configuration, name) for name in kind.__struct_fields__})


def places(kind: type[Configuration]) -> Iterator[tuple[str, str, str]]:
    """Each value of a configuration: its group, its name there, and its name in a rulebook.

    Group and name stay apart in the second and third: `rake`, `cap`, `rake_cap`. Empty: it is in no group.
    """
    for field in msgspec.structs.fields(kind):
        if not (isinstance(field.type, type) and issubclass(field.type, Fact)):
            yield "", field.name, field.name
            continue
        for inner in field.type.__struct_fields__:
            yield field.name, inner, inner if (field.name, inner) not in _PREFIX else _PREFIX[field.name, inner] + inner


_PREFIX = (
    {("rake", name): "rake_" for name in ("mode", "bp", "cap", "cap_big_blinds", "order", "per_payment_when_all_in")}
    | {("entry", name): "entry_" for name in ("stack", "rule", "minimum")}
    | {("paytable", name): "pays_" for name in NoDrawPays.__struct_fields__}
)
"""What a rulebook puts before a value's name in its group."""


def grouped(kind: type[ConfigurationT], values: Mapping[str, Any]) -> ConfigurationT:
    """The configuration of a rulebook's values. msgspec.ValidationError when one is missing or not what it must be."""
    fields: dict[str, Any] = {"game": kind.__struct_config__.tag}
    for group, name, flat in places(kind):
        into = fields.setdefault(group, {}) if group else fields
        if flat in values:
            into[name] = values[flat]
    return msgspec.convert(fields, kind)


def changed(configuration: ConfigurationT, values: Mapping[str, Any]) -> ConfigurationT:
    """The configuration with other values, named as in a rulebook; one that it has not is passed over."""
    whole: dict[str, Any] = {}
    for group, name, flat in places(type(configuration)):
        if flat in values:
            (whole.setdefault(group, {}) if group else whole)[name] = values[flat]
    for group in [name for name, new in whole.items() if isinstance(new, dict)]:
        whole[group] = replace(getattr(configuration, group), **whole[group])
    return replace(configuration, **whole)


def flat(configuration: Configuration) -> dict[str, Any]:
    """All values by the names that a rulebook has for them, and the game."""
    values = {
        known: getattr(getattr(configuration, group) if group else configuration, name)
        for group, name, known in places(type(configuration))
    }
    return {"game": configuration.game, **values}
