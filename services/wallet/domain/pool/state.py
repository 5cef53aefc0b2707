"""What a tournament's pool knows: by the wallet's own word who has paid what, by two people's the rules, and what of it
was covered.

It remembers each payment and each credit by a digest, for ever: what an account has forgotten of them it still knows.
"""

import msgspec

from libs.contracts.pool_events import Claim, Terms
from services.wallet.domain.account.state import Amounts, Digests, Memory, Names


class Parts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Minor units, by the tournament's accounts; `whole` in none of them."""

    prize: int = 0
    fee: int = 0
    bounty: int = 0
    ticket: int = 0
    whole: int = 0

    @property
    def total(self) -> int:
        return sum(msgspec.structs.astuple(self))

    def plus(self, other: "Parts | Claim", sign: int = 1) -> "Parts":
        return Parts(
            self.prize + sign * other.prize, self.fee + sign * other.fee, self.bounty + sign * other.bounty,
            self.ticket + sign * other.ticket, self.whole + sign * other.whole,
        )  # fmt: skip


class Pool(msgspec.Struct, frozen=True, tag="pool", gc=False):
    stream: str
    terms: Terms | None = None
    cancelled: bool = False
    names: Names = Memory()
    """By digest of a payment or ticket: whose it is."""
    amounts: Amounts = Memory()
    """By the same: how much it was, minor units."""
    prices: dict[int, int] = {}
    """By amount: how many payments of it came, and have not gone back as they came."""
    tickets: int = 0
    """How many came."""
    worth: int = 0
    """All of them together, minor units."""
    ticketed: Amounts = Memory()
    """By digest of a player: tickets of theirs that may have paid an entry of which no credit has told the name yet."""
    brought: Amounts = Memory()
    """By digest of a player: paid in money and tickets, less what came back of it; minor units, above zero."""
    entries: int = 0
    """That were paid with money and not taken back."""
    unsure: int = 0
    """Tickets, and payments whose name does not say what they are for: each may be an entry."""
    out: Parts = Parts()
    """Covered, or paid before there were pools."""
    taken_back: int = 0
    """Of the prizes: refunded with entries that were taken back, minor units."""
    won: Amounts = Memory()
    """By digest of an entry: covered of its prize and its ticket, to whomever; minor units."""
    covered: Digests = Memory()
    """By digest of a credit's name: what it was, or nothing for one that was paid before there were pools."""
    held: dict[str, Claim] = {}
    """By name: what is not covered yet."""
