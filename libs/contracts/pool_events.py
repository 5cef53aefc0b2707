"""Events of a tournament's pool at the wallet: what it has come to know of the money, and which credits that covers.

No money moves by any of them: it moves in the players' accounts.
"""

from typing import Annotated, Literal

import msgspec

from libs.contracts.facts import MAX_NUMBER, Chips, Part, WalletEvent, When
from libs.contracts.texts import Currency, name
from libs.contracts.tournaments import MAX_PLAYERS, Definition, Paid, Payout, Price
from libs.contracts.wallet_events import TournamentCredit

ClaimReason = TournamentCredit | Literal["ticket", "return"]
"""`ticket`: a registration for another tournament; `return`: a payment that came too late."""
Lack = Literal["terms", "currency", "funds", "share", "name", "too_early", "not_cancelled", "not_paid"]
"""What a credit that is held lacks: rules that two people have announced; their currency; money in the pool, or in that
part of it; a share so large by the payout table; a name that means anything; the start; the cancellation; a payment."""


class Terms(Part):
    """What of a tournament's rules bounds its payments, minor units."""

    currency: Currency
    """ISO 4217, or `FUN` for play money."""
    starts_at: When | None
    """null: when the last seat is taken."""
    seats: Annotated[int, msgspec.Meta(ge=2, le=MAX_PLAYERS)]
    """Of a sit-and-go."""
    entry: Price
    """Of a registration."""
    others: Annotated[list[Price], msgspec.Meta(max_length=2)]
    """Of rebuys and add-ons."""
    payouts: Annotated[list[Payout], msgspec.Meta(max_length=200)]
    """By number of entries, the fewest first."""
    promised: Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER, description="minor units of the currency (cents)")]
    """What the house may have to add of its own money."""
    ticket: Paid = 0
    """What a ticket is worth that is won there; 0: none is."""
    target: Annotated[str, name(64, 0)] = ""
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
    """Whose it is; or the ticket that is paid out."""
    player: Annotated[str, name(64)]
    """Who is to get it."""
    why: ClaimReason
    """What for."""
    currency: Currency
    """As the tournament says it."""
    prize: Sum = 0
    """Out of the prize account."""
    fee: Sum = 0
    """Out of the fees."""
    bounty: Sum = 0
    """Out of the bounties."""
    ticket: Sum = 0
    """Out of the tickets."""
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
    """What bounds the payments."""


class PaymentNoted(PoolEvent):
    """`player` has paid the tournament this out of an account."""

    payment: str
    amount: Chips


class TicketNoted(PoolEvent):
    """`player` has won a ticket for it, which the pool of the satellite has covered."""

    ticket: str
    """Its name."""
    amount: Chips
    """Its value."""
    satellite: str
    """Where it was won."""


class CancellationNoted(PoolEvent):
    """Two of the staff have cancelled it: what is left may be shared out."""


class CreditNoted(PoolEvent):
    """Paid by the wallet of before, which asked no pool."""

    credit: str
    amount: Chips


class CreditHeld(PoolEvent):
    """Not covered: nothing is paid, unless what it lacks is noted later."""

    claim: Claim
    """What the tournament says is due."""
    lacks: Lack
    """Why not."""


class CreditCovered(PoolEvent):
    """By what the pool knows: paid from here on, once for ever."""

    claim: Claim
    """What the tournament says is due."""
    more: bool = False
    """Others that were held may be covered, too, which did not fit into this commit: they follow by themselves."""
