"""A tournament's specific rules: what an organiser lays down before registration opens, and nobody changes afterwards.

Amounts are minor units of `currency`, chips the tournament's own, times milliseconds, shares basis points. What a
definition must keep to is judged in `services/tournament/domain/definition.py`.
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Annotated, Literal

import msgspec

from libs.contracts.commands import MAX_AMOUNT, Values
from libs.contracts.facts import Fact, When
from libs.contracts.texts import Id, Term, line

REGULATION = "pt-810-2015"
"""Reg. 810/2015, poker in tournament mode online."""
MAX_PLAYERS = 2_500
"""One event tells of everybody who gets money back, and has to fit into one record of the journal."""
MAX_PRICE, MAX_STACK = 10**9, 10**9
"""Of one entry or rebuy: a million of them stay below what a sum may be."""

TournamentId = Annotated[str, msgspec.Meta(min_length=1, max_length=48, pattern=r"^[a-z0-9][a-z0-9._:-]*(?!\n)$")]
"""Of a new tournament; its tables and tickets are named after it. In small letters, so that none differs from another
one by its case alone, and without a platform's mark: tournaments are the house's (ADR 12)."""
Money = Annotated[int, msgspec.Meta(ge=0, le=MAX_AMOUNT, description="minor units of the currency (cents)")]
Paid = Annotated[int, msgspec.Meta(ge=0, le=MAX_PRICE, description="minor units of the currency (cents)")]
Chips = Annotated[int, msgspec.Meta(ge=0, le=MAX_AMOUNT, description="chips of the tournament")]
Bet = Annotated[int, msgspec.Meta(ge=0, le=MAX_STACK, description="chips of the tournament")]
Some = Annotated[int, msgspec.Meta(ge=1, le=MAX_STACK, description="chips of the tournament")]
Count = Annotated[int, msgspec.Meta(ge=0, le=100_000)]
Length = Annotated[int, msgspec.Meta(ge=0, le=366 * 86_400_000, description="milliseconds")]
Share = Annotated[int, msgspec.Meta(ge=0, le=10_000, description="hundredths of a percent: 500 = 5 %")]
Language = Annotated[str, msgspec.Meta(pattern="^[a-z]{2}(?!\n)$", description="ISO 639-1")]
Text = Annotated[str, line(4_000)]
Cause = Literal["technical", "force_majeure", "insufficient_participants", "commercial"]
"""Why a tournament is cancelled. `commercial` is what somebody may ask for and nobody gets (35)."""
Bought = Literal["entry", "re_entry", "rebuy", "add_on"]
Origin = Literal["satellite", "freeroll"]
"""Where a ticket was won."""


class Price(Fact):
    """Of an entry, a rebuy or an add-on: what is paid, and where it goes. The parts add up to it (FP-1)."""

    amount: Paid
    prize: Paid
    """To the prize pool."""
    fee: Paid = 0
    """To the house, once the tournament is over."""
    bounty: Paid = 0
    """On the player's head (FP-6)."""


class Level(Fact):
    """One level of the clock. The last one goes on without end (46)."""

    small_blind: Bet
    big_blind: Some
    ante: Bet = 0
    """From everybody dealt in."""
    big_blind_ante: Bet = 0
    """From the big blind for everybody."""
    lasts_ms: Annotated[int, msgspec.Meta(ge=1, le=7 * 86_400_000, description="milliseconds")]


class Break(Fact):
    """No hand starts, and the clock stands still (FP-14)."""

    after_level: Annotated[int, msgspec.Meta(ge=1, le=200)]
    lasts_ms: Annotated[int, msgspec.Meta(ge=1, le=7 * 86_400_000, description="milliseconds")]


class Until(Fact):
    """Where a window closes: at the end of a level, or at a time on the tournament's clock; one of the two (23)."""

    level: Count = 0
    """Until the end of this level; 0: see `ms`."""
    ms: Length = 0
    """So long after the start, without breaks and pauses."""


class Rebuy(Fact):
    """More chips for who has the starting stack or less (FP-2)."""

    price: Price
    chips: Some
    until: Until
    most: Count = 0
    """Of one player; 0: any number."""
    time_ms: Length = 30_000
    """To decide in, for who has no chips left (31)."""


class AddOn(Fact):
    """Once for each player, in one break, whatever the stack (FP-3)."""

    price: Price
    chips: Some
    after_level: Annotated[int, msgspec.Meta(ge=1, le=200)]
    """In the break after this level."""


class Payout(Fact):
    """One row of the payout table (FP-18): from so many entries on, these shares for places 1, 2, 3 …"""

    entries: Annotated[int, msgspec.Meta(ge=1, le=100_000)]
    """From so many on."""
    shares: Annotated[list[Share], msgspec.Meta(min_length=1, max_length=1_000)]
    """By place."""


class Target(Fact):
    """The tournament that a satellite's or freeroll's tickets are for, and what one is worth: its full buy-in (32)."""

    tournament: Id
    value: Annotated[int, msgspec.Meta(ge=1, le=MAX_PRICE, description="minor units of the currency (cents)")]


