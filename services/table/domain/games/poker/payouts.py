"""What each winner of a pot is paid, to the last unit (pt-811-2015 33, 62; mo-97-2010 10.4, 10.5)."""

from collections.abc import Sequence

from libs.contracts.poker_events import Basis, Payment
from libs.money.splitting import one_unit_each, whole_remainder_to
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.order import from_button
from services.table.domain.games.poker.pots import Pot
from services.table.domain.games.poker.rake import rake_of_pot, rakes_of_payments
from services.table.domain.games.poker.state import Hand


def settlement(
    awards: Sequence[tuple[Pot, Sequence[int]]], hand: Hand, basis: Basis, rules: PokerConfiguration
) -> list[list[Payment]]:
    """For each pot with its winners the payments, in the order in which odd units go round; gross sums to the pot."""
    seats = [from_button(winners, hand.button) for _, winners in awards]
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
