"""What an operator chose for a table, inside the bounds of its rulebook; published with the table.

Amounts are minor units of `currency`, times milliseconds, rates basis points (500 = 5 %). `game` says whose
configuration it is. What a game makes of its own stands in `services/table/domain/games/<game>/configuration.py`.
A rulebook names all values in one list; `grouped` puts each where it belongs, `rake_cap` to `rake.cap`.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec
from msgspec.structs import replace

from libs.cards.games import Variant
from libs.contracts.facts import BasisPoints, Chips, Fact, Milliseconds, Moment

Kind = Literal["real", "demo", "tournament"]
"""What is played for: money, play money, or tournament chips, which are neither."""


class Entry(Fact):
    """Who may sit down, with what."""

    buy_in_min: Chips
    """Least buy-in; where the house takes its part of the buy-in, before that is taken."""
    buy_in_max: Chips
    """Most that may be brought."""
    top_up_to: Chips
    """A top-up may raise the stack to this much."""
    registered_only: bool = False
    """Only who has registered may play (pt-811-2015 6.b)."""
    seats_by_draw: bool = False
    """The first seats are drawn by lot among the registered (pt-217-2007 11)."""


class Timing(Fact):
    """Clocks and hours of any table."""

    break_ms: Milliseconds
    """How long a player may be on a break before the invitation to leave."""
    reservation_ms: Milliseconds
    """How long a seat is kept while the wallet reserves the buy-in."""
    reentry_ms: Milliseconds
    """Who returns within it must bring what was taken away (10, 11.a); 0 = off."""
    offer_ms: Milliseconds = 60000
    """How long a seat is kept for who is next on the list."""
    in_sessions: bool = False
    """Played in sessions rather than continuously (pt-217-2007 74)."""
    opens_at: Moment | None = None
    """When a session table opens, fixed in advance."""
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
    """Id of the rulebook: `pt-811-2015-omaha`."""
    version: Annotated[int, msgspec.Meta(ge=1)]
    """Of this table's configuration; each change has a higher one."""
    approval: str
    """Approval reference of this version; empty for play money."""
    currency: Annotated[str, msgspec.Meta(pattern="^[A-Z]{3}$")]
    """ISO 4217; `FUN` for play money, `XXX` (none) in tournaments."""
    kind: Kind
    """Real money, play money (`demo`) or tournament chips."""
    seats: Annotated[int, msgspec.Meta(ge=1, le=11)]
    """Number of seats."""
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
    """How large a bet may be."""
    raise_cap: int | None
    """So many bets and raises in a betting round; None: no limit."""
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


class Rake(Fact):
    """What the house takes, and of what."""

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

    stack: Literal["big_blind", "one_chip"] = "big_blind"
    """The least stack that is dealt in (pt-811-2015 15)."""
    rule: Literal["range", "average_or_minimum", "average", "minimum"] = "range"
    """What somebody brings who sits down while the game runs (pt-217-2007 28)."""
    minimum: Chips = 0
    """Least stack to join a running game with, in the rules that speak of one (pt-217-2007 78)."""
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
    timer_action: Literal["act", "none"] = "act"
    """Whether the house acts for who does not decide, or only warns and waits (pt-217-2007 71.a)."""
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


class BankedTiming(Timing):
    """Clocks and hours of a table against the house."""

    resume_ms: Milliseconds
    """A round is void when the house was down for longer."""
    idle_ms: Milliseconds
    """Single table: longer without a bet, and the player is invited to end the session."""
    idle_rounds: int
    """Table for many: the same after more rounds in a row without a bet."""
    idle_warning_ms: Milliseconds
    """Single table: from warning to end."""
    between_rounds_ms: Milliseconds
    """Pause between rounds."""


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
    """Time to go on or to fold, one deadline for all seats (21)."""
    extra_ms: Milliseconds
    """After the warning (31)."""


class NoDrawBetting(Fact):
    """Limits, and what becomes of bets where nobody simply wins."""

    min_ante: Chips
    """Least ante."""
    max_ante: Chips
    """Limit of the ante alone (reading of 16 and 18)."""
    maximum_applies_to: Literal["ante"] = "ante"
    """Our reading of 18: the limit is of the ante, the second bet follows from it."""
    dealer_not_qualified_bet: Literal["returned"] = "returned"
    """The second bet when the dealer does not qualify (26)."""
    exact_tie: Literal["push"] = "push"
    """Both bets when the hands are equal (11)."""


class NoDrawPays(Fact):
    """A winning second bet is paid this many times, to 1 (12)."""

    royal_flush: int
    """Royal flush."""
    straight_flush: int
    """Straight flush."""
    four_of_a_kind: int
    """Four of a kind."""
    full_house: int
    """Full house."""
    flush: int
    """Flush."""
    straight: int
    """Straight."""
    three_of_a_kind: int
    """Three of a kind."""
    two_pair: int
    """Two pairs."""
    pair: int
    """One pair."""
    high_card: int
    """High card, no pair."""


class NoDrawDealing(Fact):
    """How hands are dealt, ranked and shown."""

    high_card_suit_tiebreak: bool
    """Three of one suit break a tie of high cards (9)."""
    side_cards: Literal["all_in_descending_order"] = "all_in_descending_order"
    """Which side cards compare hands of one category (13.d)."""
    ace_high_straight: Literal["highest"] = "highest"
    """Rank of ace, king, queen, jack, ten (8)."""
    burn_card: Literal["first_face_down"] = "first_face_down"
    """The card that is laid aside (19.a)."""
    hands_if_dealer_not_qualified: Literal["hidden"] = "hidden"
    """Whether players' cards are shown when the dealer does not qualify (27)."""


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
    """Least total of a player on a chance."""
    max_ponto_banca: Chips | None = None
    """Most of a player's total on Ponto, and on Banca (15.a); None in the Macau variant (40)."""
    max_tie: Chips | None = None
    """Most of a player's total on the tie (15.b)."""
    max_pair: Chips | None = None
    """Most of a player's total on each pair (15.c)."""
    pair_bets: bool
    """Whether pairs may be bet on (10)."""
    pair_requires_main_bet: bool
    """A bet on a pair needs one on Ponto, Banca or the tie beside it (10)."""
    prize_limit: Chips | None = None
    """Macau variant: what rule 43 measures the table's stakes against (41)."""
    commission_mode: Literal["none", "five-percent", "half-on-5", "half-on-6"]
    """What a win on Banca costs (26): nothing, 5 %, or half of the winnings when Banca wins with five or with six."""


class BaccaratDealing(Fact):
    """The shoe."""

    decks: int
    """Decks in the shoe."""
    cut_cards: int
    """So many cards lie behind the cut card (FP-1)."""
    burn_cards: int
    """So many of a fresh shoe are laid aside unseen; none, unless the specific rules say so (FP-2)."""
    shuffle_every_coup: bool
    """Whether each coup has a fresh shoe."""


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
_KINDS: tuple[type[AnyConfiguration], ...] = get_args(AnyConfiguration)
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
