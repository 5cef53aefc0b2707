"""Events of a tournament's pool at the wallet: what it has come to know of the money, and which credits that covers.

No money moves by any of them: it moves in the players' accounts.
"""

from typing import Annotated, Literal

import msgspec

from libs.contracts.facts import Chips, Part, WalletEvent, When
from libs.contracts.texts import Currency, name
from libs.contracts.tournaments import Definition, Payout, Price
from libs.contracts.wallet_events import TournamentCredit

ClaimReason = TournamentCredit | Literal["ticket", "return"]
"""`ticket`: a registration for another tournament; `return`: a payment that came too late."""
Lack = Literal["terms", "currency", "funds", "share", "name", "too_early", "not_cancelled", "not_paid"]
"""What a credit that is held lacks: rules that two people have announced; their currency; money in the pool, or in that
part of it; a share so large by the payout table; a name that means anything; the start; the cancellation; a payment."""


class Terms(Part):
    """What of a tournament's rules bounds its payments, minor units."""

    currency: str
    starts_at: When | None
    """null: when the last seat is taken."""
    seats: int
    """Of a sit-and-go."""
    entry: Price
    others: list[Price]
    """Of rebuys and add-ons."""
    payouts: list[Payout]
    promised: int
    """What the house may have to add of its own money."""
    ticket: int = 0
    """What a ticket is worth that is won there; 0: none is."""
    target: str = ""
    """The tournament that such a ticket is for."""


def terms_of(rules: Definition) -> Terms:
    others = [offer.price for offer in (rules.rebuy, rules.add_on) if offer is not None]
    tickets = rules.tickets
    return Terms(
        rules.currency, rules.starts_at, rules.max_players, rules.buy_in, others, rules.payouts, rules.promised,
        *((tickets.value, tickets.tournament) if tickets is not None else ()),
    )  # fmt: skip


Sum = Annotated[int, msgspec.Meta(ge=0, le=10**15, description="minor units of the currency (cents)")]


class Claim(Part):
    """What a player is to get, as the tournament says it, out of which of its accounts."""

    name: Annotated[str, name(128)]
    """Of the credit, the ticket or the payment that goes back; once for ever."""
    entry: Annotated[str, name(128, 0)]
    player: Annotated[str, name(64)]
    why: ClaimReason
    currency: Currency
    prize: Sum = 0
    fee: Sum = 0
    bounty: Sum = 0
    ticket: Sum = 0
    whole: Sum = 0
    """Of a payment that goes back: it never came into any of these accounts."""
    target: Annotated[str, name(64, 0)] = ""
    """Of a ticket: the tournament that it is for."""

    @property
    def amount(self) -> int:
        return self.prize + self.fee + self.bounty + self.ticket + self.whole


class PoolEvent(WalletEvent):
    """Of what one tournament's players have paid. `account` is the pool's stream."""

    tournament: str


class TermsNoted(PoolEvent):
    """The rules that bound what is paid out; the first ones count, for ever."""

    terms: Terms


class PaymentNoted(PoolEvent):
    """`player` has paid the tournament this out of an account."""

    payment: str
    amount: Chips


class TicketNoted(PoolEvent):
    """`player` has won a ticket for it, which the pool of the satellite has covered."""

    ticket: str
    amount: Chips
    """Its value."""
    satellite: str


class CancellationNoted(PoolEvent):
    """Two of the staff have cancelled it: what is left may be shared out."""


class CreditNoted(PoolEvent):
    """Paid by the wallet of before, which asked no pool."""

    credit: str
    amount: Chips


class CreditHeld(PoolEvent):
    """Not covered: nothing is paid, unless what it lacks is noted later."""

    claim: Claim
    lacks: Lack


class CreditCovered(PoolEvent):
    """By what the pool knows: paid from here on, once for ever."""

    claim: Claim
