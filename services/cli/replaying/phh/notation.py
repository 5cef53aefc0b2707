"""One hand as PHH notes it: fields, actions, and amounts scaled to whole units.

`p1` sits left of the button and `pn` on it; heads-up `p1` is the big blind and `p2`, on the button, the small one.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from math import lcm
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from libs.cards.card import Card, parse
from services.cli.replaying.record import Amount, NotARecord, Part, Seat, parsed

Chips = int | Annotated[Decimal, Field(allow_inf_nan=True)]
Scalar = int | str | bool | None
_DEAL = re.compile(r"d (?:db|dh p(?P<player>[1-9][0-9]?)) (?P<cards>(?:[2-9TJQKA?][cdhs?]){1,52})")
_ACT = re.compile(r"p(?P<player>[1-9][0-9]?) (?P<act>f|cc|cbr|sm)(?: (?P<what>\S+))?")
_AMOUNT = re.compile(r"[0-9][0-9,]{0,18}(\.[0-9]{1,9})?")
Act = Literal["deal_hole", "deal_board", "f", "cc", "cbr", "sm"]


class NotDealt(Exception):
    """A game or a form of posting that the house does not have; the text says which."""


class Exact(Part):
    """What the house adds to its own exports, so that they play under their own rules (`_croupier`).

    `rulebook_hash`, `currency`, `kind`, `table_name` and the deck's root are for people: nothing in a replay has them.
    """

    rulebook: str
    rulebook_hash: str = ""
    currency: str = ""
    kind: str = ""
    table_name: str = ""
    deck_root: str = ""
    deck_leaves: int = 0
    configuration: dict[str, Scalar]
    button: Seat
    small_blind: Seat
    big_blind: Seat
    missed: list[Amount] = []
    """Of each player, what was posted dead for blinds missed before the hand (pt-217-2007 90)."""
    idle: list[Amount] = []
    """Of each player, the live blind after hands without a bet (89)."""
    protected: list[Seat] = []
    """Seats whose clock ran out, and which stayed in as if all-in."""
    outcome: Literal["ended", "void"] = "ended"
    rake: Amount | None = None


class Noted(Part):
    """The fields of the format that a replay has a use for."""

    model_config = ConfigDict(extra="ignore")

    variant: str
    ante_trimming_status: bool = False
    antes: list[Chips] = []
    blinds_or_straddles: list[Chips] = []
    bring_in: Chips | None = None
    min_bet: Chips = 0
    small_bet: Chips = 0
    big_bet: Chips = 0
    starting_stacks: list[Chips] = Field(min_length=2)
    actions: list[str]
    finishing_stacks: list[Chips] | None = None
    winnings: list[Chips] | None = None
    seats: list[int] | None = None
    players: list[str] | None = None
    exact: Exact | None = Field(default=None, alias="_croupier")

    @model_validator(mode="after")
    def of_each_player(self) -> Self:
        for name in ("antes", "blinds_or_straddles", "finishing_stacks", "winnings", "seats", "players"):
            given = getattr(self, name)
            if given and len(given) != len(self.starting_stacks):
                raise ValueError(f"{name} has {len(given)} values for {len(self.starting_stacks)} players")
        if self.bring_in is not None:
            raise ValueError("bring_in: a game with blinds has none")
        return self


_FOR_PEOPLE = (
    "author event url venue address city region postal_code country time time_zone time_zone_abbreviation day month "
    "year hand level seat_count table currency currency_symbol time_limit time_banks"
)
_FIELDS = {*_FOR_PEOPLE.split(), *(field.alias or name for name, field in Noted.model_fields.items())}


@dataclass(frozen=True, slots=True)
class Action:
    text: str
    act: Act
    player: int = 0
    """1 for `p1`; 0 for the dealer."""
    cards: tuple[Card | None, ...] = ()
    """None for a card that the record does not know (`??`)."""
    to: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Hand:
    """A record whose actions could be read. Amounts times `scale` are whole."""

    name: str
    noted: Noted
    actions: tuple[Action, ...]
    scale: int

    def units(self, amounts: list[Chips]) -> tuple[int, ...]:
        return tuple(int(amount * self.scale) for amount in amounts)


def read_hand(name: str, document: dict[str, Any]) -> Hand:
    """NotARecord for what lacks a field of the format, has another one, or notes an action that it does not know."""
    for field in document:
        if field not in _FIELDS and not field.startswith("_"):
            raise NotARecord(f"{field[:40]}: no field of the format; one of your own begins with _")
    noted = parsed(Noted, document)
    actions = tuple(_action(f"actions: {number}", text) for number, text in enumerate(noted.actions, 1))
    played = tuple(action for action in actions if action is not None)
    amounts: list[Chips] = [action.to for action in played if action.to]
    for field in _AMOUNTS:
        of_field = getattr(noted, field)
        amounts += _finite(field, of_field if isinstance(of_field, list) else [of_field or 0])
    for action in played:
        if action.player > len(noted.starting_stacks):
            raise NotARecord(f"actions: {action.text!r}: there is no player {action.player}")
    return Hand(name, noted, played, lcm(*(amount.as_integer_ratio()[1] for amount in amounts)))


_AMOUNTS = (
    "antes", "blinds_or_straddles", "starting_stacks", "finishing_stacks", "winnings", "min_bet", "small_bet",
    "big_bet",
)  # fmt: skip


def _finite(field: str, amounts: list[Chips]) -> list[Chips]:
    """Only a post may be negative: so one is told that is neither blind nor straddle."""
    for amount in amounts:
        if field == "starting_stacks" and Decimal(amount) == Decimal("inf"):
            raise NotDealt("a stack that the record does not know")
        if not Decimal(amount).is_finite() or (amount < 0 and field != "blinds_or_straddles"):
            raise NotARecord(f"{field}: {amount} is no number of chips")
    return amounts


def _action(where: str, text: str) -> Action | None:
    """None for a comment."""
    text = " ".join(text.partition("#")[0].split())
    if not text:
        return None
    deal = _DEAL.fullmatch(text)
    if deal is not None:
        player = int(deal["player"] or 0)
        return Action(text, "deal_hole" if player else "deal_board", player, _cards(deal["cards"]))
    found = _ACT.fullmatch(text)
    if found is None:
        raise NotARecord(f"{where}: no action that Omaha or hold'em has: {text[:40]!r}")
    act, what, player = found["act"], found["what"], int(found["player"])
    if act == "cbr":
        return Action(text, "cbr", player, to=_amount(where, what))
    if act == "sm":
        return Action(text, "sm", player, _shown(where, what))
    if what:
        raise NotARecord(f"{where}: {text[:40]!r} says more than a fold or call has")
    return Action(text, "f" if act == "f" else "cc", player)


def _shown(where: str, what: str | None) -> tuple[Card | None, ...]:
    if what is None or what == "-":
        return ()
    if not re.fullmatch(r"(?:[2-9TJQKA?][cdhs?]){1,52}", what):
        raise NotARecord(f"{where}: {what[:40]!r} are no cards")
    return _cards(what)


def _cards(text: str) -> tuple[Card | None, ...]:
    names = [text[place : place + 2] for place in range(0, len(text), 2)]
    return tuple(None if "?" in card else parse(card) for card in names)


def _amount(where: str, text: str | None) -> Decimal:
    if text is None or not _AMOUNT.fullmatch(text):
        raise NotARecord(f"{where}: a bet without an amount")
    return Decimal(text.replace(",", ""))
