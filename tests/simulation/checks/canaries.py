"""Every deck and shoe that was ever dealt from, and what everybody may know of the cards at each version of a table."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from libs.cards.card import name_of
from libs.contracts import baccarat_events as b
from libs.contracts import no_draw_poker_events as n
from libs.contracts import poker_events as p
from libs.contracts.facts import Fact
from libs.sealing.deck import ShuffledCards
from tests.simulation.truth import Entry, Told, Truth

NAME = "no_unseen_card"


@dataclass(slots=True)
class Dealt:
    """One hand, round or coup, its cards open."""

    deck: ShuffledCards = field(repr=False)
    players: dict[int, str] = field(default_factory=dict)
    hole: dict[int, list[int]] = field(default_factory=dict)
    """Seat to the positions that it was dealt face down."""
    sides: dict[str, list[int]] = field(default_factory=dict)
    """The same of the house: the dealer's, Ponto's, Banca's."""
    folded: set[int] = field(default_factory=set)

    def cards(self, positions: Iterable[int]) -> set[str]:
        return {name_of(self.deck.cards[position]) for position in positions}

    def hole_of(self, player: str) -> set[str]:
        seats = [seat for seat, name in self.players.items() if name == player]
        return self.cards(position for seat in seats for position in self.hole.get(seat, ()))


@dataclass(slots=True)
class Canaries:
    truth: Truth
    decks: dict[tuple[str, int], ShuffledCards] = field(default_factory=dict, repr=False)
    """By table and number of the hand, round or shoe."""
    hands: dict[tuple[str, int], Dealt] = field(default_factory=dict)
    """By table and number of the hand, round or coup."""
    public: dict[str, list[frozenset[str]]] = field(default_factory=lambda: defaultdict(list))
    """Per table, by version from 1 on: the open cards of what is played there."""
    shown: dict[tuple[str, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    """Per hand, round or coup: all that was ever open of it."""

    def watch(self, entry: Entry) -> None:
        for told in entry.told:
            if entry.service == "table":
                self._note(entry.commit.stream, told)

    def _note(self, table: str, told: Told) -> None:
        fact, public = told.fact, self.public[table]
        before = public[-1] if public else frozenset[str]()
        if isinstance(fact, _STARTS):
            self._started(table, told, _NUMBER_OF[type(fact)](fact))
        if isinstance(fact, p.HandStarted | n.RoundDealt | b.CoupDealt):
            before = frozenset()
        rule = _RULES.get(type(fact))
        if rule is not None:
            before |= self._opened(table, told, rule)
        public.append(before)

    def _started(self, table: str, told: Told, number: int) -> None:
        self.truth.violations.ensure(told.deck is not None, NAME, f"{told.event.id}: nothing to deal from")
        if told.deck is not None:
            self.decks[table, number] = told.deck

    def _opened(self, table: str, told: Told, rule: "Rule") -> set[str]:
        fact: Any = told.fact
        number = getattr(fact, "hand", None) or fact.round
        if (table, number) not in self.hands:
            shoe = getattr(told.step.state, "shoe", None)
            deck = self.decks[table, shoe.number if shoe is not None else number]
            self.hands[table, number] = Dealt(deck)
        hand = self.hands[table, number]
        positions, may_open = rule(hand, fact)
        self.truth.violations.ensure(may_open, NAME, f"{told.event.id} opens cards that are to stay unseen")
        opened = hand.cards(positions)
        self.shown[table, number] |= opened
        return opened


Rule = Callable[[Dealt, Any], tuple[Iterable[int], bool]]
"""Positions that an event opens, and whether they may be open by the rules."""
_STARTS = (p.HandStarted, n.RoundDealt, b.ShoeStarted)
_NUMBER_OF: dict[type[Fact], Callable[[Any], int]] = {
    p.HandStarted: lambda fact: fact.hand,
    n.RoundDealt: lambda fact: fact.round,
    b.ShoeStarted: lambda fact: fact.shoe,
}


def _hand_started(hand: Dealt, fact: p.HandStarted) -> tuple[Iterable[int], bool]:
    hand.players = {seat.seat: seat.player for seat in fact.seats}
    return (), True


def _hole_dealt(hand: Dealt, fact: p.HoleCardsDealt) -> tuple[Iterable[int], bool]:
    hand.hole = {deal.seat: deal.positions for deal in fact.deals}
    return (), True


def _folded(hand: Dealt, fact: p.PlayerFolded | n.HandSurrendered) -> tuple[Iterable[int], bool]:
    hand.folded.add(fact.seat)
    return (), True


def _street(hand: Dealt, fact: p.StreetDealt) -> tuple[Iterable[int], bool]:
    positions = {card.position for card in fact.cards}
    return positions, not positions & {position for held in hand.hole.values() for position in held}


def _own_shown(hand: Dealt, fact: p.CardsShown | n.RoundHandShown) -> tuple[Iterable[int], bool]:
    """Folded hands go away unseen, and nobody shows another's."""
    positions = [card.position for card in fact.cards]
    return positions, fact.seat not in hand.folded and set(positions) <= set(hand.hole.get(fact.seat, ()))


def _round_dealt(hand: Dealt, fact: n.RoundDealt) -> tuple[Iterable[int], bool]:
    """The dealer's last card lies open, and that one alone (pt-803-2015 19.c)."""
    hand.hole = {deal.seat: deal.positions for deal in fact.deals}
    hand.sides = {"dealer": fact.dealer}
    return [fact.dealer_up.position], fact.dealer_up.position == fact.dealer[-1]


def _choices(hand: Dealt, fact: n.HandsAwaited) -> tuple[Iterable[int], bool]:
    hand.players |= {choice.seat: choice.player for choice in fact.choices}
    return (), True


def _dealer_shown(hand: Dealt, fact: n.DealerShown) -> tuple[Iterable[int], bool]:
    """Once somebody plays (24): when all have folded nobody sees it."""
    positions = [card.position for card in fact.cards]
    return positions, positions == hand.sides["dealer"] and not set(hand.hole) <= hand.folded


def _coup_dealt(hand: Dealt, fact: b.CoupDealt) -> tuple[Iterable[int], bool]:
    hand.sides = {"ponto": fact.ponto, "banca": fact.banca}
    return (), True


def _side_shown(hand: Dealt, fact: b.SideShown) -> tuple[Iterable[int], bool]:
    positions = [card.position for card in fact.cards]
    return positions, positions == hand.sides[fact.side]


def _third(hand: Dealt, fact: b.ThirdCardDealt) -> tuple[Iterable[int], bool]:
    """The next card of the shoe, apart from the side's two (pt-812-2015 20, 21)."""
    due = max(position for side in hand.sides.values() for position in side) + 1
    hand.sides[f"third of {fact.side}"] = [due]
    return [fact.card.position], fact.card.position == due


_RULES: dict[type[Fact], Rule] = {
    p.HandStarted: _hand_started,
    p.HoleCardsDealt: _hole_dealt,
    p.PlayerFolded: _folded,
    p.StreetDealt: _street,
    p.CardsShown: _own_shown,
    n.RoundDealt: _round_dealt,
    n.HandsAwaited: _choices,
    n.HandSurrendered: _folded,
    n.DealerShown: _dealer_shown,
    n.RoundHandShown: _own_shown,
    b.CoupDealt: _coup_dealt,
    b.SideShown: _side_shown,
    b.ThirdCardDealt: _third,
}
