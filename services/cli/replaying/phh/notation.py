"""One hand as PHH notes it: fields, actions, and amounts scaled to whole units.

`p1` sits left of the button and `pn` on it; heads-up `p1` is the big blind and `p2`, on the button, the small one.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from math import lcm
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from libs.cards.card import Card, parse
from services.cli.replaying.record import NotARecord, parsed

Amount = int | Decimal
_COMMENT = re.compile(r"\s*#.*")
_DEAL = re.compile(r"d (?:db|dh p(?P<player>\d+)) (?P<cards>(?:[2-9TJQKA?][cdhs?])+)")
_ACT = re.compile(r"p(?P<player>\d+) (?P<act>f|cc|cbr|sm)(?: (?P<what>\S+))?")
Act = Literal["deal_hole", "deal_board", "f", "cc", "cbr", "sm"]


class Exact(BaseModel):
    """What the house adds to its own exports, so that they play under their own rules (`_croupier`)."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    rulebook: str
    configuration: dict[str, Any]
    button: int
    small_blind: int
    big_blind: int
    missed: list[int] = []
    """Of each player, what was posted dead for blinds missed before the hand (pt-217-2007 90)."""
    idle: list[int] = []
    """Of each player, the live blind after hands without a bet (89)."""


class Noted(BaseModel):
    """The fields that the replay reads; others are left aside."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    variant: str
    ante_trimming_status: bool = False
    antes: list[Amount] = []
    blinds_or_straddles: list[Amount] = []
    min_bet: Amount = 0
    small_bet: Amount = 0
    big_bet: Amount = 0
    starting_stacks: list[Amount] = Field(min_length=2)
    actions: list[str]
    finishing_stacks: list[Amount] | None = None
    seats: list[int] | None = None
    exact: Exact | None = Field(default=None, alias="_croupier")


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

    def units(self, amounts: list[Amount]) -> tuple[int, ...]:
        return tuple(int(amount * self.scale) for amount in amounts)


def read_hand(name: str, document: dict[str, Any]) -> Hand:
    """NotARecord for what lacks a field of the format, or notes an action that it does not know."""
    noted = parsed(Noted, name, document)
    actions = tuple(_action(name, text) for text in noted.actions if _COMMENT.sub("", text))
    amounts = [*noted.antes, *noted.blinds_or_straddles, *noted.starting_stacks, *(noted.finishing_stacks or ())]
    amounts += [noted.min_bet, noted.small_bet, noted.big_bet, *(action.to for action in actions if action.to)]
    if not all(Decimal(amount).is_finite() and amount >= 0 for amount in amounts):
        raise NotARecord(f"{name}: an amount is not a number of chips")
    return Hand(name, noted, actions, lcm(*(amount.as_integer_ratio()[1] for amount in amounts)))


def _action(name: str, text: str) -> Action:
    text = _COMMENT.sub("", text).strip()
    deal = _DEAL.fullmatch(text)
    if deal is not None:
        player = int(deal["player"] or 0)
        return Action(text, "deal_hole" if player else "deal_board", player, _cards(deal["cards"]))
    found = _ACT.fullmatch(text)
    if found is None:
        raise NotARecord(f"{name}: no action that Omaha or hold'em has: {text[:40]!r}")
    act, what, player = found["act"], found["what"], int(found["player"])
    if act == "cbr":
        return Action(text, "cbr", player, to=_amount(name, what))
    if act == "sm":
        return Action(text, "sm", player, _cards(what) if what and what != "-" else ())
    return Action(text, "f" if act == "f" else "cc", player)


def _cards(text: str) -> tuple[Card | None, ...]:
    names = [text[place : place + 2] for place in range(0, len(text), 2)]
    return tuple(None if "?" in card else parse(card) for card in names)


def _amount(name: str, text: str | None) -> Decimal:
    if text is None or not re.fullmatch(r"\d[\d,]*(\.\d+)?", text):
        raise NotARecord(f"{name}: a bet without an amount")
    return Decimal(text.replace(",", ""))
