"""What a hand's pots should be and what comes of them, in the auditor's own words: layers, division, the house's part.

Pots: pt-811-2015 41, 42, 63; mo-97-2010 10.2. Division: pt-811-2015 62; mo-97-2010 10.5; pt-217-2007 67. Charges:
pt-811-2015 17 to 19; mo-97-2010 16; pt-217-2007 7, 65.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from libs.contracts.poker_configuration import PokerConfiguration
from libs.contracts.poker_events import Basis
from libs.money.rates import BASIS_POINTS
from services.audit.verifying.pot_state import Put, Terms


class Layer(NamedTuple):
    """A pot. Seats ascending."""

    amount: int
    eligible: list[int]


class Due(NamedTuple):
    """A payment out of a pot."""

    seat: int
    rake: int
    net: int


def terms_of(chosen: PokerConfiguration) -> Terms:
    rake, betting, dealing = chosen.rake, chosen.betting, chosen.dealing
    base = betting.table_max if rake.session_fee_base == "table_max" else chosen.entry.buy_in_min
    in_blinds = None if rake.cap_big_blinds is None else rake.cap_big_blinds * betting.big_blind
    return Terms(
        variant=chosen.variant,
        small_blind=betting.small_blind,
        big_blind=betting.big_blind,
        mode=rake.mode,
        rate=rake.bp,
        cap=rake.cap if rake.cap is not None else in_blinds,
        shares_first=rake.order == "divide_then_rake",
        shares_first_all_in=rake.per_payment_when_all_in,
        free_before_flop=rake.no_flop_no_rake,
        free_on_flop=rake.flop_round_without_bet_no_rake,
        piece=dealing.min_unit,
        rest_to_lowest=dealing.odd_unit == "whole_remainder_to_lowest_seat",
        fee=percent(base or 0, rake.bp),
    )


def percent(amount: int, rate: int) -> int:
    """Rounded down, so that no more than the rate is charged."""
    return amount * rate // BASIS_POINTS


def layers(puts: Mapping[int, Put]) -> list[Layer]:
    """The main pot first. Peeled off from below: as much of everybody as the least of those still in has put in."""
    rest = {seat: put.level for seat, put in puts.items()}
    waived = {seat: put.waived for seat, put in puts.items()}
    claims = sorted(seat for seat, put in puts.items() if not put.folded)
    found: list[Layer] = []
    extra = sum(put.dead for put in puts.values())
    while claims:
        step = min(rest[seat] for seat in claims)
        amount, extra = extra, 0
        for seat, left in rest.items():
            part = min(step, left)
            unpaid = min(part, waived[seat])
            amount += part - unpaid
            rest[seat], waived[seat] = left - part, waived[seat] - unpaid
        found.append(Layer(amount, claims))
        claims = [seat for seat in claims if rest[seat]]
    if found:
        # What hands that are out have put in above everybody left has no pot of its own (pt-217-2007 71.b, 71.g).
        above = sum(rest.values()) - sum(waived.values())
        found[-1] = Layer(found[-1].amount + above, found[-1].eligible)
    return found


def uncalled(puts: Mapping[int, Put]) -> tuple[int, int] | None:
    """Seat and part of its bet in this round that nobody has matched (pt-811-2015 2.o), or None."""
    if len(puts) < 2:
        return None
    *_, second, highest = sorted(puts, key=lambda seat: (puts[seat].in_round, seat))
    amount = min(puts[highest].in_round - puts[second].in_round, puts[highest].live)
    return (highest, amount) if amount > 0 else None


def basis(terms: Terms, free: bool, all_in: bool) -> Basis:
    """What is charged. `free`: the hand is exempt. `all_in`: somebody still in is."""
    if terms.mode != "pot" or free:
        return "none"
    if terms.shares_first:
        return "per_payment" if terms.cap is None else "capped_payments"
    if terms.cap is not None:
        return "capped_pot"
    return "per_payment" if terms.shares_first_all_in and all_in else "pot"


def settle(pots: Sequence[tuple[int, Sequence[int]]], button: int, terms: Terms, of: Basis) -> list[list[Due]]:
    """`pots`: amounts and winners. What each winner should get of each."""
    orders = [sorted(winners, key=lambda seat: (seat <= button, seat)) for _, winners in pots]
    if of in ("per_payment", "capped_payments"):
        shares = [_divided(amount, order, terms) for (amount, _), order in zip(pots, orders, strict=True)]
        taken = iter(_charged([share for each in shares for _, share in each], terms, of == "capped_payments"))
        return [[Due(seat, rake := next(taken), share - rake) for seat, share in each] for each in shares]
    found, gone = [], 0
    for (amount, _), order in zip(pots, orders, strict=True):
        rake = 0 if of == "none" else percent(amount, terms.rate)
        if of == "capped_pot" and terms.cap is not None:
            rake = max(0, min(rake, terms.cap - gone))
        gone += rake
        # Its cents that can't be divided fall on who comes last: the first are those who are paid a cent more.
        each, odd = divmod(rake, len(order))
        nets = enumerate(_divided(amount - rake, order, terms), 1)
        found.append([Due(seat, each + (place > len(order) - odd), net) for place, (seat, net) in nets])
    return found


def _divided(amount: int, order: Sequence[int], terms: Terms) -> list[tuple[int, int]]:
    each = amount // (len(order) * terms.piece) * terms.piece
    parts = dict.fromkeys(order, each)
    rest = amount - each * len(order)
    if terms.rest_to_lowest:
        parts[min(order)] += rest
    else:
        for seat in order[: rest // terms.piece]:
            parts[seat] += terms.piece
        parts[order[0]] += rest % terms.piece
    return list(parts.items())


def _charged(shares: Sequence[int], terms: Terms, capped: bool) -> list[int]:
    charged = [percent(share, terms.rate) for share in shares]
    whole = sum(charged)
    if not capped or terms.cap is None or whole <= terms.cap:
        return charged
    spread = [part * terms.cap // whole for part in charged]
    spread[shares.index(max(shares))] += terms.cap - sum(spread)  # pt-217-2007 65
    return spread
