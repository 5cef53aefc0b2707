"""The house's commission on pots: basis, exemptions, cap (pt-811-2015 17.a, 18, 19; mo-97-2010 16)."""

from libs.money.rates import part_of
from services.table.domain.games.poker.events import Basis, Exemption
from services.table.domain.games.poker.state import Hand
from services.table.domain.table.configuration import Configuration


def exemption_of(hand: Hand, rules: Configuration) -> Exemption | None:
    """Why this hand pays nothing, or None; asked when it is about to be paid. Buy-in mode has no exemptions."""
    if not rules.rakes_pots:
        return None
    if rules.no_flop_no_rake and not hand.board:
        return "no_flop"
    ended_on_flop = hand.street == "flop" and len(hand.alive) == 1
    if rules.flop_round_without_bet_no_rake and ended_on_flop and not hand.flop_bet:
        return "flop_without_voluntary_bet"
    return None


def basis_of(hand: Hand, rules: Configuration) -> Basis:
    """What the percentage is taken of."""
    if not rules.rakes_pots or exemption_of(hand, rules) is not None:
        return "none"
    if rules.rake_cap_big_blinds is not None:
        return "capped_pot"
    # pt-811-2015 19: whenever a player still in is all-in when the pots are paid.
    if rules.rake_per_payment_when_all_in and any(player.all_in for player in hand.alive):
        return "per_payment"
    return "pot"


def rake_of_pot(amount: int, taken: int, basis: Basis, rules: Configuration) -> int:
    """Commission off one pot before it is divided; `taken` is what the pots before it gave."""
    if basis in ("none", "per_payment"):
        return 0
    due = part_of(amount, rules.rake_bp)
    if basis == "capped_pot":
        assert rules.rake_cap_big_blinds is not None
        # mo-97-2010 16: one cap per hand, shared by all pots, main pot first.
        due = min(due, max(0, rules.rake_cap_big_blinds * rules.big_blind - taken))
    return due


def rake_of_payment(share: int, basis: Basis, rules: Configuration) -> int:
    """Commission off one winner's share (pt-811-2015 19): each payment rounded down on its own."""
    return part_of(share, rules.rake_bp) if basis == "per_payment" else 0
