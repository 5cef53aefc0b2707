"""What each winner of a pot is paid, to the last unit (pt-811-2015 33, 62; mo-97-2010 10.4, 10.5)."""

from collections.abc import Sequence

from libs.money.splitting import one_unit_each, whole_remainder_to
from services.table.domain.games.poker.events import Basis, Payment
from services.table.domain.games.poker.order import from_button
from services.table.domain.games.poker.pots import Pot
from services.table.domain.games.poker.rake import rake_of_payment, rake_of_pot
from services.table.domain.games.poker.state import Hand
from services.table.domain.table.configuration import Configuration


def payments_of(
    pot: Pot, winners: Sequence[int], hand: Hand, taken: int, basis: Basis, rules: Configuration
) -> list[Payment]:
    """Payments in the order in which odd units go round; their gross sums to the pot."""
    seats = from_button(winners, hand.button)
    if basis == "per_payment":
        # pt-811-2015 19: shares first, commission second.
        shares = shares_of(pot.amount, seats, rules)
        rakes = [rake_of_payment(share, basis, rules) for share in shares]
        nets = [share - rake for share, rake in zip(shares, rakes, strict=True)]
    else:
        rake = rake_of_pot(pot.amount, taken, basis, rules)
        nets = shares_of(pot.amount - rake, seats, rules)
        rakes = one_unit_each(rake, len(seats))[::-1]
    return [
        Payment(seat, hand.players[seat].player, net + rake, rake, net)
        for seat, net, rake in zip(seats, nets, rakes, strict=True)
    ]


def shares_of(amount: int, seats: Sequence[int], rules: Configuration) -> list[int]:
    """Parts of `amount` for `seats`, which stand clockwise from the left of the button."""
    if rules.odd_unit == "whole_remainder_to_lowest_seat":
        return whole_remainder_to(amount, len(seats), seats.index(min(seats)), rules.min_unit)
    return one_unit_each(amount, len(seats), rules.min_unit)
