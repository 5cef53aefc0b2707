"""Canary decks: every deck is known here, so a card that somebody may read too early is seen wherever it turns up."""

import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from libs.cards.card import name_of
from libs.contracts import poker_events as p
from libs.sealing.deck import Deck
from tests.simulation.truth import Entry, Told, Truth
from tests.simulation.violations import ensure

_CARD = re.compile(rb"(?<![A-Za-z0-9])([2-9TJQKA][shdc])(?![A-Za-z0-9])")
NAME = "no_unseen_card"


@dataclass(slots=True)
class Dealt:
    """One hand, its deck open."""

    deck: Deck = field(repr=False)
    players: dict[int, str]
    hole: dict[int, list[int]] = field(default_factory=dict)
    folded: set[int] = field(default_factory=set)

    def cards(self, positions: Iterable[int]) -> set[str]:
        return {name_of(self.deck.cards[position]) for position in positions}

    def hole_of(self, player: str) -> set[str]:
        seats = [seat for seat, name in self.players.items() if name == player]
        return self.cards(position for seat in seats for position in self.hole.get(seat, ()))


@dataclass(slots=True)
class Canaries:
    """Every hand that was ever dealt, and what everybody may know of the running one at each version."""

    truth: Truth
    hands: dict[tuple[str, int], Dealt] = field(default_factory=dict)
    public: dict[str, list[frozenset[str]]] = field(default_factory=lambda: defaultdict(list))
    """Per table, by version from 1 on: the open cards of the hand that runs there."""
    shown: dict[tuple[str, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    """Per hand: all that was ever open of it."""

    def watch(self, entry: Entry) -> None:
        for told in entry.told:
            if entry.service == "table":
                self._note(entry.commit.stream, told)

    def _note(self, table: str, told: Told) -> None:
        fact, public = told.fact, self.public[table]
        before = public[-1] if public else frozenset[str]()
        if isinstance(fact, p.HandStarted):
            self.truth.violations.ensure(told.deck is not None, NAME, f"{told.event.id}: a hand without a deck")
            if told.deck is not None:
                self.hands[table, fact.hand] = Dealt(told.deck, {seat.seat: seat.player for seat in fact.seats})
            before = frozenset()
        elif isinstance(fact, p.HoleCardsDealt):
            self.hands[table, fact.hand].hole = {deal.seat: deal.positions for deal in fact.deals}
        elif isinstance(fact, p.PlayerFolded):
            self.hands[table, fact.hand].folded.add(fact.seat)
        elif isinstance(fact, p.StreetDealt | p.CardsShown):
            before |= self._opened(told.event.id, self.hands[table, fact.hand], fact)
            self.shown[table, fact.hand] |= before
        public.append(before)

    def _opened(self, where: str, hand: Dealt, fact: p.StreetDealt | p.CardsShown) -> set[str]:
        positions = {card.position for card in fact.cards}
        if isinstance(fact, p.CardsShown):
            shows_own = fact.seat not in hand.folded and positions <= set(hand.hole.get(fact.seat, ()))
            self.truth.violations.ensure(shows_own, NAME, f"{where} shows cards that were folded or are another's")
        else:
            dealt = {position for held in hand.hole.values() for position in held}
            self.truth.violations.ensure(not positions & dealt, NAME, f"{where} opens somebody's hole cards")
        return hand.cards(positions)


def words(text: bytes) -> set[str]:
    return {word.decode() for word in _CARD.findall(text)}


def no_unseen_card_in_public(canaries: Canaries) -> Callable[[str, int, bytes], None]:
    """(table, version, value): a public event names open cards alone."""

    def see(table: str, version: int, value: bytes) -> None:
        named = words(value)
        if not named:
            return
        open_cards = canaries.public[table][version - 1] if version <= len(canaries.public[table]) else frozenset()
        canaries.truth.violations.ensure(named <= open_cards, NAME, f"{table}/{version} names unseen cards")

    return see


def no_unseen_card_in_view(canaries: Canaries, table: str, player: str, document: dict[str, object]) -> None:
    """What a player is shown names open cards and own ones alone: of the hand on the table or of the one recalled."""
    named = words(msgspec.json.encode(document))
    if not named:
        return
    shown = document.get("hand")
    number = shown.get("hand") if isinstance(shown, dict) else shown
    hand = canaries.hands[table, int(str(number))]
    allowed = canaries.shown[table, int(str(number))] | hand.hole_of(player)
    canaries.truth.violations.ensure(named <= allowed, NAME, f"{player} sees a card too many at {table}")


def no_unseen_card_told(canaries: Canaries, table: str, number: int, player: str, cards: Sequence[str]) -> None:
    """Own cards go to their own player, and they are the ones that lie in the sealed deck."""
    held = canaries.hands[table, number].hole_of(player)
    canaries.truth.violations.ensure(set(cards) <= held, NAME, f"{player} is told cards of somebody else")
    canaries.truth.violations.ensure(set(cards) == held, "same_deck", f"{player} is told other cards than were dealt")


def no_card_in(where: str, texts: Iterable[bytes]) -> None:
    """Places that name no card at all: replies, commands, logs."""
    for text in texts:
        ensure(not words(text), NAME, f"a card stands in {where}")


def private_deals_are_sealed(values: Iterable[bytes]) -> None:
    """Own cards lie on their topic as a box alone: base64 of at least nonce and tag, and not a card by its name."""
    for value in values:
        sealed = msgspec.json.decode(value)["sealed"]
        ensure(re.fullmatch("[A-Za-z0-9+/=]{40,}", sealed) is not None, NAME, "own cards are sent in clear")
        no_card_in("a private deal", [value.replace(sealed.encode(), b"")])


def no_deck_in_clear(canaries: Canaries, where: str, texts: Sequence[bytes]) -> None:
    """No deck, salt or data key stands anywhere as it is, neither raw nor as hex or base64."""
    whole = b"\x00".join(texts)
    for (table, number), hand in canaries.hands.items():
        for secret in (hand.deck.cards, hand.deck.salt_secret, hand.deck.data_key):
            for form in (secret[:16], secret[:16].hex().encode(), b64encode(secret)[:20]):
                ensure(form not in whole, NAME, f"the deck of {table} hand {number} stands in {where}")
