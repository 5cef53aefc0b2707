"""The house's commission on pots: basis, exemptions, cap (pt-811-2015 17.a, 18, 19; mo-97-2010 16)."""

from collections.abc import Sequence

from libs.contracts.poker_events import Basis, Exemption
from libs.money.rates import part_of
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.state import Hand


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
