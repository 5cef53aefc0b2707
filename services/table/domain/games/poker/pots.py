"""Pots and what becomes of them: layers of what the players put in, the house's commission, payments to the last unit.

Pots: pt-811-2015 41, 42, 63; mo-97-2010 10.2. Commission: basis, exemptions, cap (pt-811-2015 17.a, 18, 19; mo-97-2010
16). Payments: pt-811-2015 33, 62; mo-97-2010 10.4, 10.5.
"""

from collections.abc import Sequence

import msgspec

from libs.contracts.poker_events import Basis, Exemption, Payment
from libs.money.rates import part_of
from libs.money.splitting import one_unit_each, whole_remainder_to
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.order import clockwise_after
from services.table.domain.games.poker.state import Hand


class Pot(msgspec.Struct, frozen=True):
    name: str
    """main, side_1, side_2 …"""
    amount: int
    eligible: tuple[int, ...]
    """Seats with a claim, ascending."""


def pots_of(hand: Hand) -> list[Pot]:
    """One layer per different amount among players still in; folded money is money, not a claim. Dead money is main.

    What hands that were annulled have put in above everybody left stays, in the last pot (pt-217-2007 71.b, 71.g).
    """
    players = hand.players.values()
    stakes = [player.committed + player.waived for player in players]
    waived = [player.waived for player in players if player.waived]
    alive = sorted([(player.seat, player.committed + player.waived) for player in players if not player.folded])
    most = max(committed for _, committed in alive)
    pots: list[Pot] = []
    dead, below = sum([player.dead for player in players]), 0
    for level in sorted({committed for _, committed in alive}):
        up_to_here = dead + _up_to(level, stakes) - _up_to(level, waived)
        eligible = tuple([seat for seat, committed in alive if committed >= level])
        pots.append(Pot("main" if not pots else f"side_{len(pots)}", up_to_here - below, eligible))
        below = up_to_here
    above = hand.pot - below
    over = sum(stakes) - _up_to(most, stakes) - sum(waived) + _up_to(most, waived)
    assert above == over, "layers hold the whole pot"
    last = pots[-1]
    return [*pots[:-1], Pot(last.name, last.amount + above, last.eligible)]


def _up_to(level: int, stakes: list[int]) -> int:
    """What of the stakes lies below a level."""
    return sum([stake if stake < level else level for stake in stakes])


def uncalled(hand: Hand) -> tuple[int, int] | None:
    """Seat and part of its bet of this round that nobody matched (pt-811-2015 2.o, 40; pt-217-2007 FP-1), or None.

    Whether its hand is still in does not matter: what nobody matched is in no dispute. It goes back to who still sits
    there; who has gone leaves it in the pot.
    """
    stakes = sorted([(player.in_round, seat) for seat, player in hand.players.items()], reverse=True)
    (highest, seat), (second, _) = stakes[0], stakes[1]
    excess = min(highest - second, hand.players[seat].committed)  # pt-217-2007 91: a blind that was never put in
    return (seat, excess) if excess > 0 else None


def exemption_of(hand: Hand, rules: PokerConfiguration) -> Exemption | None:
    """Why this hand pays nothing, or None; asked when it is about to be paid. Buy-in mode has no exemptions."""
    if not rules.rakes_pots:
        return None
    if rules.rake.no_flop_no_rake and not hand.board:
        return "no_flop"
    ended_on_flop = hand.street == "flop" and hand.left == 1
    if rules.rake.flop_round_without_bet_no_rake and ended_on_flop and not hand.flop_bet:
        return "flop_without_voluntary_bet"
    return None


def basis_of(hand: Hand, rules: PokerConfiguration) -> Basis:
    """What the percentage is taken of."""
    if not rules.rakes_pots or exemption_of(hand, rules) is not None:
        return "none"
    capped = rules.rake.cap is not None or rules.rake.cap_big_blinds is not None
    if rules.rake.order == "divide_then_rake":
        return "capped_payments" if capped else "per_payment"  # pt-217-2007 65
    if capped:
        return "capped_pot"
    # pt-811-2015 19: whenever a player still in is all-in when the pots are paid.
    if rules.rake.per_payment_when_all_in and any(player.all_in for player in hand.alive):
        return "per_payment"
    return "pot"


def rake_of_pot(amount: int, taken: int, basis: Basis, rules: PokerConfiguration) -> int:
    """Commission off one pot before it is divided; `taken` is what the pots before it gave."""
    if basis in ("none", "per_payment", "capped_payments"):
        return 0
    due = part_of(amount, rules.rake.bp)
    if basis == "capped_pot":
        # mo-97-2010 16: one cap per hand, shared by all pots, main pot first.
        due = min(due, max(0, cap_of(rules) - taken))
    return due


def cap_of(rules: PokerConfiguration) -> int:
    """Most that a hand may be charged, of one that is capped."""
    if rules.rake.cap is not None:
        return rules.rake.cap
    assert rules.rake.cap_big_blinds is not None
    return rules.rake.cap_big_blinds * rules.betting.big_blind


def rakes_of_payments(shares: Sequence[int], basis: Basis, rules: PokerConfiguration) -> list[int]:
    """Commission off each winner's share of all the pots, rounded down each (pt-811-2015 19; pt-217-2007 65)."""
    rakes = [part_of(share, rules.rake.bp) for share in shares]
    return spread_cap(rakes, shares, cap_of(rules)) if basis == "capped_payments" else rakes


def spread_cap(rakes: Sequence[int], shares: Sequence[int], cap: int) -> list[int]:
    """The cap in proportion to what each would pay without it, rounded down; the rest to the largest payment (65)."""
    whole = sum(rakes)
    if whole <= cap:
        return list(rakes)
    spread = [rake * cap // whole for rake in rakes]
    spread[shares.index(max(shares))] += cap - sum(spread)
    return spread


def settlement(
    awards: Sequence[tuple[Pot, Sequence[int]]], hand: Hand, basis: Basis, rules: PokerConfiguration
) -> list[list[Payment]]:
    """For each pot with its winners the payments, in the order in which odd units go round; gross sums to the pot."""
    seats = [clockwise_after(winners, hand.button) for _, winners in awards]
    if basis in ("per_payment", "capped_payments"):
        shares = [shares_of(pot.amount, order, rules) for (pot, _), order in zip(awards, seats, strict=True)]
        # pt-811-2015 19, pt-217-2007 65: shares first, commission second; a cap needs all payments of the hand.
        rakes = iter(rakes_of_payments([share for parts in shares for share in parts], basis, rules))
        divided = [[(share - (rake := next(rakes)), rake) for share in parts] for parts in shares]
    else:
        divided = []
        taken = 0
        for (pot, _), order in zip(awards, seats, strict=True):
            rake = rake_of_pot(pot.amount, taken, basis, rules)
            taken += rake
            nets = shares_of(pot.amount - rake, order, rules)
            divided.append(list(zip(nets, one_unit_each(rake, len(order))[::-1], strict=True)))
    return [
        [
            Payment(seat, hand.players[seat].player, net + rake, rake, net)
            for seat, (net, rake) in zip(order, parts, strict=True)
        ]
        for order, parts in zip(seats, divided, strict=True)
    ]


def shares_of(amount: int, seats: Sequence[int], rules: PokerConfiguration) -> list[int]:
    """Parts of `amount` for `seats`, which stand clockwise from the left of the button."""
    if rules.dealing.odd_unit == "whole_remainder_to_lowest_seat":
        return whole_remainder_to(amount, len(seats), seats.index(min(seats)), rules.dealing.min_unit)
    return one_unit_each(amount, len(seats), rules.dealing.min_unit)
