"""Who wins a hand of poker and what the house takes of it, from the public events alone.

Who has put in and not folded has a claim to a pot; one claim takes it, several are shown down, and the best cards win.
What is charged, of pots, buy-ins or by the hour, is what the table's configuration says.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from libs.contracts import live_events as v
from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.contracts.facts import Fact, HandEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_configuration import PokerConfiguration
from services.audit.verifying import charges
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.pot_results import Complaint, check_end
from services.audit.verifying.pot_rules import terms_of, uncalled
from services.audit.verifying.pot_state import Pots, Put, Terms

__all__ = ["Pots", "check_pots", "takes"]
_MOST = 11
"""Pots of a hand: one for each seat that a table can have."""


def check_pots(pots: Pots, event: PublicEvent, fact: Fact) -> Iterator[Finding]:
    """Folds one event of one table and yields what does not agree after it."""
    step = _STEPS.get(type(fact))
    if step is None:
        return
    if isinstance(fact, HandEvent) and pots.hand != fact.hand and not isinstance(fact, p.HandStarted | v.PotReversed):
        return  # its beginning was not seen
    for kind, detail in step(pots, fact):
        yield Finding(kind, event.stream, detail, event.version)


def takes(fact: Fact) -> bool:
    """Whether the fold goes on by it."""
    return type(fact) in _STEPS


def _opened(pots: Pots, fact: t.TableOpened) -> Iterator[Complaint]:
    pots.terms, pots.sits = _terms(fact), {}
    return iter(())


def _to_come(pots: Pots, fact: t.ConfigurationAnnounced) -> Iterator[Complaint]:
    pots.to_come = _terms(fact)
    return iter(())


def _activated(pots: Pots, fact: t.ConfigurationActivated) -> Iterator[Complaint]:
    """What nobody announced is told by who has seen the table's events so far."""
    known, announced = pots.terms is not None, pots.to_come
    pots.terms, pots.to_come = _terms(fact), None
    if known and pots.terms != announced:
        yield Kind.RAKE, f"version {fact.configuration.version} comes into force with other terms than were announced"


def _terms(fact: t.TableOpened | t.ConfigurationAnnounced | t.ConfigurationActivated) -> Terms | None:
    return terms_of(fact.configuration) if isinstance(fact.configuration, PokerConfiguration) else None


def _chosen(pots: Pots, fact: p.VariantChosen) -> Iterator[Complaint]:
    if pots.terms is not None:
        pots.terms.variant = fact.variant
    return iter(())


def _started(pots: Pots, fact: p.HandStarted) -> Iterator[Complaint]:
    pots.hand, pots.button, pots.blinds = fact.hand, fact.button, (fact.small_blind, fact.big_blind)
    pots.puts = {seat.seat: Put() for seat in fact.seats}
    pots.street, pots.board, pots.flop_bet = "preflop", [], False
    pots.live = pots.returning = False
    pots.announced, pots.awarded, pots.reversal = None, [], {}
    yield from charges.check_dealt_in(pots, fact)


def _posted(pots: Pots, fact: p.BlindPosted) -> Iterator[Complaint]:
    put = _put(pots, fact.seat)
    if fact.blind in p.DEAD_BLINDS:
        put.dead += fact.amount
    else:
        put.live += fact.amount
    put.in_round, put.all_in = max(put.in_round, fact.to), fact.all_in
    return iter(())


def _bet(pots: Pots, fact: p.BetPlaced) -> Iterator[Complaint]:
    highest = max((put.in_round for put in pots.puts.values()), default=0)
    pots.flop_bet = pots.flop_bet or (pots.street == "flop" and fact.to > highest)
    put = _put(pots, fact.seat)
    put.live += fact.amount
    put.in_round, put.all_in = fact.to, fact.all_in
    return iter(())


def _checked(pots: Pots, fact: p.PlayerChecked) -> Iterator[Complaint]:
    put = _put(pots, fact.seat)
    put.all_in = put.all_in or fact.all_in
    return iter(())


def _folded(pots: Pots, fact: p.PlayerFolded) -> Iterator[Complaint]:
    _put(pots, fact.seat).folded = True
    return iter(())


def _left(pots: Pots, fact: t.PlayerLeft) -> Iterator[Complaint]:
    """Nobody else sits down on a seat of the running hand before it is over."""
    _put(pots, fact.seat).gone = True
    return charges.left(pots, fact)


def _by_hand(pots: Pots, fact: v.LiveDealOpened) -> Iterator[Complaint]:
    pots.live = True
    return iter(())


def _supervised(pots: Pots, fact: v.SupervisorDecided) -> Iterator[Complaint]:
    pots.returning = fact.decision == "return_contributions"
    for seat in fact.waived:
        if pots.terms is None:
            pots.hand = None  # for how much they count, nobody told us
            break
        small = seat == pots.blinds[0]
        put = _put(pots, seat)
        put.in_round = put.waived = pots.terms.small_blind if small else pots.terms.big_blind
    return iter(())


