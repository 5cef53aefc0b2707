"""Cards of games against the house against their commitment: where each is dealt from, and that it lay there.

No-draw poker deals one deck a round (pt-803-2015 19), baccarat many coups from one shoe (pt-812-2015 16 to 21).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from libs.cards.card import DECK_SIZE
from libs.contracts import baccarat_events as b
from libs.contracts import banked_rounds as r
from libs.contracts import no_draw_poker_events as n
from libs.contracts.facts import Fact
from services.audit.verifying.dealt import Complaint, PublicDecks, proved, root_holds
from services.audit.verifying.findings import Kind
from services.audit.verifying.rounds import DEALER, check_coup, check_round

_HAND_SIZE = 5


def _dealt(decks: PublicDecks, fact: r.BankedDeckDealt) -> Iterator[Complaint]:
    decks.hand, decks.root, decks.size = fact.round, bytes.fromhex(fact.deck_root), DECK_SIZE
    decks.hands += 1
    yield from root_holds(decks)


def _shown(decks: PublicDecks, fact: r.BankedCardsShown) -> Iterator[Complaint]:
    yield from proved(decks, *fact.cards)


def _round_dealt(decks: PublicDecks, fact: n.RoundDealt) -> Iterator[Complaint]:
    """The first card is burned, then one to each seat clockwise and one to the dealer, five times."""
    decks.hole = {deal.seat: deal.positions for deal in fact.deals}
    decks.sides, decks.faces = {DEALER: fact.dealer}, {}
    yield from _dealt(decks, fact)
    players = sorted(decks.hole)
    laps = range(_HAND_SIZE)
    due = {seat: [1 + place + lap * (len(players) + 1) for lap in laps] for place, seat in enumerate(players)}
    dealer = [1 + len(players) + lap * (len(players) + 1) for lap in laps]
    if (fact.burned, decks.hole, fact.dealer) != ([0], due, dealer):
        yield Kind.DEAL_ORDER, "the cards do not come from the positions that the dealing rule gives"
    if fact.dealer_up.position != dealer[-1]:
        yield Kind.DEAL_ORDER, "the dealer's open card is not the last one"
    yield from proved(decks, fact.dealer_up)


def _dealer_shown(decks: PublicDecks, fact: n.DealerShown) -> Iterator[Complaint]:
    yield from _turned("the dealer", [card.position for card in fact.cards], decks.sides.get(DEALER, []))
    decks.faces[DEALER] = [card.card for card in fact.cards]
    yield from _shown(decks, fact)


def _hand_shown(decks: PublicDecks, fact: n.RoundHandShown) -> Iterator[Complaint]:
    yield from _turned(f"seat {fact.seat}", [card.position for card in fact.cards], decks.hole.get(fact.seat, []))
    decks.faces[str(fact.seat)] = [card.card for card in fact.cards]
    yield from _shown(decks, fact)


def _round_settled(decks: PublicDecks, fact: n.RoundSettled) -> Iterator[Complaint]:
    if DEALER not in decks.sides:
        return  # This reader began after the deal and has seen no card of it.
    yield from check_round(decks.faces, decks.suit_tiebreak, fact)
    decks.sides, decks.faces = {}, {}


def _shoe_started(decks: PublicDecks, fact: b.ShoeStarted) -> Iterator[Complaint]:
    decks.root, decks.size = bytes.fromhex(fact.deck_root), fact.cards
    decks.sides, decks.next_position = {}, len(fact.burned)
    decks.hands += 1
    yield from root_holds(decks)
    if fact.cards != fact.decks * DECK_SIZE or fact.burned != list(range(len(fact.burned))):
        yield Kind.DEAL_ORDER, f"shoe {fact.shoe}: not all cards of its decks, or burned from other places than the top"


def _coup_dealt(decks: PublicDecks, fact: b.CoupDealt) -> Iterator[Complaint]:
    """Alternately from Ponto, beginning where the last coup ended: so no card of a shoe is ever dealt twice."""
    decks.hand = fact.round
    first = decks.next_position
    decks.sides, decks.faces = {"ponto": fact.ponto, "banca": fact.banca}, {}
    decks.next_position = first + 4
    if (fact.ponto, fact.banca) != ([first, first + 2], [first + 1, first + 3]):
        yield Kind.DEAL_ORDER, "the initial cards are not the next four of the shoe, one at a time from Ponto"


def _side_shown(decks: PublicDecks, fact: b.SideShown) -> Iterator[Complaint]:
    yield from _turned(fact.side, [card.position for card in fact.cards], decks.sides.get(fact.side, []))
    decks.faces[fact.side] = [card.card for card in fact.cards]
    yield from _shown(decks, fact)


def _third_dealt(decks: PublicDecks, fact: b.ThirdCardDealt) -> Iterator[Complaint]:
    yield from _turned(f"{fact.side}'s third card", [fact.card.position], [decks.next_position])
    decks.next_position = fact.card.position + 1
    decks.faces.setdefault(fact.side, []).append(fact.card.card)
    yield from proved(decks, fact.card)


def _coup_settled(decks: PublicDecks, fact: b.CoupSettled) -> Iterator[Complaint]:
    if not decks.sides:
        return  # This reader began after the deal and has seen no card of it.
    yield from check_coup(decks.faces.get("ponto", []), decks.faces.get("banca", []), fact)
    decks.sides, decks.faces = {}, {}


def _turned(who: str, shown: list[int], dealt: list[int]) -> Iterator[Complaint]:
    if shown != dealt:
        yield Kind.DEAL_ORDER, f"{who}: cards from positions that were not dealt there"


STEPS_OF_ANY: Mapping[type[Fact], Callable[[PublicDecks, Any], Iterator[Complaint]]] = {
    r.BankedDeckDealt: _dealt,
    r.BankedCardsShown: _shown,
}
"""What is checked of a game's event without a step of its own, by what it derives from."""
BANKED_STEPS: Mapping[type[Fact], Callable[[PublicDecks, Any], Iterator[Complaint]]] = {
    n.RoundDealt: _round_dealt,
    n.DealerShown: _dealer_shown,
    n.RoundHandShown: _hand_shown,
    n.RoundSettled: _round_settled,
    b.ShoeStarted: _shoe_started,
    b.CoupDealt: _coup_dealt,
    b.SideShown: _side_shown,
    b.ThirdCardDealt: _third_dealt,
    b.CoupSettled: _coup_settled,
}
