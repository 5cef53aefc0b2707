"""Decks against their commitment: the sealed deck gives the root, and every card shown lay where it was dealt from.

Rule RNG-12: what the generator gave is what the hand used and recorded. Findings name positions, never cards.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from libs.cards.variants import VARIANTS
from libs.contracts import live_events as v
from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.contracts.baccarat_events import ShoeStarted
from libs.contracts.banked_rounds import BankedDeckDealt
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.no_draw_poker_configuration import NoDrawConfiguration
from libs.contracts.poker_configuration import PokerConfiguration
from libs.sealing.deck import ShuffledCards
from services.audit.verifying.banked_decks import BANKED_STEPS, STEPS_OF_ANY
from services.audit.verifying.dealt import Complaint, Decks, PublicDecks, proved, root_holds
from services.audit.verifying.findings import Finding, Kind

STARTS_A_DECK = (p.HandStarted, BankedDeckDealt, ShoeStarted)
"""Public events whose journalled form carries sealed cards."""
_BOARD_CARDS = {street: cards for game in VARIANTS.values() for street, cards in game.board}


def check_deck(
    decks: PublicDecks, event: PublicEvent, fact: Fact, deck: ShuffledCards | None = None
) -> Iterator[Finding]:
    """Folds one event of a table. `deck` comes with what starts one; without it only the public proofs are checked."""
    if isinstance(fact, STARTS_A_DECK) and isinstance(decks, Decks):
        decks.deck = deck
    step = _step_of(type(fact))
    for kind, detail in step(decks, fact) if step else ():
        yield Finding(kind, event.stream, f"hand {decks.hand}: {detail}", event.version)


def _configured(decks: PublicDecks, fact: t.TableOpened | t.ConfigurationActivated) -> Iterator[Complaint]:
    if isinstance(fact.configuration, PokerConfiguration):
        decks.deal_from = fact.configuration.dealing.deal_from
        decks.burn = fact.configuration.dealing.burn_before_board
        decks.hole_cards = VARIANTS[fact.configuration.variant].hole_cards
    elif isinstance(fact.configuration, NoDrawConfiguration):
        decks.suit_tiebreak = fact.configuration.dealing.high_card_suit_tiebreak
    return iter(())


def _started(decks: PublicDecks, fact: p.HandStarted) -> Iterator[Complaint]:
    decks.hand, decks.root, decks.size = fact.hand, bytes.fromhex(fact.deck_root), fact.deck_leaves
    decks.hole, decks.next_position = {}, 0
    decks.by_hand, decks.scanned = False, {}
    decks.dealt_from = _order(decks.deal_from, fact)
    decks.hands += 1
    yield from root_holds(decks)


def _order(deal_from: str, fact: p.HandStarted) -> list[int]:
    seats = sorted(seat.seat for seat in fact.seats)
    if deal_from == "small_blind":
        return [s for s in seats if s >= fact.small_blind] + [s for s in seats if s < fact.small_blind]
    return [s for s in seats if s > fact.button] + [s for s in seats if s <= fact.button]


def _dealt(decks: PublicDecks, fact: p.HoleCardsDealt) -> Iterator[Complaint]:
    players = len(decks.dealt_from)
    # One card at a time, round after round (mo-97-2010 3.2; pt-811-2015 25).
    laps = range(decks.hole_cards)
    due = {seat: [place + lap * players for lap in laps] for place, seat in enumerate(decks.dealt_from)}
    decks.hole = {deal.seat: deal.positions for deal in fact.deals}
    decks.next_position = players * decks.hole_cards
    if decks.by_hand:
        due = decks.scanned
    if decks.hole != due:
        yield Kind.DEAL_ORDER, "hole cards do not come from the positions that the dealing rule gives"


def _street(decks: PublicDecks, fact: p.StreetDealt) -> Iterator[Complaint]:
    burns, cards = int(decks.burn), _BOARD_CARDS.get(fact.street, 0)
    first = decks.next_position
    due = (list(range(first, first + burns)), list(range(first + burns, first + burns + cards)))
    decks.next_position = first + burns + cards
    if not decks.by_hand and (fact.burned, [card.position for card in fact.cards]) != due:
        yield Kind.DEAL_ORDER, f"the {fact.street} does not come from the positions that follow"
    yield from proved(decks, *fact.cards)


def _corrected(decks: PublicDecks, fact: p.DealCorrected) -> Iterator[Complaint]:
    """mo-97-2010 9.1: the wrong deal was a finding; what stands now is proved."""
    decks.hole |= {deal.seat: deal.positions for deal in fact.deals}
    yield from proved(decks, *fact.cards)


def _by_hand(decks: PublicDecks, fact: v.LiveDealOpened) -> Iterator[Complaint]:
    decks.by_hand, decks.dealer = True, fact.dealer
    return iter(())


def _scanned(decks: PublicDecks, fact: v.CardScanned) -> Iterator[Complaint]:
    if fact.to == "hole" and fact.seat is not None and not fact.face_up:
        decks.scanned.setdefault(fact.seat, []).append(fact.position)
    return iter(())


def _incident(decks: PublicDecks, fact: v.IncidentRecorded) -> Iterator[Complaint]:
    yield from proved(decks, *fact.exposed)


def _chosen(decks: PublicDecks, fact: p.VariantChosen) -> Iterator[Complaint]:
    decks.hole_cards = VARIANTS[fact.variant].hole_cards
    return iter(())


def _shown(decks: PublicDecks, fact: p.CardsShown) -> Iterator[Complaint]:
    if [card.position for card in fact.cards] != decks.hole.get(fact.seat):
        yield Kind.DEAL_ORDER, f"seat {fact.seat} shows cards from positions that it was not dealt"
    yield from proved(decks, *fact.cards)


_STEPS: Mapping[type[Fact], Callable[[PublicDecks, Any], Iterator[Complaint]]] = {
    t.TableOpened: _configured,
    t.ConfigurationActivated: _configured,
    p.HandStarted: _started,
    p.VariantChosen: _chosen,
    p.DealCorrected: _corrected,
    v.LiveDealOpened: _by_hand,
    v.CardScanned: _scanned,
    v.IncidentRecorded: _incident,
    p.HoleCardsDealt: _dealt,
    p.StreetDealt: _street,
    p.CardsShown: _shown,
    **BANKED_STEPS,
}


@cache
def _step_of(kind: type[Fact]) -> Callable[[PublicDecks, Any], Iterator[Complaint]] | None:
    return _STEPS.get(kind) or next((step for base, step in STEPS_OF_ANY.items() if issubclass(kind, base)), None)