def _returned(pots: Pots, fact: p.UncalledBetReturned) -> Iterator[Complaint]:
    put = _put(pots, fact.seat)
    claimed = max((each.live for each in pots.puts.values() if not each.folded), default=0)
    unclaimed = pots.returning and fact.amount == put.live - claimed
    if put.gone or (uncalled(pots.puts) != (fact.seat, fact.amount) and not unclaimed):
        detail = f"hand {fact.hand}: {fact.amount} goes back to seat {fact.seat}, and is not what nobody called"
        yield Kind.POT_RESULT, detail
    put.live -= fact.amount
    put.in_round, put.all_in = max(0, put.in_round - fact.amount), False


def _round_over(pots: Pots, hand: int) -> Iterator[Complaint]:
    """What nobody called has gone back, unless who put it in has left the table before."""
    kept = uncalled(pots.puts)
    if kept is not None and not pots.puts[kept[0]].gone:
        yield Kind.POT_RESULT, f"hand {hand}: {kept[1]} of seat {kept[0]} was called by nobody and does not go back"


def _street(pots: Pots, fact: p.StreetDealt) -> Iterator[Complaint]:
    yield from _round_over(pots, fact.hand)
    pots.street = fact.street
    pots.board = [*pots.board, *(card.card for card in fact.cards)][:_MOST]
    for put in pots.puts.values():
        put.in_round = 0


def _corrected(pots: Pots, fact: p.DealCorrected) -> Iterator[Complaint]:
    """mo-97-2010 9.1."""
    if fact.cards:
        pots.board = [card.card for card in fact.cards]
    return iter(())


def _shown(pots: Pots, fact: p.CardsShown) -> Iterator[Complaint]:
    _put(pots, fact.seat).cards = [card.card for card in fact.cards]
    return iter(())


def _announced(pots: Pots, fact: v.WinnerAnnounced) -> Iterator[Complaint]:
    pots.announced = fact if pots.live else None
    return iter(())


def _awarded(pots: Pots, fact: p.PotAwarded) -> Iterator[Complaint]:
    if not pots.awarded:
        yield from _round_over(pots, fact.hand)
    if len(pots.awarded) <= _MOST:
        pots.awarded.append(fact)


def _ended(pots: Pots, fact: p.HandEnded) -> Iterator[Complaint]:
    yield from check_end(pots, fact)
    pots.last, pots.hand = fact.hand, None
    pots.puts, pots.board, pots.awarded = {}, [], []


def _voided(pots: Pots, fact: p.HandVoided) -> Iterator[Complaint]:
    pots.last, pots.hand = fact.hand, None
    pots.puts, pots.board, pots.awarded = {}, [], []
    return iter(())


def _reversed(pots: Pots, fact: v.PotReversed) -> Iterator[Complaint]:
    """pt-217-2007 70.a, before the next hand begins."""
    if not pots.last:
        return
    pushed = pots.announced is not None and pots.hand is None and fact.from_seat == pots.announced.seat
    if not pushed or fact.hand != pots.last or pots.reversal.pop(fact.to_seat, None) != fact.amount:
        detail = f"hand {fact.hand}: {fact.amount} of seat {fact.from_seat} was not pushed past seat {fact.to_seat}"
        yield Kind.POT_RESULT, detail


def _put(pots: Pots, seat: int) -> Put:
    """Of a seat that was not dealt in nothing is kept: what it does is in no pot that should be there."""
    return pots.puts.get(seat) or Put()


_STEPS: Mapping[type[Fact], Callable[[Pots, Any], Iterator[Complaint]]] = {
    t.TableOpened: _opened,
    t.ConfigurationAnnounced: _to_come,
    t.ConfigurationActivated: _activated,
    t.PlayerSeated: charges.seated,
    t.TopUpAdded: charges.bought,
    t.PlayerLeft: _left,
    p.SessionStarted: charges.session_started,
    p.SessionEnded: charges.session_ended,
    p.SessionFeeDue: charges.fee_due,
    p.SessionFeeUnpaid: charges.fee_unpaid,
    p.VariantChosen: _chosen,
    p.HandStarted: _started,
    p.BlindPosted: _posted,
    p.BetPlaced: _bet,
    p.PlayerChecked: _checked,
    p.PlayerFolded: _folded,
    p.UncalledBetReturned: _returned,
    p.StreetDealt: _street,
    p.DealCorrected: _corrected,
    p.CardsShown: _shown,
    p.PotAwarded: _awarded,
    p.HandEnded: _ended,
    p.HandVoided: _voided,
    v.LiveDealOpened: _by_hand,
    v.SupervisorDecided: _supervised,
    v.WinnerAnnounced: _announced,
    v.PotReversed: _reversed,
}
