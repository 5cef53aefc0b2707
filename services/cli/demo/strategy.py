"""How a bot plays: quickly, loosely, and always inside what the table offers."""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Choice:
    act: str
    to: int | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """The legal acts of one decision; amounts in cents, as in the contract's `LegalActs`."""

    street: str
    check: bool
    call: int | None
    min_to: int | None
    max_to: int | None


def choose(offer: Offer, dice: Random) -> Choice:
    """Folds a third of the time when facing a bet, raises one time in seven, else goes along."""
    wants_to_raise = dice.random() < 0.14
    if wants_to_raise and offer.min_to is not None and offer.max_to is not None:
        to = offer.min_to if dice.random() < 0.7 else dice.randint(offer.min_to, offer.max_to)
        opens = offer.check and offer.street != "preflop"  # before the flop the big blind is the bet
        return Choice("bet" if opens else "raise", to)
    if offer.check:
        return Choice("check")
    if dice.random() < 0.35:
        return Choice("fold")
    return Choice("call")
