"""What an account remembers: figures, open reserves, what it was asked by reference, and how sittings ended.

Of sittings two generations are kept (adr/0016): those that ended since the last `SittingsForgotten`, and those that
ended between the last two; likewise, by `ReferencesForgotten`, of what answers an event and says when that was told.
An operator's reference tells no time and moves money: each is kept for ever.
"""

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec
from rpds import HashTrieMap

from libs.contracts.wallet_commands import claimant
from libs.contracts.wallet_events import CashPurpose

Key = bytes
"""Digest of an id that must stay unique for ever; 16 bytes, whatever the id's length."""
Memory = HashTrieMap
"""What only ever grows. Persistent, so that an account of ten thousand deposits isn't copied for the next one."""
if TYPE_CHECKING:  # at run time it takes no parameters
    Digests = HashTrieMap[Key, Key]
    Names = HashTrieMap[Key, str]
    Amounts = HashTrieMap[Key, int]
else:
    Digests = Names = Amounts = HashTrieMap


class NoAccount(msgspec.Struct, frozen=True, tag="none"):
    stream: str


class Reserve(msgspec.Struct, frozen=True, array_like=True):
    sitting: str
    table: str
    amount: int


class Waiting(msgspec.Struct, frozen=True, array_like=True):
    """A deposit or withdrawal that waits for a second person."""

    reference: str
    purpose: CashPurpose
    amount: int
    by: str


class Home(msgspec.Struct, frozen=True, array_like=True):
    table: str
    amount: int


class Ended(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A generation of sittings that are over, as `Account` has them."""

    settled_top_ups: dict[Key, Reserve] = {}
    ended: Digests = Memory()
    over: Names = Memory()
    settled: Amounts = Memory()


class Timed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A generation of what was asked because of events whose time is known, as `Account` has the others."""

    references: Digests = Memory()
    paid: Amounts = Memory()
    """All that a tournament was paid so stands in the generation of the last payment."""


class Account(msgspec.Struct, frozen=True, tag="open", gc=False):
    stream: str
    player: str
    currency: str
    demo: bool
    available: int = 0
    reserved: int = 0
    """Sum of the open reserves."""
    references: Digests = Memory()
    """Digest of a reference to digest of what was asked under it; of those that tell no time."""
    reserves: dict[Key, Reserve] = {}
    """The open ones."""
    settled_top_ups: dict[Key, Reserve] = {}
    """Settled with their sitting; the table may still say that they never became chips."""
    ended: Digests = Memory()
    """Digest of every reserve that was refused, released or settled to what it was: its id never counts twice."""
    over: Names = Memory()
    """Digest of every settled sitting to its table."""
    settled: Amounts = Memory()
    """Digest of sitting and settlement to what came home."""

    former: Ended = Ended()
    """The generation before; the next `SittingsForgotten` forgets it."""
    since: int = 0
    """When that generation came to its end, milliseconds since the epoch. 0: there is none."""
    forgotten: int = 0
    """Ids from before this are refused unless they are remembered, milliseconds since the epoch."""
    waiting: dict[Key, Waiting] = {}
    """By digest of the reference."""
    paid: Amounts = Memory()
    """By digest of a tournament: what it was paid out of this account, less what has come back as a return or refund
    of that, minor units; above zero. As long as a reference: a refund may come months after the entry."""

    timed: Timed = Timed()
    former_timed: Timed = Timed()
    """The generation before; the next `ReferencesForgotten` forgets it."""
    timed_since: int = 0
    """When that generation came to its end, milliseconds since the epoch. 0: there is none."""
    timed_forgotten: int = 0
    """What answers an event of before this is refused unless it is remembered, milliseconds since the epoch."""

    asked_home: dict[Key, Home] = {}
    """By `home_key`: what a table says that goes home, and its escrow has not covered."""

    def asked_as(self, reference: Key) -> Key | None:
        """Digest of what was asked under it; None: nothing, or forgotten."""
        known = self.references.get(reference) or self.timed.references.get(reference)
        return known or self.former_timed.references.get(reference)

    def settled_top_up(self, key: Key) -> Reserve | None:
        return self.settled_top_ups.get(key) or self.former.settled_top_ups.get(key)

    def ended_as(self, key: Key) -> Key | None:
        """Digest of what a reserve was that is over; None: not known, or forgotten."""
        return self.ended.get(key) or self.former.ended.get(key)

    def table_of(self, sitting: Key) -> str | None:
        """Where a settled sitting was; None: not known, or forgotten."""
        return self.over.get(sitting) or self.former.over.get(sitting)

    def returned_by(self, settlement: Key) -> int | None:
        known = self.settled.get(settlement)
        return self.former.settled.get(settlement) if known is None else known

    def is_asked_for(self, tournament: str, payment: str) -> bool:
        """Whether it was ever to pay this, and has or had too little."""
        return self.asked_as(payment_key(tournament, payment)) is not None

    def paid_to(self, tournament: str) -> int:
        """Minor units; what has come back of it is no more in it."""
        key = tournament_key(tournament)
        return sum(each.get(key, 0) for each in (self.paid, self.timed.paid, self.former_timed.paid))

    def reserves_of(self, sitting: str) -> dict[Key, Reserve]:
        return {key: reserve for key, reserve in self.reserves.items() if reserve.sitting == sitting}


State = NoAccount | Account


@lru_cache(maxsize=1024)  # deciding a command and evolving its events ask for the same ones
def key_of(*parts: str) -> Key:
    return blake2b("\x1f".join(parts).encode(), digest_size=16).digest()


def reference_key(by: str, reference: str) -> Key:
    """One platform's reference says nothing of another's (`by` as events tell it)."""
    return key_of(claimant(by), reference)


def payment_key(tournament: str, payment: str) -> Key:
    return key_of("payment", tournament, payment)


def fee_key(fee: str) -> Key:
    return key_of("fee", fee)


def credit_key(tournament: str, credit: str) -> Key:
    return key_of("credit", tournament, credit)


def home_key(sitting: str, settlement: str, reserve: str) -> Key:
    return key_of("home", sitting, reserve or settlement, "reserve" if reserve else "chips")


def tournament_key(tournament: str) -> Key:
    return key_of("paid", tournament)


def paid_as(amount: int) -> Key:
    return key_of("payment", str(amount))


def unpaid_as(amount: int) -> Key:
    """Of a payment that was refused for lack of money: nothing goes back under its name."""
    return key_of("unpaid", str(amount))


def refunded_by(credit: str) -> str | None:
    """The entry, which is the name of its payment, too, that the tournament refunds so (pt-810-2015 25, 36); None: it
    is another kind of credit."""
    entry = credit.removesuffix(".refund")
    return entry if entry != credit else None


def content_of(reserve: Reserve) -> Key:
    return key_of(reserve.sitting, reserve.table, str(reserve.amount))