class Denomination(Fact):
    """So many chips of one value in the starting stack (41)."""

    value: Some
    count: Annotated[int, msgspec.Meta(ge=1, le=1_000)]


class Definition(Fact):
    """All specific rules of one tournament."""

    rulebook: Id
    """Of the game: `pt-811-2015-omaha`. What the rules of tournaments leave open is the game's (55)."""
    table: Values = {}
    """What the tables choose in it beside seats and blinds: clocks, structure, time bank."""
    currency: Annotated[str, msgspec.Meta(pattern="^[A-Z]{3}(?!\n)$")]
    """ISO 4217, or `FUN` for play money."""
    approval: Annotated[str, line(128, 0)] = ""
    """Reference of the regulator's approval (FP-12); play money needs none."""
    seats: Annotated[int, msgspec.Meta(ge=2, le=10)]
    """Of each table (FP-7)."""
    registration_opens_at: When = 0
    """0: at once when it is announced."""
    starts_at: When | None = None
    """null: when the last seat is taken, a sit-and-go (FP-20)."""
    min_players: Annotated[int, msgspec.Meta(ge=2, le=MAX_PLAYERS)] = 2
    """With fewer at the start it is cancelled (35)."""
    max_players: Annotated[int, msgspec.Meta(ge=2, le=MAX_PLAYERS)]
    """Entries at a time; also of a sit-and-go its seats."""
    unregister_before_ms: Length = 0
    """A registration may be taken back until so long before the start (24)."""
    buy_in: Price
    starting_stack: Some
    composition: Annotated[list[Denomination], msgspec.Meta(max_length=20)] = []
    """What the starting stack is shown as; empty: as a number."""
    levels: Annotated[list[Level], msgspec.Meta(min_length=1, max_length=200)]
    breaks: Annotated[list[Break], msgspec.Meta(max_length=200)] = []
    late_entry: Until | None = None
    """null: nobody enters after the start (FP-10)."""
    re_entry: Until | None = None
    """null: who is eliminated stays so (FP-4)."""
    rebuy: Rebuy | None = None
    add_on: AddOn | None = None
    lasts_ms: Length = 0
    """Of a timed tournament (52); 0: until one has all chips."""
    payouts: Annotated[list[Payout], msgspec.Meta(max_length=200)] = []
    """By number of entries, the fewest first. Empty where all prizes are tickets."""
    tickets: Target | None = None
    """Prizes are registrations for this tournament: a satellite, or a freeroll where the buy-in is free (FP-17)."""
    ticket_count: Count = 0
    """Tickets that a freeroll awards; a satellite awards as many as its pool buys."""
    guarantee: Money = 0
    """The pool is at least this; the house adds what lacks (FP-18)."""
    prizes_paid: Literal["as_determined", "at_end"] = "as_determined"
    """When prizes are credited (54)."""
    hand_for_hand_at: Annotated[int, msgspec.Meta(ge=0, le=10)] = 1
    """Hand-for-hand begins with so many players more than paid places (FP-8); 0: never."""
    satellite_end: Literal["last_chip", "tickets_decided"] = "last_chip"
    """Whether a satellite is played on once only equal tickets are left (52)."""
    sit_out_action: Literal["check_or_fold", "fold"] = "check_or_fold"
    """What the house does for who is away (26)."""
    on_cancellation: Literal["regulation", "full_refund"] = "regulation"
    """Whether 36.a to 36.c decide, or everybody gets every entry back (36)."""
    refused_prizes: Literal["winner", "equal_parts"] = "winner"
    """Whose a prize or bounty is that a disqualified player is finally refused: the best placed other one's, or
    everybody else's in equal parts (FP-16)."""
    rules: Annotated[dict[Language, Text], msgspec.Meta(max_length=20)]
    """The specific rules in words; Portuguese has to be there (56) and prevails (60)."""
    glossary: Annotated[dict[Term, Text], msgspec.Meta(max_length=200)] = {}
    """Foreign words of the Portuguese text, explained in Portuguese (58)."""

    def price_of(self, bought: Bought) -> Price:
        offer: Mapping[Bought, Rebuy | AddOn | None] = {"rebuy": self.rebuy, "add_on": self.add_on}
        found = offer.get(bought)
        return found.price if found is not None else self.buy_in

    @property
    def timed(self) -> bool:
        return self.lasts_ms > 0

    @property
    def sit_and_go(self) -> bool:
        return self.starts_at is None

    @property
    def promised(self) -> int:
        """What the house may have to add of its own money, minor units."""
        return self.guarantee + (self.tickets.value * self.ticket_count if self.tickets is not None else 0)

    @property
    def freeroll(self) -> bool:
        return self.buy_in.amount == 0


def digest_of(rules: Definition) -> str:
    """What who approves rules names them by: 32 hexadecimal digits (BLAKE2b, RFC 7693) of their JSON."""
    return blake2b(msgspec.json.encode(rules), digest_size=16).hexdigest()
