"""A hand that is over: whose the pots are by claims and cards, what each is paid, what the house has taken of it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from libs.cards.variants import Variant
from libs.contracts.poker_events import Exemption, HandEnded
from services.audit.verifying.findings import Kind
from services.audit.verifying.pot_rules import Due, Layer, basis, layers, settle
from services.audit.verifying.pot_state import Pots, Terms
from services.audit.verifying.strengths import Strength, strength

Complaint = tuple[Kind, str]
Winners = Sequence[Sequence[int]]
"""Of each pot, the main one first: seats, ascending."""


def check_end(pots: Pots, fact: HandEnded) -> Iterator[Complaint]:
    """All pots together: a cap is one for the hand."""
    due, hand = layers(pots.puts), f"hand {fact.hand}"
    names = ["main", *(f"side_{number}" for number in range(1, len(due)))]
    told = [(each.pot, each.amount, sorted(each.eligible)) for each in pots.awarded]
    expected = [(name, *pot) for name, pot in zip(names, due, strict=False)]
    if told != expected:
        yield Kind.POT_RESULT, f"{hand}: pots and claims are told as {told}, by what was put in they are {expected}"
        return
    winners = [_winners(pots, pot) for pot in due]
    if not all(winners):
        yield Kind.POT_RESULT, f"{hand} is paid before all who have a claim have shown their cards"
        return
    by_the_cards = sorted({seat for each in winners for seat in each})
    paid = _pushed(pots, by_the_cards, winners)
    if pots.announced is not None and pots.announced.by_the_cards != by_the_cards:
        yield (
            Kind.POT_RESULT,
            f"{hand}: by the cards it is said to be seats {pots.announced.by_the_cards}'s, not {by_the_cards}'s",
        )
    seats = [sorted(each.winners) for each in pots.awarded]
    if seats != paid or seats != [sorted(payment.seat for payment in each.payments) for each in pots.awarded]:
        yield Kind.POT_RESULT, f"{hand} is paid to seats {seats}, its pots are those of {paid}"
    elif pots.terms is not None:
        yield from _amounts(pots, pots.terms, fact, due, winners, paid)
    if paid is not winners:
        pots.reversal = _reversal(pots, by_the_cards[0])


def _winners(pots: Pots, pot: Layer) -> list[int]:
    """Empty where the cards in the open do not tell."""
    if len(pot.eligible) == 1:
        return pot.eligible
    found: dict[int, Strength] = {}
    for seat in pot.eligible:
        hole = pots.puts[seat].cards
        strong = strength(_variant(pots, hole), hole, pots.board)
        if strong is None:
            return []
        found[seat] = strong
    best = max(found.values())
    return [seat for seat in pot.eligible if found[seat] == best]


def _variant(pots: Pots, hole: Sequence[str]) -> Variant:
    if pots.terms is not None:
        return pots.terms.variant
    if pots.street.startswith("card_"):
        return "sintetico"
    return "omaha" if len(hole) > 2 else "holdem"


def _pushed(pots: Pots, by_the_cards: Sequence[int], winners: Winners) -> Winners:
    """Where a human dealer pushed the chips to another one who is still in, of which an incident tells, he has them."""
    told = pots.announced
    if told is None or not told.pushed or told.seat in by_the_cards:
        return winners
    still_in = told.seat in pots.puts and not pots.puts[told.seat].folded
    return [[told.seat] for _ in winners] if still_in else winners


def _amounts(
    pots: Pots, terms: Terms, fact: HandEnded, due: Sequence[Layer], winners: Winners, paid: Winners
) -> Iterator[Complaint]:
    exemption = _exemption(pots, terms)
    still_in = [put for put in pots.puts.values() if not put.folded]
    of = basis(terms, exemption is not None, any(put.all_in for put in still_in))
    if fact.exemption != exemption:
        yield Kind.RAKE, f"hand {fact.hand}: exempt as {fact.exemption}, by its course it is {exemption}"
    amounts = [pot.amount for pot in due]
    should = settle(list(zip(amounts, paid, strict=True)), pots.button, terms, of)
    for award, payments in zip(pots.awarded, should, strict=True):
        told = sorted(Due(each.seat, each.rake, each.net) for each in award.payments)
        rakes, where = [each.rake for each in sorted(payments)], f"hand {fact.hand}, pot {award.pot} of {award.amount}"
        if (award.basis, [each.rake for each in told]) != (of, rakes):
            detail = f"{where}: charged {award.rake} by {award.basis}, the table's terms make it {sum(rakes)} by {of}"
            yield Kind.RAKE, detail
        elif told != sorted(payments):
            pays, should_pay = ({each.seat: each.net for each in dues} for dues in (told, payments))
            yield Kind.POT_RESULT, f"{where} pays {pays}, by the rules it is {should_pay}"
    if pots.announced is not None and paid is not winners:
        by_the_cards = Counter[int]()
        for payments in settle(list(zip(amounts, winners, strict=True)), pots.button, terms, of):
            by_the_cards.update({each.seat: each.net for each in payments})
        if {each.seat: each.amount for each in pots.announced.due} != by_the_cards:
            yield Kind.POT_RESULT, f"hand {fact.hand}: what was pushed past its winners is not told as due to them"


def _exemption(pots: Pots, terms: Terms) -> Exemption | None:
    """pt-811-2015 18."""
    if terms.mode != "pot":
        return None
    if terms.free_before_flop and not pots.board:
        return "no_flop"
    alone = sum(not put.folded for put in pots.puts.values()) == 1
    ended_there = pots.street == "flop" and alone and not pots.flop_bet
    return "flop_without_voluntary_bet" if terms.free_on_flop and ended_there else None


def _reversal(pots: Pots, first: int) -> dict[int, int]:
    """Who should have how much of the chips that were pushed; a cent of rake between the two ways goes to the first."""
    due = {each.seat: each.amount for each in pots.announced.due} if pots.announced is not None else {}
    won = sum(payment.net for each in pots.awarded for payment in each.payments)
    return {**due, first: due.get(first, 0) + won - sum(due.values())}
