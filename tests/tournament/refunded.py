"""The refund sheet of a cancelled tournament by hand: pt-810-2015 36.a to 36.c as the worked cases reckon, in
fractions, from what was paid, what the tables say of the stacks, and what was won. Nothing of the service's own
arithmetic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from libs.contracts import tournament_play_events as play
from libs.contracts.poker_events import HandEnded
from libs.contracts.tournaments_events import CancellationProposed, EntryPaid, RebuyMade
from tests.tournament.told import Told

Cents = dict[str, int]


@dataclass(slots=True)
class Standing:
    """As it is when the sheet is asked for. By entry, in the order of registration; money in cents."""

    paid: Cents = field(default_factory=dict)
    """For the registration, all of it."""
    prize_part: Cents = field(default_factory=dict)
    """Of that the part for prizes."""
    more: list[tuple[str, int, int]] = field(default_factory=list)
    """Rebuys and add-ons: entry, all of it, part for prizes."""
    chips: dict[str, int] = field(default_factory=dict)
    won: Cents = field(default_factory=dict)
    """Prizes decided."""
    dealt: bool = False
    in_the_money: bool = False


def refunds(at: Standing) -> tuple[str, Cents, Cents, int]:
    """The rule, what each entry gets, the shares of the pot, and the pot."""
    if not at.dealt:
        back = dict(at.paid)
        for entry, amount, _ in at.more:
            back[entry] += amount
        return "36.a", back, {}, 0
    still_in = [entry for entry in at.paid if at.chips.get(entry)]
    pot = sum(part for entry, part in at.prize_part.items() if entry not in still_in)
    pot += sum(part for _, _, part in at.more) - sum(at.won.values())
    shares = proportional(max(0, pot), {entry: at.chips[entry] for entry in still_in})
    credits = {entry: at.won.get(entry, 0) for entry in at.paid}
    for entry in still_in:
        credits[entry] += at.paid[entry] + shares[entry]
    return "36.c" if at.in_the_money else "36.b", credits, shares, max(0, pot)


def proportional(whole: int, by: Mapping[str, int]) -> Cents:
    """Rounded down; cents left go to the largest fractions, of equal ones to the earlier registration (FP-11)."""
    exact = {entry: Fraction(whole * chips, sum(by.values())) for entry, chips in by.items()}
    shares = {entry: int(share) for entry, share in exact.items()}
    order = {entry: place for place, entry in enumerate(by)}
    first = sorted(exact, key=lambda entry: (shares[entry] - exact[entry], order[entry]))
    for entry in first[: whole - sum(shares.values())]:
        shares[entry] += 1
    return shares


def standing(told: Told) -> tuple[Standing, CancellationProposed]:
    """At the last sheet that was worked out, and that sheet."""
    sheets = [place for place, heard in enumerate(told.own) if isinstance(heard.fact, CancellationProposed)]
    hands = {(number, each.fact.hand): each.fact for number, each in told.at_tables(HandEnded)}
    at, left, prizes, entry_of = Standing(), 0, list[int](), dict[str, str]()
    places: dict[str, tuple[int, int]] = {}
    out: dict[str, int] = {}
    """Without chips and not told to be out: the stack at the start of that hand."""
    for heard in told.own[: sheets[-1]]:
        fact: Any = heard.fact
        match fact:
            case EntryPaid():
                at.paid[fact.entry], at.prize_part[fact.entry] = fact.amount, fact.prize
                left += 1
            case RebuyMade():
                at.more.append((fact.entry, fact.amount, fact.prize))
            case play.EntrySeated():
                at.chips[fact.entry], entry_of[fact.sitting] = fact.chips, fact.entry
            case play.ChipsGranted():
                at.chips[fact.entry] += fact.chips
                out.pop(fact.entry, None)
            case play.HandDealt():
                at.dealt = True
            case play.HandFinished() if not fact.void:
                for result in hands[fact.table, fact.hand].results:
                    entry = entry_of[result.reservation]
                    came_too_late = at.chips[entry] - (result.stack + result.staked - result.won)
                    at.chips[entry] = result.stack + came_too_late
                    if not at.chips[entry]:
                        out[entry] = result.staked - result.won
            case play.EntryEliminated():
                left -= 1
                places[fact.entry] = fact.first, fact.last
                out.pop(fact.entry, None)
            case play.PrizesFixed():
                prizes = fact.prizes
    for stack in sorted(set(out.values())) if prizes else ():  # of a round of hand-for-hand that has not ended (50)
        tied = [entry for entry in out if out[entry] == stack]
        places |= dict.fromkeys(tied, (left - len(tied) + 1, left))
        left -= len(tied)
    at.in_the_money = bool(prizes) and left <= len(prizes)
    at.won = _decided({entry: places[entry] for entry in at.paid if entry in places}, prizes)
    return at, told.own[sheets[-1]].fact


def _decided(places: Mapping[str, tuple[int, int]], prizes: Sequence[int]) -> Cents:
    """`places` in the order of registration. Tied ones share their prizes, the first registered gets what can't be
    split (51, FP-11)."""
    won: Cents = {}
    for first, last in set(places.values()):
        tied = [entry for entry, place in places.items() if place == (first, last)]
        whole = sum(prizes[first - 1 : last])
        won |= {entry: amount for entry, amount in proportional(whole, dict.fromkeys(tied, 1)).items() if amount}
    return won


def unlike(told: Told) -> list[str]:
    """How the sheet differs from what is due, a sentence each; and whether it gives away what was collected."""
    at, sheet = standing(told)
    rule, due, shares, pot = refunds(at)
    credited: Cents = dict.fromkeys(at.paid, 0)
    for credit in sheet.credits:
        credited[credit.entry] += credit.amount
    for paid_before in told.credited_before(sheet):
        credited[paid_before.entry] += paid_before.amount
    wrong = [entry for entry in due if due[entry] != credited[entry]]
    found = [f"{entry} is due {due[entry]}, the sheet says {credited[entry]}" for entry in wrong]
    if rule != sheet.rule:
        found.append(f"{rule} holds, the sheet says {sheet.rule}")
    given = sum(credit.prize for credit in sheet.credits if credit.credit.endswith(".share"))
    if given != pot or sum(shares.values()) != pot:
        found.append(f"the shares are {given} of a pot of {pot}")
    collected = sum(at.paid.values()) + sum(amount for _, amount, _ in at.more)
    if sum(credited.values()) + sheet.to_the_house != collected:
        found.append(f"{sum(credited.values())} and {sheet.to_the_house} of {collected}")
    return found
